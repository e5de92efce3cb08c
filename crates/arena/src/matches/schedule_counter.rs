//! Counts games in the order of the schedule.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;

use mendel_store::frame::{Events, Frame, Memo};
use mendel_store::{Journal, Sync};
use serde_json::{Value, json};

use super::{Match, MatchSummary, io_error};
use crate::statistics::{Decision, SprtState};
use crate::{Conclusion, GameRecord, MatchError, Standings, pgn};

/// All games that count, in the order in which they were finished, and at the end in that of
/// the schedule.
pub(super) const GAMES: &str = "games.jsonl";
/// Games that were played beyond the end of a test.
pub(super) const UNCOUNTED: &str = "uncounted.jsonl";
const PGN: &str = "games.pgn";
const FINAL_POSITIONS: &str = "final.epd";

/// Counts games in the order of the schedule, in whatever order they are finished, so that
/// neither the number of threads nor a resume changes the result. Each game is on the disk
/// before it is counted.
pub(super) struct ScheduleCounter<'a> {
    contest: &'a Match,
    frame: &'a Frame,
    events: &'a Events,
    memo: Memo<GameRecord>,
    /// Made with the first game that counts.
    pgn: Option<File>,
    standings: Standings,
    /// Games whose predecessors are not counted yet, and whether they were in the folder.
    waiting: BTreeMap<u64, (GameRecord, bool)>,
    /// Games that no worker can play, of those not reached yet.
    skipped: BTreeSet<u64>,
    /// The game to be counted next.
    next: u64,
    conclusion: Conclusion,
}

impl<'a> ScheduleCounter<'a> {
    /// Counts the games of the folder.
    pub(super) fn open(contest: &'a Match, frame: &'a Frame) -> Result<Self, MatchError> {
        // 1. The games, with those that did not count when fewer games were requested.
        let mut memo: Memo<GameRecord> = frame.memo(GAMES, Sync::Each)?;
        if frame.has(UNCOUNTED) {
            for record in Journal::<GameRecord>::read(&frame.file(UNCOUNTED))? {
                if memo.find(&record).is_none() {
                    memo.append(record)?;
                }
            }
        }
        let found: Vec<GameRecord> = memo.iter().cloned().collect();
        for record in &found {
            contest.check(record)?;
        }
        // 2. Those whose turn has come.
        let names = contest.entrants.iter().map(|it| it.name.clone()).collect();
        let mut counter = Self {
            contest,
            frame,
            events: frame.events(),
            memo,
            pgn: None,
            standings: Standings::new(names, &contest.schedule),
            waiting: BTreeMap::new(),
            skipped: BTreeSet::new(),
            next: 0,
            conclusion: Conclusion::Unfinished,
        };
        counter.report_progress();
        for record in found {
            counter.waiting.insert(record.game, (record, true));
        }
        counter.count()?;
        Ok(counter)
    }

    /// The numbers of the games that were played.
    pub(super) fn played(&self) -> BTreeSet<u64> {
        self.memo.iter().map(|record| record.game).collect()
    }

    /// Whether games are still to be played.
    pub(super) fn is_unfinished(&self) -> bool {
        self.conclusion == Conclusion::Unfinished
    }

    /// Writes a game to the disk and counts it if all games before it are counted.
    pub(super) fn append(&mut self, record: GameRecord) -> Result<(), MatchError> {
        self.memo.append(record.clone())?;
        self.waiting.insert(record.game, (record, false));
        self.count()
    }

    /// Leaves out games that no worker can play.
    pub(super) fn skip(&mut self, games: impl Iterator<Item = u64>) -> Result<(), MatchError> {
        self.skipped.extend(games);
        self.count()
    }

    fn count(&mut self) -> Result<(), MatchError> {
        let counted = self.next;
        while self.is_unfinished() {
            let game = self.next;
            if self.skipped.remove(&game) {
                self.next += 1;
                if self.next == self.contest.total() {
                    self.conclusion = Conclusion::AllPlayed;
                }
                continue;
            }
            let Some((record, found)) = self.waiting.remove(&game) else {
                break;
            };
            self.next += 1;
            self.standings.count(&record);
            let written = pgn::write(&record, &self.contest.heading())?;
            self.print(&format!("{written}\n"))?;
            let sprt = self.contest.sprt.as_ref();
            let test = sprt.map(|sprt| self.standings.test(sprt));
            self.decide(game, test);
            self.report(&record, found, test);
        }
        if self.next > counted {
            self.report_progress();
        }
        Ok(())
    }

