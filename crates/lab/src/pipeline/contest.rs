//! A step that plays a match or a tournament.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mendel_arena::{
    Adjudication, Conclusion, Entrant, Format, LengthRule, Match, MatchOptions, MatchPlan,
    MatchSummary, OpeningSetting, Openings, Pace, Verdict, absolute_player,
};
use mendel_board::{Game, Position};
use mendel_store::frame::{Failure, Folder, Manifest};

use super::curve::check_curve;
use super::refer::StepOutputs;
use super::{Output, PipelineStep, StepRun};
use crate::games;
use crate::proof::first_that_plays;
use crate::recipe::steps::{
    AccuracySettings, Anchor, BOOK, MatchSettings, Names, OpeningsFrom, Published, Wanted,
};
use crate::recipe::{Misfit, require};
use crate::record::{Pairing, Played, Standing};

/// The openings of a step that has lines of its own.
const LINES: &str = "openings.epd";

impl MatchSettings {
    fn accuracy(&self) -> Option<AccuracySettings> {
        match &self.accuracy {
            Wanted::Plain(false) => None,
            Wanted::Plain(true) => Some(AccuracySettings::default()),
            Wanted::With(settings) => Some(settings.clone()),
        }
    }

    fn pace(&self) -> Pace {
        Pace {
            clock: self.tc,
            movetime: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    fn adjudication(&self) -> Adjudication {
        Adjudication {
            draw: self.draw,
            resign: self.resign,
            length: self.max_plies.map(|plies| LengthRule {
                plies,
                verdict: self.at_limit,
            }),
            ..Adjudication::default()
        }
    }

    fn check_table(&self, meant: &[Vec<String>]) -> Result<(), Misfit> {
        require(self.games > 0, "games", "must be at least 1")?;
        let moves = self.nodes != Some(0) && self.depth != Some(0) && self.movetime != Some(0);
        require(moves, "nodes", "must be at least 1")?;
        require(self.max_plies != Some(0), "max-plies", "must be at least 1")?;
        require(meant.len() >= 2, "players", "needs at least two players")?;
        let mut own_pace = true;
        for text in meant.iter().flatten() {
            let entrant = Entrant::parse(text).map_err(|error| ("players", error.to_string()))?;
            own_pace &= entrant.pace.is_some();
        }
        let reason = "nothing limits a move: give nodes, depth, movetime or tc";
        require(own_pace || self.pace() != Pace::default(), "", reason)?;
        if let Some(Anchor { rating, .. }) = &self.anchor {
            let reason = format!("has a rating of {rating}; write a number");
            require(rating.is_finite(), "anchor", reason)?;
        }
        self.check_openings()
            .map_err(|reason| ("openings", reason))?;
        check_curve(self.curve.as_ref(), meant.len())?;
        let rows = &self.published_white;
        let square = rows.len() == meant.len() && rows.iter().all(|it| it.len() + 1 == rows.len());
        let reason = "must have a row for each player, with a number for each other one";
        require(rows.is_empty() || square, "published-white", reason)?;
        self.check_published_games()?;
        self.accuracy().map_or(Ok(()), |accuracy| accuracy.check())
    }

    /// Whether it is said of how many games the published points are.
    fn check_published_games(&self) -> Result<(), Misfit> {
        let key = "published-games";
        let has_curve = self.curve.as_ref().is_some_and(|it| !it.paper.is_empty());
        let Some(games) = self.published_games else {
            let reason = "is missing: of how many games for each two are the published points?";
            let needless = self.published_white.is_empty() && !has_curve;
            return require(needless, key, reason);
        };
        let reason = "must be an even number from 2: as many with White as with Black";
        require(games > 0 && games.is_multiple_of(2), key, reason)?;
        let most = games as f64 / 2.0;
        for points in self.published_white.iter().flatten() {
            let reason = format!("has {points} points of {most} games with White");
            require((0.0..=most).contains(points), "published-white", reason)?;
        }
        Ok(())
    }

    fn check_openings(&self) -> Result<(), String> {
        let setting = OpeningSetting::default();
        let count = match &self.openings {
            OpeningsFrom::Named(name) if name == BOOK => Openings::own(&setting).len(),
            OpeningsFrom::Named(name) => Openings::load(name, &setting)
                .map_err(|error| error.to_string())?
                .len(),
            OpeningsFrom::Lines { lines } => {
                positions(lines)?;
                lines.len()
            }
            OpeningsFrom::Part(part) => {
                part.check()?;
                part.positions
            }
        };
        let most = 2 * count as u64;
        if self.pace().is_repeatable() && self.games > most {
            return Err(format!(
                "are enough for {most} games at fixed nodes or depth, not for {}: fewer games \
                 or more openings",
                self.games
            ));
        }
        Ok(())
    }

    fn plan(&self, players: Vec<String>, openings: Option<PathBuf>, seed: u64) -> MatchPlan {
        // Whose rating is known may not be installed.
        let is_there = |anchor: &&Anchor| {
            let named =
                |text: &String| Entrant::parse(text).is_ok_and(|it| it.name == anchor.player);
            players.iter().any(named)
        };
        let anchor = self.anchor.as_ref().filter(is_there);
        let anchor = anchor.map(|it| (it.player.clone(), it.rating));
        let shuffled = matches!(self.openings, OpeningsFrom::Named(_));
        MatchPlan {
            format: self.format,
            openings,
            anchor,
            pace: self.pace(),
            opening: if shuffled {
                games::shuffled(seed)
            } else {
                games::in_order(seed)
            },
            adjudication: self.adjudication(),
            ..MatchPlan::new("Mendel pipeline", players, self.games)
        }
    }

    fn conditions(&self) -> String {
        let mut words = vec![self.pace().to_string()];
        words.push(match &self.openings {
            OpeningsFrom::Named(name) if name == BOOK => "pairs from our own book".to_owned(),
            OpeningsFrom::Named(name) => format!("pairs from {}", games::file_name(name)),
            OpeningsFrom::Lines { lines } => format!("pairs from {} lines", lines.len()),
            OpeningsFrom::Part(part) => format!("pairs from {}", part.words()),
        });
        if let Some(plies) = self.max_plies {
            let verdict = match self.at_limit {
                Verdict::Draw => "drawn",
                Verdict::Material => "won by more material",
            };
            words.push(format!("{verdict} after {plies} half-moves"));
        }
        words.join(", ")
    }
}

/// Players with what the words mean now: each a list of alternatives. A step with
/// several champions stands for all of them.
pub(super) fn meant(players: &[Names], made: &StepOutputs) -> Vec<Vec<String>> {
    let mut meant = Vec::new();
    for names in players {
        match names {
            Names::None => {}
            Names::One(word) => {
                let players = made.players(word).into_iter();
                meant.extend(players.map(|player| vec![written(&player)]));
            }
            Names::Several(words) => {
                let alternatives = words.iter().map(|word| written(&made.player(word)));
                meant.push(alternatives.collect());
            }
        }
    }
    meant
}

/// A player as a match reads it: what marks options in a path is escaped.
fn written(player: &str) -> String {
    if Path::new(player).is_absolute() && Path::new(player).is_file() {
        player.replace('%', "%25").replace('?', "%3F")
    } else {
        player.to_owned()
    }
}

/// The positions behind lines of moves, as EPD.
fn positions(lines: &[String]) -> Result<String, String> {
    let mut positions = Vec::with_capacity(lines.len());
    if lines.is_empty() {
        return Err("has no lines; an empty one is the initial position".to_owned());
    }
    for line in lines {
        let mut game = Game::new(Position::initial());
        for word in line.split_whitespace() {
            let m = game.position().parse_uci(word);
            let m = m.map_err(|error| format!("`{line}`: {error}"))?;
            game.play(m).map_err(|error| format!("`{line}`: {error}"))?;
        }
        if game.outcome().is_some() {
            return Err(format!(
                "`{line}`: the game is over there; leave out a move"
            ));
        }
        positions.push(games::epd(game.position()));
    }
    Ok(games::epd_file(positions))
}

impl PipelineStep for MatchSettings {
    fn check(&self, made: &StepOutputs) -> Result<(), Misfit> {
        self.check_table(&meant(&self.players, made))
    }

    /// With all alternatives, also those that judge the games.
    fn players(&self, made: &StepOutputs) -> Vec<String> {
        let judges = self.accuracy().into_iter().flat_map(|it| it.players);
        let players = meant(&self.players, made).into_iter().flatten();
        judges.chain(players).collect()
    }

    fn run(&self, step: &StepRun) -> Result<Output, Failure> {
        let path = step.path();
        let meant = meant(&self.players, step.made);

        // 1. A match that was started keeps its players.
        let plan = if path.join(Manifest::FILE).is_file() {
            MatchPlan::read(&path)?
        } else {
            let players = started(&meant);
            let present: Vec<String> = players.iter().flatten().cloned().collect();
            let host_is_there = self.format != Format::Gauntlet || players[0].is_some();
            if present.len() < 2 || !host_is_there {
                let mut notes = absences(&meant, &present);
                notes.push("the match was not played".to_owned());
                return Ok(Output::Match(Played {
                    conditions: self.conditions(),
                    notes,
                    ..Played::default()
                }));
            }
            let seed = step.seed(0);
            let openings = openings(self, &step.folder()?, seed)?;
            self.plan(present, openings, seed)
        };

        // 2. The games.
        let options = MatchOptions::by(&step.options.crew);
        let (name, seed) = (step.relative(), plan.seed());
        let summary = step.frame.nested::<Match>(&name, plan, seed, &options)?;
        let plan = MatchPlan::read(&path)?;

        // 3. What they say.
        let mut notes = absences(&meant, &plan.players);
        if let Conclusion::TooManyFaults { player, faults } = &summary.conclusion {
            notes.push(format!("stopped: {player} misbehaved {faults} times"));
        }
        let mut played = Played {
            players: summary.players.clone(),
            conditions: self.conditions(),
            pairings: pairings(&summary),
            standings: standings(&summary, &self.published),
            notes,
            ..Played::default()
        };
        let absolute = |text: &String| absolute_player(text).unwrap_or_else(|_| text.clone());
        let meant: Vec<Vec<String>> = meant
            .iter()
            .map(|texts| texts.iter().map(absolute).collect())
            .collect();
        self.tables(&path, &places(&meant, &plan.players), &mut played)?;
        if let Some(accuracy) = self.accuracy() {
            step.accuracy(&accuracy, &mut played)?;
        }
        Ok(Output::Match(played))
    }
}

/// The file of openings; none for our own book.
fn openings(
    settings: &MatchSettings,
    folder: &Folder,
    seed: u64,
) -> Result<Option<PathBuf>, Failure> {
    let text = match &settings.openings {
        OpeningsFrom::Named(name) if name == BOOK => return Ok(None),
        OpeningsFrom::Named(name) => return Ok(Some(name.into())),
        OpeningsFrom::Lines { lines } => positions(lines).expect("the recipe was checked"),
        OpeningsFrom::Part(part) => part.draw(seed)?,
    };
    folder.write(LINES, text)?;
    Ok(Some(folder.file(LINES)))
}

/// For each list of alternatives which of the players takes part.
pub(super) fn places(meant: &[Vec<String>], present: &[String]) -> Vec<Option<usize>> {
    let place = |texts: &Vec<String>| present.iter().position(|it| texts.contains(it));
    meant.iter().map(place).collect()
}

/// Of each list of alternatives the first that can be started.
pub(super) fn started(meant: &[Vec<String>]) -> Vec<Option<String>> {
    meant
        .iter()
        .map(|alternatives| first_that_plays(alternatives).map(str::to_owned))
        .collect()
}

/// Which players could not be started, derived from those that play, so that a resumed match
/// says the same.
pub(super) fn absences(meant: &[Vec<String>], present: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    // The plan of a match has absolute paths.
    let plays = |text: &String| {
        present.contains(text) || absolute_player(text).is_ok_and(|text| present.contains(&text))
    };
    for alternatives in meant {
        let chosen = alternatives.iter().position(&plays);
        let missing = &alternatives[..chosen.unwrap_or(alternatives.len())];
        // The same program in another place is no other player.
        let name = |text: &str| Entrant::parse(text).map(|it| it.name).ok();
        let other = |text: &&String| chosen.is_none_or(|at| name(text) != name(&alternatives[at]));
        let missing: Vec<&str> = missing.iter().filter(other).map(String::as_str).collect();
        if !missing.is_empty() {
            let names = missing.join("`, `");
            notes.push(match chosen {
                Some(at) => format!(
                    "`{names}` could not be started; `{}` plays instead",
                    alternatives[at]
                ),
                None => format!("`{names}` could not be started and does not play"),
            });
        }
    }
    notes
}

fn pairings(summary: &MatchSummary) -> Vec<Pairing> {
    let one = |it: &mendel_arena::Pairing| Pairing {
        first: it.first.clone(),
        second: it.second.clone(),
        wins: it.tally.wins,
        draws: it.tally.draws,
        losses: it.tally.losses,
        elo: it.elo.elo,
        interval: [it.elo.low, it.elo.high],
    };
    summary.pairings.iter().map(one).collect()
}

fn standings(summary: &MatchSummary, published: &Published) -> Vec<Standing> {
    let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
    let one = |(at, name): (usize, &String)| {
        let mut tally = mendel_arena::statistics::Tally::default();
        for pairing in &summary.pairings {
            let seen = match () {
                () if pairing.first == *name => pairing.tally,
                () if pairing.second == *name => pairing.tally.reversed(),
                () => continue,
            };
            tally.wins += seen.wins;
            tally.draws += seen.draws;
            tally.losses += seen.losses;
        }
        let rating = summary.ratings.as_ref();
        let rating = rating.and_then(|it| it.ratings.iter().find(|it| it.player == at));
        Standing {
            player: name.clone(),
            games: tally.games(),
            score: percent(tally.ratio()),
            draws: percent(tally.draw_ratio()),
            elo: rating.and_then(|it| it.rating),
            error: rating.and_then(|it| it.error),
            accuracy: None,
            paper: published.get(name).cloned(),
        }
    };
    summary.players.iter().enumerate().map(one).collect()
}
