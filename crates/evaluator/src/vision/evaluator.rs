//! A network that judges positions, alone or beside a heuristic.
//!
//! ```toml
//! [evaluator]
//! kind = "vision"
//! file = "teacher"   # a network that is built in, or `NAME.net` beside the player file
//! scale = 100.0      # centipawns for an output of one
//! mean = 0.0         # centipawns for an output of zero, as the network's side sees it
//! [evaluator.weights]  # if it is there: the heuristic that is added
//! ```
//!
//! # Source
//!
//! ChessPosEvalNet judges from White's side (λ-hybrid paper, Technion, 2023); it learns
//! z-scores, and what training writes answers in pawns. The teaching engine adds its network, in pawns from White's side, to
//! its heuristic ("Teaching chess", UT Austin, 2024).
//!
//! # Where this differs
//!
//! A network of ours with [`Head::Pairs`] can judge, too: its output is ln(e / (1 − e)),
//! where e is the score that it expects of the game.

use std::sync::Arc;

use mendel_board::{Color, Position};
use toml::{Table, Value};

use super::net::{Net, Workspace};
use super::scene::Scene;
use super::shape::{Head, Shape, View};
use crate::neural::network_term;
use crate::player_file::{PlayerEvaluator, TableReader, quote, wrong_setting};
use crate::teaching::FEATURES;
use crate::{Centipawns, Evaluator, EvaluatorError, LinearEvaluator, Teaching, Term, Trace};

#[derive(Clone, Debug)]
pub struct LoadedNet {
    /// As a player file names it.
    pub file: String,
    /// Of the bytes it was read from.
    pub checksum: u64,
    pub net: Arc<Net>,
}

/// Opens the network that a player file names, or says why it cannot.
pub type Open<'a> = &'a dyn Fn(&str) -> Result<LoadedNet, String>;

/// The most centipawns for an output of one or of zero.
const MOST_SCALE: f64 = 10_000.0;

#[derive(Clone, Debug)]
pub struct Vision {
    source: LoadedNet,
    scale: f64,
    mean: f64,
    plus: Option<LinearEvaluator<Teaching>>,
}

/// The same network by the same name, with the same settings.
impl PartialEq for Vision {
    fn eq(&self, other: &Self) -> bool {
        let source = |it: &Self| (it.source.checksum, it.source.file.clone());
        let numbers = |it: &Self| [it.scale, it.mean].map(f64::to_bits);
        source(self) == source(other) && numbers(self) == numbers(other) && self.plus == other.plus
    }
}

impl Eq for Vision {}

/// What one thread needs to run the network; made at the first position.
#[derive(Debug, Default)]
pub struct CnnCache(Option<(Shape, Workspace)>);

impl Vision {
    /// A network that judges: `scale` centipawns for an output of one, `mean` for zero,
    /// and `plus` added to it.
    ///
    /// # Errors
    ///
    /// If the network names moves only, or a number is beyond reason.
    pub fn new(
        source: LoadedNet,
        scale: f64,
        mean: f64,
        plus: Option<LinearEvaluator<Teaching>>,
    ) -> Result<Self, EvaluatorError> {
        if source.net.shape().head == Head::FromTo {
            return Err(setting(
                "file",
                format!("is `{}`, which names moves and judges nothing", source.file),
                "a network with the head `value`, `teaching` or `pairs`",
            ));
        }
        for (key, value, least) in [("scale", scale, 1e-3), ("mean", mean, 0.0)] {
            if !(value.is_finite() && (least..=MOST_SCALE).contains(&value.abs())) {
                let wanted = format!("centipawns, at most {MOST_SCALE}");
                return Err(setting(key, format!("is {value}"), wanted));
            }
        }
        Ok(Self {
            source,
            scale,
            mean,
            plus,
        })
    }

    pub(crate) fn read_with(table: &Table, open: Open) -> Result<Self, EvaluatorError> {
        let known = ["file", "checksum", "scale", "mean", "weights"];
        let table = TableReader::new(Self::KIND, table, &known)?;
        let number = |it: &Value| it.as_float().or(it.as_integer().map(|it| it as f64));
        let scale = table.setting("scale", Some(100.0), number, "a number")?;
        let mean = table.setting("mean", Some(0.0), number, "a number")?;
        let plus = match table.get("weights") {
            None => None,
            Some(_) => Some(LinearEvaluator::from_toml(table.weights()?)?),
        };
        let wanted = "the name of a network, or that of a file `NAME.net` beside the player file";
        let file = table.setting("file", None, Value::as_str, wanted)?;
        let source = open(file).map_err(|reason| EvaluatorError::NetworkFile { reason })?;
        let found = format!("{:016x}", source.checksum);
        match table.get("checksum") {
            None => {}
            Some(Value::String(text)) if *text == found => {}
            Some(other) => {
                return Err(setting(
                    "checksum",
                    format!("is {}, but that of `{file}` is {found}", quote(other)),
                    "nothing, or put the network back that was there",
                ));
            }
        }
        Self::new(source, scale, mean, plus)
    }