    fn decide(&mut self, game: u64, test: Option<SprtState>) {
        let (worst, faults) = self.standings.worst_faults();
        // A pair is the unit of counting, so a test is decided after pairs only.
        let decision = test.filter(|_| game % 2 == 1).map(|test| test.decision);
        self.conclusion = match decision {
            Some(Decision::H1) => Conclusion::Accepted,
            Some(Decision::H0) => Conclusion::Rejected,
            _ if faults > self.contest.plan.max_faults => Conclusion::TooManyFaults {
                player: self.contest.entrants[worst].name.clone(),
                faults,
            },
            _ if game + 1 == self.contest.total() => Conclusion::AllPlayed,
            _ => Conclusion::Unfinished,
        };
    }

    /// The event `game`: the game and the score after it.
    fn report(&self, record: &GameRecord, found: bool, test: Option<SprtState>) {
        let entrants = &self.contest.entrants;
        let mut data = json!({
            "game": record.game,
            "pair": record.pair,
            "white": entrants[record.white].name,
            "black": entrants[record.black].name,
            "result": record.ending.result(),
            "reason": record.ending.reason,
            "words": record.ending.words,
            "plies": record.opening.len() + record.moves.len(),
            "found": found,
            "llr": test.map(|test| test.llr),
        });
        // What was in the folder is not reported one by one, so its scores are not needed.
        if !found {
            data["score"] = self.score(test);
        }
        self.events.record("game", &data);
    }

    fn score(&self, test: Option<SprtState>) -> Value {
        if let Some((tally, elo)) = self.standings.only_pairing() {
            return json!({ "tally": tally, "elo": elo, "sprt": test });
        }
        let (leader, ratio) = self.standings.leader();
        json!({ "leader": leader, "ratio": ratio })
    }

    fn report_progress(&self) {
        let total = self.contest.total();
        self.events
            .progress("games", self.standings.games(), Some(total));
    }

    /// Writes a game that counts to the PGN, which each resume writes again from the games.
    fn print(&mut self, pgn: &str) -> Result<(), MatchError> {
        let path = self.frame.file(PGN);
        if self.pgn.is_none() {
            self.pgn = Some(File::create(&path).map_err(io_error(&path))?);
        }
        let file = self.pgn.as_mut().expect("the file was made above");
        Ok(file.write_all(pgn.as_bytes()).map_err(io_error(&path))?)
    }

    /// Writes the last position of each game that counts, if the plan asks for it.
    pub(super) fn write_final_positions(&self) -> Result<(), MatchError> {
        if !self.contest.plan.final_positions {
            return Ok(());
        }
        let heading = self.contest.heading();
        let counted = self.memo.iter().filter(|record| record.game < self.next);
        let mut text = String::new();
        for record in counted {
            text.push_str(&pgn::write_final(record, &heading)?.to_string());
            text.push('\n');
        }
        Ok(self.frame.write(FINAL_POSITIONS, text)?)
    }

    /// The match is over: `games.jsonl` gets the games that count, in the order of the
    /// schedule, and `uncounted.jsonl` those beyond the end of a test.
    pub(super) fn finish(mut self) -> Result<MatchSummary, MatchError> {
        let next = self.next;
        let uncounted: Vec<&GameRecord> = self
            .memo
            .iter()
            .filter(|record| record.game >= next)
            .collect();
        if !uncounted.is_empty() || self.frame.has(UNCOUNTED) {
            Journal::rewrite(&self.frame.file(UNCOUNTED), uncounted)?;
        }
        self.memo.finish_with(|game| *game < next)?;
        if let Some(file) = &self.pgn {
            let path = self.frame.file(PGN);
            file.sync_all().map_err(io_error(&path))?;
        }
        let (sprt, anchor) = (self.contest.sprt.as_ref(), self.contest.anchor);
        Ok(self.standings.summary(sprt, anchor, self.conclusion))
    }
}
