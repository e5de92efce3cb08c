//! Trials by games: members meet each other, a king, or players that stay the
//! same.
//!
//! Games are noise, and that is handled openly. All members of a generation start
//! from the same openings, with both colours; a member that is judged again may
//! keep its earlier games; former bests can be opponents, so that strength against
//! the last fashion alone is not enough; the champion can be chosen by fresh games;
//! and a ladder measures each generation against players that never change.

mod ladder;
mod memory;
mod openings;
mod play;
mod played_pair;
mod schedule;
mod settings;
mod tally;

use std::collections::BTreeMap;
use std::convert::Infallible;

use mendel_arena::{GamePairs, Patience};
use mendel_engine::Player;
use mendel_evolve::MemberId;
use serde::Deserialize as _;
use serde_json::Value;

use self::memory::Memory;
pub use self::openings::OpeningSource;
use self::openings::Source;
use self::play::{Programmed, Seats, bred, named};
pub use self::played_pair::{Phase, PlayedPair};
use self::schedule::{Meetings, Programme, Seat, among_members, hall_pairs, singles};
pub use self::settings::{
    GameKind, GameSettings, HallSettings, LadderSettings, Rule, VerifySettings, by_the_paper,
};
use self::tally::Tallied;
use super::{
    FitnessTrial, GameTrial, GenerationNote, Incumbent, IncumbentNote, JudgingContext,
    MemberWeights, ScoreScale, TrialError,
};
use crate::genome::space::Space;

#[derive(Debug)]
pub struct PlayedGamesTrial {
    settings: GameSettings,
    source: Source,
    parent: Player,
    space: Space,
    memory: Memory,
    note: GenerationNote,
    /// Games of each member in the generation judged last.
    per_member: u64,
}

/// Members at their seats and what each is judged by.
struct Generation {
    seats: Seats,
    members: Vec<Seat>,
    king: Option<Seat>,
    programmes: Vec<Programme>,
}

impl PlayedGamesTrial {
    /// A trial for members of `space`, which was made for `parent`.
    ///
    /// # Errors
    ///
    /// If a setting makes no sense, or somebody cannot take a seat.
    pub fn new(parent: &Player, space: &Space, settings: GameSettings) -> Result<Self, TrialError> {
        settings.check()?;
        let trial = Self {
            source: Source::new(&settings.openings)?,
            memory: Memory::default(),
            parent: parent.clone(),
            space: space.clone(),
            note: GenerationNote::default(),
            per_member: 0,
            settings,
        };
        // Everybody once, before anything is bred.
        let ladder = trial.settings.ladder.as_ref();
        let ladder = ladder.map_or_else(Vec::new, LadderSettings::pool);
        let others = trial.settings.players.iter().map(String::as_str);
        let mut entrants = vec![bred("parent".to_owned(), parent.clone(), &trial.settings)];
        for text in others.chain(ladder) {
            entrants.push(named(text, &trial.settings)?);
        }
        GamePairs {
            entrants,
            openings: Vec::new(),
            pace: trial.settings.pace(),
            patience: Patience::default(),
            adjudication: trial.settings.adjudication(),
        }
        .check()?;
        Ok(trial)
    }

    pub fn settings(&self) -> &GameSettings {
        &self.settings
    }

    fn base(&self) -> MemberWeights {
        self.space.base().into()
    }

    fn is_hill(&self) -> bool {
        self.settings.kind == GameKind::KingOfTheHill
    }

    fn reigning(&self) -> Incumbent {
        self.memory.king.clone().unwrap_or_else(|| Incumbent {
            id: None,
            member: self.base(),
        })
    }

    /// Seats a member, or one that was a member once.
    fn seat(
        &self,
        seats: &mut Seats,
        member: &MemberWeights,
        name: String,
    ) -> Result<Seat, TrialError> {
        seats.take(member.key(), || {
            let player = self.space.player(&self.parent, member)?;
            Ok(bred(name, player, &self.settings))
        })
    }