    pub fn net(&self) -> &Net {
        &self.source.net
    }

    /// The network's output for a position, as the one it sees for does; for one that
    /// says win, draw and loss, ln(e / (1 − e)).
    pub fn output(&self, position: &Position, cache: &mut CnnCache) -> f32 {
        let net = self.net();
        if cache.0.as_ref().is_none_or(|it| it.0 != *net.shape()) {
            cache.0 = Some((net.shape().clone(), Workspace::new(net, 1)));
        }
        let Some((_, workspace)) = &mut cache.0 else {
            return 0.0;
        };
        let answers = net.look(&[Scene::new(position)], workspace);
        match (net.shape().head, answers) {
            (Head::Pairs { .. }, [.., win, draw, loss]) => expectation(*win, *draw, *loss),
            (_, [value, ..]) => *value,
            (_, []) => 0.0,
        }
    }

    fn is_whites(&self) -> bool {
        self.net().shape().view.is_whites()
    }
}

/// ln(e / (1 − e)) of logits of win, draw and loss.
fn expectation(win: f32, draw: f32, loss: f32) -> f32 {
    let most = win.max(draw).max(loss);
    let [win, draw, loss] = [win, draw, loss].map(|logit| libm::expf(logit - most));
    let least = f32::MIN_POSITIVE;
    libm::logf((win + draw / 2.0).max(least)) - libm::logf((loss + draw / 2.0).max(least))
}

fn setting(key: &'static str, found: String, wanted: impl Into<String>) -> EvaluatorError {
    wrong_setting(Vision::KIND, key, found, wanted)
}

impl PlayerEvaluator for Vision {
    const KIND: &'static str = "vision";

    /// Without a place to look for networks.
    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        let nowhere = |file: &str| Err(format!("the network `{file}` is nowhere to be looked for"));
        Self::read_with(table, &nowhere)
    }

    fn entries(&self) -> Vec<(&'static str, Value)> {
        let checksum = format!("{:016x}", self.source.checksum);
        vec![
            ("file", Value::from(self.source.file.as_str())),
            ("checksum", Value::from(checksum)),
            ("scale", Value::from(self.scale)),
            ("mean", Value::from(self.mean)),
        ]
    }

    fn weights_toml(&self) -> Option<Table> {
        self.plus.as_ref()?.weights_toml()
    }
}

impl Evaluator for Vision {
    type Scratch = CnnCache;

    fn name(&self) -> String {
        match self.plus {
            None => format!("{} {}", Self::KIND, self.source.file),
            Some(_) => format!("{} {} and teaching", Self::KIND, self.source.file),
        }
    }

    /// All views of published networks do.
    fn sees_colour(&self) -> bool {
        !matches!(self.net().shape().view, View::Sides { .. })
    }

    fn terms(&self) -> Vec<Term> {
        let mut terms = self.plus.as_ref().map_or_else(Vec::new, Evaluator::terms);
        terms.push(network_term());
        terms
    }

    fn evaluate(
        &self,
        position: &Position,
        cache: &mut CnnCache,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let limit = Self::LIMIT.0;
        let scaled = libm::rint(self.mean + self.scale * f64::from(self.output(position, cache)));
        // What is no number becomes zero.
        let network = scaled.clamp(f64::from(-limit), f64::from(limit)) as i32;
        let turn = position.turn();
        let (teller, own) = match turn {
            Color::Black if self.is_whites() => (Color::White, -network),
            _ => (turn, network),
        };
        let (place, heuristic) = match &self.plus {
            None => (0, 0),
            Some(plus) => (FEATURES.len(), plus.evaluate(position, &mut (), trace).0),
        };
        trace.term(place, teller, network);
        Centipawns((heuristic + own).clamp(-limit, limit))
    }
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use super::*;
    use crate::vision::{Activation, File};
    use crate::{AnyEvaluator, contract};

