//! Kinds of breeders and trials that do not ship with the program.

use std::sync::Arc;

use mendel_engine::Player;
use mendel_evolve::{Breeder, JudgedMember, Offspring, Origin, RealVector};
use mendel_fitness::breeders::{BreederKind, BreederSettings, MadeBreeder, SavedBreeder};
use mendel_fitness::genome::space::Space;
use mendel_fitness::genome::{AnyGenome, GenomeKind};
use mendel_fitness::trial::{
    FitnessTrial, JudgingContext, MemberWeights, PlayerTrial, PositionTrial, ScoreScale, TrialError,
};
use mendel_fitness::trials::{FinalistRule, TrialInputs, TrialKind, TrialSettings};
use mendel_lab::recipe::Kinds;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// Proposes the parent again and again.
#[derive(Debug, Deserialize, Serialize)]
struct Still {
    generation: u32,
    point: Vec<f64>,
}

impl Breeder for Still {
    type Genome = AnyGenome;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<AnyGenome>> {
        vec![Offspring {
            genome: RealVector(self.point.clone()).into(),
            parents: Vec::new(),
            origin: Origin::Given,
        }]
    }

    fn tell(&mut self, _offspring: Vec<Offspring<AnyGenome>>, _judged: &[JudgedMember]) {
        self.generation += 1;
    }
}

impl SavedBreeder for Still {
    fn state(&self) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(self)
    }
}

#[derive(Debug, Deserialize)]
struct StillSettings {
    first: u32,
}

impl BreederSettings for StillSettings {
    fn make(&self, space: &Space, _start: Vec<AnyGenome>, _seed: u64) -> MadeBreeder {
        Ok(Box::new(Still {
            generation: self.first,
            point: space.genes_of(space.base()),
        }))
    }

    fn population(&self) -> (usize, &'static str) {
        (1, "breeder")
    }
}

static BREEDERS: &[BreederKind] = &[BreederKind {
    name: "still",
    genomes: &[GenomeKind::Reals],
    settings: |table| Ok(Arc::new(table.try_into::<StillSettings>()?)),
    restore: |_, state| Ok(Box::new(serde_json::from_str::<Still>(state.get())?)),
}];

/// The sum of the weights.
#[derive(Clone, Debug, Deserialize)]
struct Sum {
    factor: f64,
}

impl FitnessTrial for Sum {
    fn judge(
        &mut self,
        members: &[MemberWeights],
        _context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError> {
        let sum = |it: &MemberWeights| it.iter().sum::<i32>();
        Ok(members.iter().map(|it| f64::from(sum(it))).collect())
    }

    fn scale(&self) -> ScoreScale {
        ScoreScale {
            unit: "centipawns of weights",
            smaller_is_better: false,
        }
    }

    fn report(&self, score: f64) -> f64 {
        self.factor * score
    }

    fn judgements_per_member(&self) -> u64 {
        1
    }
}

impl PositionTrial for Sum {
    fn pairs(
        &self,
        _first: &[i32],
        _second: &[i32],
        _threads: usize,
    ) -> Result<Vec<(f64, f64)>, TrialError> {
        Err(TrialError::NoPositions)
    }
}

impl TrialSettings for Sum {
    fn check(&self) -> Result<(), TrialError> {
        Ok(())
    }

    fn make(&self, _inputs: &TrialInputs<'_>) -> Result<PlayerTrial, TrialError> {
        Ok(PlayerTrial::Positions(Box::new(self.clone())))
    }

    fn metric(&self) -> &'static str {
        "sum"
    }

    fn finalists(&self) -> FinalistRule {
        FinalistRule::Best
    }
}

static TRIALS: &[TrialKind] = &[TrialKind {
    name: "sum",
    settings: |table| Ok(Arc::new(table.try_into::<Sum>()?)),
}];

const RECIPE: &str = r#"
    [genome]
    coding = "real"
    [breeder]
    kind = "still"
    first = 3
    [trial]
    kind = "sum"
    factor = 0.5
    data = "quiet"
    [stop]
    generations = 4
"#;

#[test]
fn a_new_breeder_and_a_new_trial_are_one_entry_of_a_list_each() {
    let parent = Player::find("gerald-base").expect("built in");
    let kinds = Kinds {
        breeders: BREEDERS,
        trials: TRIALS,
    };
    let stages = kinds.stages(RECIPE, &parent);
    let stages = stages.unwrap_or_else(|complaint| panic!("{complaint}"));
    let [stage] = &stages[..] else {
        panic!("{stages:?}");
    };

    // The breeder proposes, is saved and restored; the trial judges.
    let space = Space::new(&parent, &stage.genome).expect("it is of this player");
    let breeder = stage.breeder.settings.make(&space, Vec::new(), 1);
    let mut breeder = breeder.expect("sound settings");
    breeder.tell(breeder.ask(), &[]);
    let saved = breeder.state().expect("plain data");
    let restore = stage.breeder.kind.restore;
    let restored = restore(space.genome_kind(), &saved).expect("its own state");
    assert_eq!(restored.generation(), 4);
    let member: MemberWeights = restored.ask()[0].genome.decode(&space).0.into();
    let inputs = TrialInputs {
        parent: &parent,
        space: &space,
        positions: None,
        threads: 1,
    };
    let mut trial = stage.trial.make(&inputs).expect("it needs nothing");
    let scores = trial.judge(&[member], &mut JudgingContext::local(1, 1));
    let sum = f64::from(space.base().iter().sum::<i32>());
    assert_eq!(scores.expect("it cannot fail"), [sum]);

    // The shipped lists do not have them, and say what they have.
    let complaint = Kinds::SHIPPED
        .stages(RECIPE, &parent)
        .expect_err("no such breeder");
    let complaint = complaint.to_string();
    assert!(complaint.contains("`still`") && complaint.contains("\"mu-plus-lambda\""));
}