    /// Everybody at a seat, and for each member whom it meets.
    fn arrange(&self, members: &[MemberWeights], seed: u64) -> Result<Generation, TrialError> {
        // 1. The seats. The king sits first, so that its name is always the same.
        let mut seats = Seats::default();
        let king = if self.is_hill() {
            let king = self.reigning();
            Some(self.seat(&mut seats, &king.member, "king".to_owned())?)
        } else {
            None
        };
        let mut places = Vec::with_capacity(members.len());
        for (place, member) in members.iter().enumerate() {
            places.push(self.seat(&mut seats, member, format!("member {place}"))?);
        }
        let mut hall = Vec::with_capacity(self.memory.heroes.len());
        for (place, hero) in self.memory.heroes.iter().enumerate() {
            hall.push(self.seat(&mut seats, &hero.member, format!("hall {place}"))?);
        }
        let mut fixed = Vec::with_capacity(self.settings.players.len());
        for text in &self.settings.players {
            let entrant = named(text, &self.settings)?;
            let seated = seats.take(format!("player {text}"), || Ok::<_, Infallible>(entrant));
            fixed.push(seated.unwrap_or_else(|never| match never {}));
        }

        // 2. Whom each meets.
        let pairs = self.settings.pairs();
        let opponents = self.settings.opponents.unwrap_or(0);
        let mut programmes = among_members(self.settings.kind, &places, opponents, pairs, seed);
        for programme in &mut programmes {
            programme.extend(
                king.into_iter()
                    .chain(fixed.iter().copied())
                    .map(|it| (it, pairs)),
            );
        }

        // 3. And the hall beside.
        if let Some(settings) = self.settings.hall {
            for programme in &mut programmes {
                let own: u64 = programme.iter().map(|it| it.1).sum();
                let beside = hall_pairs(own, settings.share, hall.len());
                programme.extend(hall.iter().copied().zip(beside));
            }
        }
        Ok(Generation {
            seats,
            members: places,
            king,
            programmes,
        })
    }

    /// What each two that met made of it, with their earlier games where these are
    /// remembered; from the side of the seat with the lower number.
    fn remembered(
        &self,
        seats: &Seats,
        mut met: BTreeMap<(Seat, Seat), Tallied>,
        memory: &mut Memory,
        generation: u32,
    ) -> BTreeMap<(Seat, Seat), Tallied> {
        if self.settings.remember {
            for (&(one, other), tallied) in &mut met {
                let keys = (seats.key(one), seats.key(other));
                *tallied = memory.recall(keys, *tallied, generation);
            }
            memory.forget(generation);
        }
        met
    }

    /// The best of those that pass the rule against the king.
    fn challenger(
        &self,
        generation: &Generation,
        met: &BTreeMap<(Seat, Seat), Tallied>,
        scores: &[f64],
    ) -> Option<usize> {
        let king = generation.king?;
        let passes = |&member: &usize| {
            let seat = generation.members[member];
            let against = between(met, seat, king);
            match self.settings.rule {
                Some(Rule::NetScore(net)) => against.net_of(self.settings.games) >= net as f64,
                Some(Rule::Likelihood(likelihood)) => against.superiority() >= likelihood,
                None => false,
            }
        };
        (0..scores.len())
            .filter(passes)
            .reduce(|best, at| if scores[at] > scores[best] { at } else { best })
    }
}

/// What one made of it against another.
fn between(met: &BTreeMap<(Seat, Seat), Tallied>, one: Seat, other: Seat) -> Tallied {
    let tallied = met.get(&(one.min(other), one.max(other)));
    let tallied = tallied.copied().unwrap_or_default();
    if one < other {
        tallied
    } else {
        tallied.reversed()
    }
}

/// The best score's place; of equals the first.
fn best_of(scores: &[f64]) -> Option<usize> {
    (0..scores.len()).reduce(|best, at| if scores[at] > scores[best] { at } else { best })
}

