//! A step that asks players for their moves in positions whose moves are known.
//!
//! Each position is asked with a fresh memory, so that no answer depends on another
//! one: the counts are the same with any number of threads and after any interruption.

mod ask;
mod count;
mod draw;

use std::fs;
use std::path::Path;

use mendel_arena::{Entrant, Kind, Pace};
use mendel_crew::{Done, Flow, Mapped, TaskFailure};
use mendel_data::{DataSet, Reader};
use mendel_store::frame::Failure;
use mendel_store::{Journal, Record, Sync, replace};
use serde::{Deserialize, Serialize};

use self::ask::{AgreementTask, AskedPiece};
use self::draw::{Drawn, Question};
use super::PipelineExecutor;
use super::contest::{absences, meant, started};
use super::error::{StepError, task_failure};
use super::refer::{Made, folder_of, seed_of};
use crate::recipe::steps::{AgreementSettings, Settings, Turn};
use crate::record::Agreement;

/// The word for the rating of a band in the text of a player.
const RATING: &str = "{rating}";

/// What stands for it where nobody's rating is known.
const USUAL_RATING: u16 = 1500;

impl AgreementSettings {
    fn pace(&self) -> Pace {
        Pace {
            nodes: self.nodes,
            depth: self.depth,
            ..Pace::default()
        }
    }

    /// Who is asked, with all alternatives; at the rating that stands for any.
    pub(super) fn texts(&self, made: &Made) -> Vec<String> {
        let players = meant(&self.players, made).into_iter().flatten();
        let rated = players.map(|it| it.replace(RATING, &USUAL_RATING.to_string()));
        rated.collect()
    }

    pub(super) fn check(&self, made: &Made) -> Result<(), (&'static str, String)> {
        if self.positions == 0 {
            return Err(("positions", "must be at least 1".to_owned()));
        }
        if self.nodes == Some(0) || self.depth == Some(0) {
            return Err(("depth", "must be at least 1".to_owned()));
        }
        if !(1..=4096).contains(&self.hash) {
            return Err(("hash", "must be from 1 to 4096 mebibytes".to_owned()));
        }
        if !self.bands.is_sorted_by(|one, other| one < other) {
            return Err(("bands", "must rise: where each band begins".to_owned()));
        }
        if self.per_band && self.bands.is_empty() {
            return Err(("per-band", "needs `bands = [1200, 1400, …]`".to_owned()));
        }
        let players = meant(&self.players, made);
        if players.is_empty() {
            return Err(("players", "names nobody".to_owned()));
        }
        for text in players.iter().flatten() {
            let pace = entrant(text, USUAL_RATING, self.hash)
                .map_err(|error| ("players", error.to_string()))?
                .pace;
            if !pace.unwrap_or_else(|| self.pace()).is_repeatable() {
                let reason = format!(
                    "`{text}` has neither nodes nor a depth for a move: give one, here or behind the player"
                );
                return Err(("depth", reason));
            }
        }
        if let Some(curve) = &self.curve {
            curve
                .check(players.len())
                .map_err(|reason| ("curve", reason))?;
        }
        let sets = self.data.clone().list();
        if sets.is_empty() {
            return Err(("data", "names no set of positions with moves".to_owned()));
        }
        for word in &sets {
            // What a step before this one makes is not there yet.
            if made.set(word) == *word {
                Reader::find(word).map_err(|error| ("data", error.to_string()))?;
            }
        }
        Ok(())
    }

    fn conditions(&self, sets: &[DataSet]) -> String {
        let names = self.data.clone().list();
        let names: Vec<String> = names.iter().map(|name| short(name)).collect();
        let mut words = vec![
            self.pace().to_string(),
            format!("positions of {}", names.join(", ")),
        ];
        words.extend(sets.iter().filter_map(|set| {
            let expert = set.header.expert.as_ref()?;
            Some(format!("moves of {} ({})", expert.name, expert.asked))
        }));
        words.dedup();
        if self.winners {
            words.push("the winner to move".to_owned());
        }
        words.join("; ")
    }
}

