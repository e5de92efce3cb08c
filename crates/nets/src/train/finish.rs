//! The end of a training: the test part, the network's file.

use std::collections::BTreeMap;

use mendel_evaluator::vision::Head;
use mendel_store::Journal;
use mendel_store::frame::{Failure, Frame};
use tch::no_grad;
use toml::{Table, Value};

use super::compact::Batch;
use super::export::{Pawns, export};
use super::learner::TrainingRun;
use super::loss::Lesson;
use super::metrics::{Moves, Scores};
use super::recipe::DataKind;
use super::record::{End, Evaluation, TrainedNetwork};
use crate::stream::Part;

impl TrainingRun {
    /// The mean loss over an exam, and the figures.
    pub(super) fn ask(&self, exam: &[Batch]) -> (f64, BTreeMap<String, f64>) {
        let (mut sum, mut count) = (0.0, 0);
        let (mut moves, mut scores) = (Moves::default(), Scores::default());
        no_grad(|| {
            for batch in exam {
                let lesson = Lesson::new(self.recipe.shape.view, batch, self.device);
                let output = self.model.forward(&lesson.input, false);
                let loss = lesson.loss(&output, self.recipe.training.result_weight);
                sum += loss.double_value(&[]) * batch.len as f64;
                count += batch.len;
                for (facts, right) in batch.facts.iter().zip(lesson.right(&output)) {
                    moves.add(facts, right);
                }
                for (facts, (answered, wanted)) in batch.facts.iter().zip(lesson.scores(&output)) {
                    scores.add(facts, f64::from(answered), f64::from(wanted));
                }
            }
        });
        let figures = match self.recipe.data.kind {
            DataKind::Scores => scores.figures(),
            DataKind::Games if self.recipe.shape.head == Head::FromTo => moves.squares(),
            DataKind::Games => moves.agreement(),
        };
        (sum / count.max(1) as f64, figures.into_iter().collect())
    }

    /// Asks the test part once and writes the network.
    pub(super) fn finish(
        &mut self,
        end: End,
        frame: &Frame,
        journal: &mut Journal<Evaluation>,
    ) -> Result<TrainedNetwork, Failure> {
        // 1. The best network, and the truth about it.
        let best = std::mem::take(&mut self.best);
        self.model.restore(&best);
        self.best = best;
        let training = &self.recipe.training;
        let exam = self.data.exam(
            self.recipe.shape.view,
            Part::Test,
            training.test_positions,
            self.threads,
        )?;
        let (test_loss, test) = self.ask(&exam);
        let (validation_loss, best_step) = self.meta.best.unwrap_or((f64::NAN, 0));
        let paper = self.recipe.paper.iter();
        let paper = paper.filter_map(|(name, value)| {
            let value = value.as_float().or(value.as_integer().map(|it| it as f64));
            value.map(|value| (name.clone(), value))
        });
        let outcome = TrainedNetwork {
            name: self.recipe.name.clone(),
            steps: self.meta.step,
            best_step,
            validation_loss,
            test_loss,
            test_positions: exam.iter().map(|batch| batch.len as u64).sum(),
            test,
            paper: paper.collect(),
            numbers: self.recipe.shape.count(),
            end,
            file: format!("{}.net", self.recipe.name),
        };

        // 2. The network.
        let mut file = export(&self.model, &self.recipe.shape, self.data.pawns())?;
        file.name.clone_from(&self.recipe.name);
        file.about.clone_from(&self.recipe.about);
        file.training = self.description(&outcome, &frame.manifest().version);
        frame.write(&outcome.file, file.write()?)?;

        // 3. All that another training may begin with.
        self.meta.is_over = true;
        self.save(frame, journal)?;
        Ok(outcome)
    }

    /// What the file of the network says about its making.
    fn description(&self, outcome: &TrainedNetwork, version: &str) -> Table {
        let mut table = Table::new();
        let mut put = |key: &str, value: Value| {
            table.insert(key.to_owned(), value);
        };
        let recipe = Table::try_from(&self.recipe).expect("a recipe is a table");
        put("recipe", Value::Table(recipe));
        put("seed", Value::String(self.seed.to_string()));
        put("data", self.data.about().into());
        put("fingerprint", self.data.fingerprint().into());
        put("version", version.into());
        put("steps", Value::Integer(outcome.steps as i64));
        put(
            "test-positions",
            Value::Integer(outcome.test_positions as i64),
        );
        put("test-loss", Value::Float(outcome.test_loss));
        let test = outcome.test.iter();
        let test: Table = test
            .map(|(name, value)| (name.clone(), Value::Float(*value)))
            .collect();
        put("test", Value::Table(test));
        let pawns = self.data.pawns();
        if pawns != Pawns::SAME {
            put("pawns-a-unit", Value::Float(pawns.scale));
            put("mean-pawns", Value::Float(pawns.offset));
        }
        table
    }
}