impl FitnessTrial for PlayedGamesTrial {
    fn judge(
        &mut self,
        members: &[MemberWeights],
        context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError> {
        // 1. The games. What is remembered changes when all of them are played.
        let mut memory = self.memory.clone();
        let generation = self.arrange(members, context.seed)?;
        let mut meetings = Meetings::default();
        if self.settings.is_single() {
            let opponents = self.settings.opponents.unwrap_or(0);
            for (white, black) in singles(&generation.members, opponents, context.seed) {
                meetings.add_single(white, black);
            }
        }
        for (&seat, programme) in generation.members.iter().zip(&generation.programmes) {
            for &(opponent, pairs) in programme {
                meetings.add(seat, opponent, pairs);
            }
        }
        let dealt = self.settings.deals_openings().then(|| {
            let count = meetings.longest() as usize;
            memory.deal(self.source.len(), count, context.seed)
        });
        let met = Programmed {
            settings: &self.settings,
            source: &self.source,
            phase: Phase::Trial,
            seed: context.seed,
            dealt,
        }
        .play(&generation.seats, &meetings, context)?;
        let met = self.remembered(&generation.seats, met, &mut memory, context.generation);

        // 2. The scores: wins less losses.
        let each = if self.settings.is_single() { 1 } else { 2 };
        let score = |(&seat, programme): (&Seat, &Programme)| -> f64 {
            let net = programme
                .iter()
                .map(|&(opponent, pairs)| between(&met, seat, opponent).net_of(each * pairs));
            net.sum()
        };
        let seated = generation.members.iter().zip(&generation.programmes);
        let scores: Vec<f64> = seated.map(score).collect();
        let id = |member: usize| MemberId {
            generation: context.generation,
            member: member as u32,
        };

        // 3. The king and the hall.
        let challenger = self.challenger(&generation, &met, &scores);
        let hall = self.settings.hall.map_or(0, |it| it.size);
        let named = |member: usize| Incumbent {
            id: Some(id(member)),
            member: members[member].clone(),
        };
        if let Some(member) = challenger {
            memory.admit(self.reigning(), hall);
            memory.king = Some(named(member));
            memory.since = Some(context.generation);
        } else if let Some(best) = best_of(&scores).filter(|_| !self.is_hill()) {
            memory.admit(named(best), hall);
        }
        let mut note = GenerationNote::default();
        if self.is_hill() {
            note.king = Some(IncumbentNote {
                member: memory.king.as_ref().and_then(|king| king.id),
                new: challenger.is_some(),
            });
        }

        // 4. The ladder.
        if let Some(ladder) = &self.settings.ladder
            && (challenger.is_some() || context.generation.is_multiple_of(ladder.every))
        {
            let best = best_of(&scores).map(|best| members[best].clone());
            let subject = match &memory.king {
                _ if !self.is_hill() => context.incumbent.clone().or(best),
                Some(king) => Some(king.member.clone()),
                None => Some(self.base()),
            };
            if let Some(subject) = subject {
                let mut seats = Seats::default();
                let place = self.seat(&mut seats, &subject, "subject".to_owned())?;
                let with = (&self.settings, &self.source);
                let point = memory
                    .ladder
                    .measure(ladder, with, (seats, place), context)?;
                note.ladder = Some(point);
            }
        }
        let games = |programme: &Programme| programme.iter().map(|it| each * it.1).sum();
        let per_member = generation.programmes.iter().map(games).max();
        self.per_member = per_member.unwrap_or(0);
        (self.memory, self.note) = (memory, note);
        Ok(scores)
    }

    fn report(&self, score: f64) -> f64 {
        score
    }

    fn scale(&self) -> ScoreScale {
        ScoreScale {
            unit: "net points",
            smaller_is_better: false,
        }
    }

    fn judgements_per_member(&self) -> u64 {
        self.per_member
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.memory).expect("a memory is plain data")
    }

    fn restore(&mut self, state: &Value) -> Result<(), TrialError> {
        if !state.is_null() {
            let memory = Memory::deserialize(state);
            self.memory = memory.map_err(|error| TrialError::State {
                reason: error.to_string(),
            })?;
        }
        Ok(())
    }
}

impl GameTrial for PlayedGamesTrial {
    fn note(&self) -> GenerationNote {
        self.note
    }

    fn incumbent(&self) -> Option<Incumbent> {
        self.is_hill().then(|| self.reigning())
    }

    fn verify(
        &mut self,
        finalists: &[MemberWeights],
        context: &mut JudgingContext,
    ) -> Result<Option<usize>, TrialError> {
        let Some(verify) = self.settings.verify.filter(|_| finalists.len() > 1) else {
            return Ok((!finalists.is_empty()).then_some(0));
        };
        let candidates = &finalists[..finalists.len().min(verify.candidates)];
        let mut seats = Seats::default();
        let parent = self.seat(&mut seats, &self.base(), "parent".to_owned())?;
        let mut places = Vec::with_capacity(candidates.len());
        for (place, member) in candidates.iter().enumerate() {
            places.push(self.seat(&mut seats, member, format!("candidate {place}"))?);
        }
        let mut meetings = Meetings::default();
        for (place, &seat) in places.iter().enumerate() {
            for &other in places[place + 1..].iter().chain([&parent]) {
                meetings.add(seat, other, verify.games / 2);
            }
        }
        let met = Programmed {
            settings: &self.settings,
            source: &self.source,
            phase: Phase::Verify,
            seed: context.seed,
            dealt: None,
        }
        .play(&seats, &meetings, context)?;
        let net = |&seat: &Seat| -> f64 {
            let others = places.iter().chain([&parent]);
            others.map(|&other| between(&met, seat, other).net()).sum()
        };
        let scores: Vec<f64> = places.iter().map(net).collect();
        Ok(best_of(&scores))
    }
}