/// A file by its name, a built-in set as it is.
fn short(name: &str) -> String {
    let path = Path::new(name);
    let file = path.file_name().map(|it| it.to_string_lossy().into_owned());
    file.unwrap_or_else(|| name.to_owned())
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
struct Answered {
    /// Which player, from 0.
    player: usize,
    /// Which of the pieces that the positions are cut into.
    piece: usize,
    /// Its moves; empty where it gave none.
    moves: Vec<String>,
}

impl Record for Answered {
    const VERSION: u32 = 1;
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

/// Positions that are written down together.
const PIECE: usize = 50;

impl PipelineExecutor<'_> {
    /// The answers of a step: those that are missing are asked for. `None` if it was
    /// stopped.
    pub(super) fn agree(
        &self,
        settings: &Settings,
        turn: Turn,
        step: &AgreementSettings,
        made: &Made,
    ) -> Result<Option<Agreement>, Failure> {
        // 1. The positions.
        let names = step.data.clone().list();
        let sets = names
            .iter()
            .map(|name| DataSet::find(&made.set(name)))
            .collect::<Result<Vec<DataSet>, _>>()?;
        let drawn = Drawn::new(step, &sets, seed_of(self.seed, turn, 0));
        if drawn.questions.is_empty() {
            return Err(StepError::NoPositions {
                names: names.join("`, `"),
            }
            .into());
        }

        // 2. Who is asked: whoever began goes on.
        let meant = meant(&step.players, made);
        self.make_folder(&folder_of(settings, turn))?;
        let path = self.folder.join(folder_of(settings, turn));
        let players = present(&path, &meant, &sets, &drawn)?;
        let mut notes = absences(&meant, &players);
        notes.extend(drawn.notes.iter().cloned());
        if players.is_empty() {
            notes.push("nobody was asked".to_owned());
            return Ok(Some(Agreement {
                conditions: step.conditions(&sets),
                notes,
                ..Agreement::default()
            }));
        }
        let entrants = seats(&players, &drawn, step.hash)?;

        // 3. The answers.
        let Some(answers) = self.answers(step, &path, &entrants, &drawn)? else {
            return Ok(None);
        };

        // 4. What they come to.
        let names: Vec<String> = entrants.iter().map(|it| it[0].name.clone()).collect();
        let places: Vec<Option<usize>> = meant
            .iter()
            .map(|texts| players.iter().position(|it| texts.contains(it)))
            .collect();
        let hashes: Vec<String> = sets.iter().map(DataSet::hash).collect();
        let mut agreement = count::count(&drawn, &names, &answers);
        agreement.conditions = step.conditions(&sets);
        agreement.hash = hashes.join(" ");
        agreement.publish(&step.published);
        agreement.draw(step.curve.as_ref(), &places);
        agreement.notes.splice(0..0, notes);
        Ok(Some(agreement))
    }

    /// For each player its moves in all positions; `None` if it was stopped.
    fn answers(
        &self,
        step: &AgreementSettings,
        path: &Path,
        seats: &[Vec<Entrant>],
        drawn: &Drawn,
    ) -> Result<Option<Vec<Vec<String>>>, Failure> {
        // 1. What was answered before.
        let pieces = drawn.pieces(PIECE);
        let mut answers: Vec<Vec<Option<Vec<String>>>> =
            vec![vec![None; pieces.len()]; seats.len()];
        let (mut journal, found) = Journal::<Answered>::open(&path.join(FILE), Sync::Each)?;
        for it in found {
            let fits = pieces
                .get(it.piece)
                .is_some_and(|piece| piece.len() == it.moves.len());
            if let Some(own) = answers.get_mut(it.player).filter(|_| fits) {
                own[it.piece] = Some(it.moves);
            }
        }

        // 2. The rest.
        let todo: Vec<(usize, usize)> = (0..seats.len())
            .flat_map(|player| (0..pieces.len()).map(move |piece| (player, piece)))
            .filter(|&(player, piece)| answers[player][piece].is_none())
            .collect();
        let total = (seats.len() * drawn.questions.len()) as u64;
        let mut done = total - todo.iter().map(|it| pieces[it.1].len() as u64).sum::<u64>();
        let task = AgreementTask {
            seats,
            questions: &drawn.questions,
            pieces: &pieces,
            pace: step.pace(),
            failure: TaskFailure::default(),
        };
        let items = todo
            .into_iter()
            .enumerate()
            .map(|(id, (player, piece))| AskedPiece {
                id: id as u64,
                player,
                piece,
            });
        let (crew, halt) = (self.options.crew.local(), self.frame.stop());
        let mapped = crew.map(&task, items, halt, &mut |item, moves| {
            if let Done::Output(moves) = moves {
                done += moves.len() as u64;
                let line = Answered {
                    player: item.player,
                    piece: item.piece,
                    moves,
                };
                journal.append(&line)?;
                answers[item.player][item.piece] = Some(line.moves);
                self.frame.events().progress("answers", done, Some(total));
            }
            Ok::<_, Failure>(Flow::Continue)
        });
        let mapped = mapped.map_err(|error| task_failure(error, task.failure.take()))?;
        let whole = mapped == Mapped::All;
        let whole = whole.then(|| {
            let all = answers.into_iter();
            all.map(|own| own.into_iter().flatten().flatten().collect())
                .collect()
        });
        Ok(whole)
    }
}

/// Those who are asked: of each list the first that can be started, or those who began.
fn present(
    path: &Path,
    meant: &[Vec<String>],
    sets: &[DataSet],
    drawn: &Drawn,
) -> Result<Vec<String>, Failure> {
    let file = path.join(ASKED);
    let data: Vec<String> = sets.iter().map(DataSet::hash).collect();
    let positions = drawn.questions.len();
    if let Ok(text) = fs::read_to_string(&file) {
        let begun: Option<Asked> = serde_json::from_str(&text).ok();
        return match begun {
            Some(begun) if begun.data == data && begun.positions == positions => Ok(begun.players),
            _ => Err(StepError::OtherPositions {
                path: file.display().to_string(),
            }
            .into()),
        };
    }
    let asked = Asked {
        players: started(meant).into_iter().flatten().collect(),
        data,
        positions,
    };
    let text = serde_json::to_string_pretty(&asked).expect("it is plain data");
    replace(&file, format!("{text}\n").as_bytes())?;
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