    fn source(shape: Shape) -> LoadedNet {
        let mut state = 5_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 / 65_536.0 - 0.5
        };
        let file = File::new(shape, |tensor| {
            (0..tensor.count()).map(|_| number()).collect()
        });
        LoadedNet {
            file: "test.net".to_owned(),
            checksum: 0xAB,
            net: Arc::new(Net::new(&file.expect("small numbers")).expect("a network")),
        }
    }

    fn heuristic() -> LinearEvaluator<Teaching> {
        let pairs: Vec<_> = (0..FEATURES.len() as i32).map(|it| [10 + it; 2]).collect();
        LinearEvaluator::from_pairs(&pairs).expect("small weights")
    }

    fn all() -> Vec<Vision> {
        let teaching = Shape {
            filters: 3,
            head: Head::Teaching {
                channels: 2,
                hidden: 4,
            },
            ..Shape::teaching()
        };
        let value = Shape {
            filters: 2,
            blocks: 1,
            ..Shape::chess_pos_eval_net()
        };
        let ours = Shape {
            view: View::Sides { plies: 1 },
            filters: 3,
            blocks: 1,
            activation: Activation::Relu,
            head: Head::Pairs { width: 2, value: 3 },
        };
        let judge = |shape, scale, mean, plus| {
            Vision::new(source(shape), scale, mean, plus).expect("it judges")
        };
        vec![
            judge(teaching, 100.0, 0.0, Some(heuristic())),
            judge(value, 321.5, 7.25, None),
            judge(ours, 150.0, 0.0, None),
        ]
    }

    #[test]
    fn every_kind_of_network_keeps_the_contract_and_only_ours_is_colour_blind() {
        for evaluator in all() {
            let mut used = CnnCache::default();
            for position in random_positions(31, 60) {
                contract::holds(&evaluator, &position, &mut used);
            }
        }
        let sees: Vec<bool> = all().iter().map(Evaluator::sees_colour).collect();
        assert_eq!(sees, [true, true, false]);
    }

    #[test]
    fn a_table_survives_writing_and_another_network_is_noticed() {
        for evaluator in all() {
            let any = AnyEvaluator::Vision(evaluator.clone());
            let same = |file: &str| {
                assert_eq!(file, "test.net");
                Ok(evaluator.source.clone())
            };
            assert_eq!(
                AnyEvaluator::from_toml_with(&any.to_toml(), &same),
                Ok(any.clone())
            );
            let other = |_: &str| {
                Ok(LoadedNet {
                    checksum: 1,
                    ..evaluator.source.clone()
                })
            };
            let error =
                AnyEvaluator::from_toml_with(&any.to_toml(), &other).expect_err("another one");
            assert!(error.to_string().contains("0000000000000001"), "{error}");
        }
    }

    #[test]
    fn the_score_is_the_sum_of_network_and_heuristic_as_the_side_to_move_sees_it() {
        let both = &all()[0];
        let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").expect("legal");
        let score = |it: &Vision| AnyEvaluator::Vision(it.clone()).evaluate(&position).0;
        let alone = Vision {
            plus: None,
            ..both.clone()
        };
        let heuristic = AnyEvaluator::Teaching(heuristic()).evaluate(&position).0;
        assert_eq!(score(both), score(&alone) + heuristic);
        let output = f64::from(alone.output(&position, &mut CnnCache::default()));
        assert_eq!(score(&alone), -libm::rint(100.0 * output) as i32);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_reason() {
        let moves = Shape {
            filters: 2,
            blocks: 0,
            ..Shape::chessnet()
        };
        let error = Vision::new(source(moves), 1.0, 0.0, None).expect_err("it names moves");
        assert!(error.to_string().contains("names moves"), "{error}");
        let value = all().remove(1).source;
        for (text, reason) in [
            ("", "`file` in [evaluator]"),
            ("file = 3", "is 3"),
            ("file = \"a\"\nscale = 0", "`scale`"),
            ("file = \"a\"\nscale = nan", "`scale`"),
            ("file = \"a\"\nmean = \"x\"", "a number"),
            ("file = \"a\"\nsize = 1", "knows no `size`"),
            ("file = \"a\"\nweights = 1", "[evaluator.weights]"),
        ] {
            let table = format!("kind = \"vision\"\n{text}").parse().expect("TOML");
            let open = |_: &str| Ok(value.clone());
            let error = AnyEvaluator::from_toml_with(&table, &open).expect_err(text);
            assert!(error.to_string().contains(reason), "{text}: {error}");
        }
        let table = "kind = \"vision\"\nfile = \"a\"".parse().expect("TOML");
        let error = AnyEvaluator::from_toml(&table).expect_err("there is nowhere to look");
        assert!(error.to_string().contains("`a`"), "{error}");
    }
}
