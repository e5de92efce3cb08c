//! A step that asks players for their moves in positions whose moves are known.
//!
//! Each position is asked with a fresh memory, so that no answer depends on another
//! one: the counts are the same with any number of threads and after any interruption.

mod ask;
mod count;
mod draw;

use mendel_arena::{Entrant, Kind, Pace};
use mendel_crew::TaskFailure;
use mendel_data::DataSet;
use mendel_store::frame::{Failure, Folder, Memo, MemoRecord};
use mendel_store::{Record, Sync};
use serde::{Deserialize, Serialize};

use self::ask::{AgreementTask, AskedPiece};
use self::draw::{Drawn, Question};
use super::contest::{absences, meant, places, started};
use super::curve::check_curve;
use super::refer::StepOutputs;
use super::{Output, PipelineStep, StepRun, check_sets, experts, hashes};
use crate::games::file_name;
use crate::recipe::steps::AgreementSettings;
use crate::recipe::{Misfit, require};
use crate::record::Agreement;

/// The word for the rating of a band in the text of a player.
const RATING: &str = "{rating}";

/// What stands for it where no rating is known.
const USUAL_RATING: u16 = 1500;

impl AgreementSettings {
    fn pace(&self) -> Pace {
        Pace {
            nodes: self.nodes,
            depth: self.depth,
            ..Pace::default()
        }
    }

    fn check_players(&self, players: &[Vec<String>]) -> Result<(), Misfit> {
        require(!players.is_empty(), "players", "names no player")?;
        for text in players.iter().flatten() {
            let pace = entrant(text, USUAL_RATING, self.hash)
                .map_err(|error| ("players", error.to_string()))?
                .pace;
            let reason = format!(
                "`{text}` has neither nodes nor a depth for a move: give one, here or behind the player"
            );
            let pace = pace.unwrap_or_else(|| self.pace());
            require(pace.is_repeatable(), "depth", reason)?;
        }
        Ok(())
    }

    fn conditions(&self, sets: &[DataSet]) -> String {
        let names = self.data.list();
        let names: Vec<String> = names.iter().map(|name| file_name(name)).collect();
        let mut words = vec![
            self.pace().to_string(),
            format!("positions of {}", names.join(", ")),
        ];
        words.extend(experts(sets).map(|expert| format!("moves of {expert}")));
        words.dedup();
        if self.winners {
            words.push("the winner to move".to_owned());
        }
        words.join("; ")
    }
}

/// A player at a rating, with as much memory as the step allows: it is cleared before
/// each position, which would take longer than a search of a few plies.
fn entrant(text: &str, rating: u16, hash: u32) -> Result<Entrant, mendel_arena::EntrantError> {
    let mut entrant = Entrant::parse(&text.replace(RATING, &rating.to_string()))?;
    let is_set = |(name, _): &(String, String)| name.eq_ignore_ascii_case("hash");
    if matches!(entrant.kind, Kind::Bred(_)) && !entrant.options.iter().any(is_set) {
        entrant.options.push(("Hash".to_owned(), hash.to_string()));
    }
    Ok(entrant)
}

/// A line of `moves.jsonl`: what a player plays in some positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct AnswerRecord {
    /// Which player, from 0.
    player: usize,
    /// Which of the pieces that the positions are cut into.
    piece: usize,
    /// Its moves; empty where it gave none.
    moves: Vec<String>,
}

impl Record for AnswerRecord {}

impl MemoRecord for AnswerRecord {
    type Key = (usize, usize);

    fn key(&self) -> Self::Key {
        (self.player, self.piece)
    }

    fn same_inputs(&self, wanted: &Self) -> bool {
        self.moves.len() == wanted.moves.len()
    }
}

const FILE: &str = "moves.jsonl";

/// What the answers belong to; they do not count for anything else.
const ASKED: &str = "inputs.json";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Asked {
    players: Vec<String>,
    data: Vec<String>,
    positions: usize,
}

/// How many positions are in one line of the memo.
const PIECE: usize = 50;

impl PipelineStep for AgreementSettings {
    fn check(&self, made: &StepOutputs) -> Result<(), Misfit> {
        require(self.positions > 0, "positions", "must be at least 1")?;
        let moves = self.nodes != Some(0) && self.depth != Some(0);
        require(moves, "depth", "must be at least 1")?;
        let hash = (1..=4096).contains(&self.hash);
        require(hash, "hash", "must be from 1 to 4096 mebibytes")?;
        let rise = self.bands.is_sorted_by(|one, other| one < other);
        require(rise, "bands", "must rise: where each band begins")?;
        let bands = !self.per_band || !self.bands.is_empty();
        require(bands, "per-band", "needs `bands = [1200, 1400, …]`")?;
        let players = meant(&self.players, made);
        self.check_players(&players)?;
        check_curve(self.curve.as_ref(), players.len())?;
        check_sets(&self.data, made, "moves")
    }

    /// With all alternatives, at the rating that stands for any.
    fn players(&self, made: &StepOutputs) -> Vec<String> {
        let players = meant(&self.players, made).into_iter().flatten();
        let rated = players.map(|it| it.replace(RATING, &USUAL_RATING.to_string()));
        rated.collect()
    }

    fn run(&self, step: &StepRun) -> Result<Output, Failure> {
        // 1. The positions.
        let sets = step.sets(&self.data)?;
        let drawn = Drawn::new(self, &sets, step.seed(0));
        if drawn.questions.is_empty() {
            let names = self.data.list().join("`, `");
            return Err(Failure::failed(format!(
                "no position of `{names}` fits: each needs a move that is known, and what \
                 `winners` and `bands` ask for; give other positions with `--data FILE`"
            )));
        }

        // 2. The players: a step that was started keeps them.
        let meant = meant(&self.players, step.made);
        let folder = step.folder()?;
        let players = present(&folder, &meant, &sets, &drawn)?;
        let mut notes = absences(&meant, &players);
        notes.extend(drawn.notes.iter().cloned());
        if players.is_empty() {
            notes.push("nobody was asked".to_owned());
            return Ok(Output::Agreement(Agreement {
                conditions: self.conditions(&sets),
                notes,
                ..Agreement::default()
            }));
        }
        let entrants = seats(&players, &drawn, self.hash)?;

        // 3. The answers.
        let answers = step.answers(self, &folder, &entrants, &drawn)?;

        // 4. What they come to.
        let names: Vec<String> = entrants.iter().map(|it| it[0].name.clone()).collect();
        let mut agreement = count::count(&drawn, &names, &answers);
        agreement.conditions = self.conditions(&sets);
        agreement.hash = hashes(&sets);
        agreement.publish(&self.published);
        agreement.draw(self.curve.as_ref(), &places(&meant, &players));
        agreement.notes.splice(0..0, notes);
        Ok(Output::Agreement(agreement))
    }
}

impl StepRun<'_> {
    fn answers(
        &self,
        step: &AgreementSettings,
        folder: &Folder,
        seats: &[Vec<Entrant>],
        drawn: &Drawn,
    ) -> Result<Vec<Vec<String>>, Failure> {
        // 1. What was answered before.
        let pieces = drawn.pieces(PIECE);
        let mut memo: Memo<AnswerRecord> = folder.memo(FILE, Sync::Each)?;
        let wanted = |player: usize, piece: usize| AnswerRecord {
            player,
            piece,
            moves: vec![String::new(); pieces[piece].len()],
        };

        // 2. The rest.
        let all = (0..seats.len()).flat_map(|it| (0..pieces.len()).map(move |piece| (it, piece)));
        let missing = all.filter(|&(player, piece)| memo.find(&wanted(player, piece)).is_none());
        let items: Vec<AskedPiece> = (0..)
            .zip(missing)
            .map(|(id, (player, piece))| AskedPiece { id, player, piece })
            .collect();
        let total = (seats.len() * drawn.questions.len()) as u64;
        let open: usize = items.iter().map(|it| pieces[it.piece].len()).sum();
        let task = AgreementTask {
            seats,
            questions: &drawn.questions,
            pieces: &pieces,
            pace: step.pace(),
            failure: TaskFailure::default(),
        };
        self.complete(
            (&task, &task.failure),
            items,
            &mut memo,
            ("answers", total - open as u64, total),
            |&AskedPiece { player, piece, .. }, moves| {
                let count = moves.len() as u64;
                let record = AnswerRecord {
                    player,
                    piece,
                    moves,
                };
                (record, count)
            },
        )?;
        let of = |player| {
            let found = (0..pieces.len()).filter_map(|piece| memo.find(&wanted(player, piece)));
            found.flat_map(|it| it.moves.iter().cloned()).collect()
        };
        Ok((0..seats.len()).map(of).collect())
    }
}

/// The players that are asked: of each list the first that can be started, or those of a step
/// that was started before.
fn present(
    folder: &Folder,
    meant: &[Vec<String>],
    sets: &[DataSet],
    drawn: &Drawn,
) -> Result<Vec<String>, Failure> {
    let data: Vec<String> = sets.iter().map(DataSet::hash).collect();
    let positions = drawn.questions.len();
    if let Ok(text) = folder.read(ASKED) {
        let begun: Option<Asked> = serde_json::from_str(&text).ok();
        return match begun {
            Some(begun) if begun.data == data && begun.positions == positions => Ok(begun.players),
            _ => Err(Failure::failed(format!(
                "`{}` is of other positions than there are now: the data set has changed; \
                 restore it, or start again in another folder",
                folder.file(ASKED).display()
            ))),
        };
    }
    let asked = Asked {
        players: started(meant).into_iter().flatten().collect(),
        data,
        positions,
    };
    let text = serde_json::to_string_pretty(&asked)?;
    folder.write(ASKED, format!("{text}\n"))?;
    Ok(asked.players)
}

/// For each player and each group of positions who takes the seat.
fn seats(players: &[String], drawn: &Drawn, hash: u32) -> Result<Vec<Vec<Entrant>>, Failure> {
    let of = |text: &String| {
        let groups = drawn.groups.iter();
        let seats = groups.map(|group| entrant(text, group.rating.unwrap_or(USUAL_RATING), hash));
        seats.collect::<Result<Vec<Entrant>, _>>()
    };
    let seats = players.iter().map(of).collect::<Result<Vec<_>, _>>();
    Ok(seats.map_err(Box::new)?)
}
