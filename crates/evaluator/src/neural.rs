//! What the evaluators that are networks have in common: numbers in parts of [`ONE`],
//! their text in a player file, and an output that is added to material.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mendel_board::{Color, Position};
use toml::Value;

use crate::coefficients::{Phase, Weight};
use crate::input::Input;
use crate::player_file::{TableReader, choices, wrong_setting};
use crate::{Centipawns, Evaluator, EvaluatorError, Material, Term, Trace};

/// One, among the numbers of a network.
pub const ONE: i32 = 4096;

/// The largest number without sign: a weight of 64.
pub const MOST: i32 = 64 * ONE;

/// Centipawns for an output of one in the paper: a queen.
pub const QUEEN: i32 = 900;

/// The term behind those of [`Material`].
const NETWORK: usize = 5;

/// The input of a network, and how its output becomes a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub input: Input,
    /// Whether material is added.
    pub material: bool,
    /// Centipawns for an output of one.
    pub scale: i32,
}

impl Frame {
    /// Beside material, a queen for an output of one: as in the paper.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            material: true,
            scale: QUEEN,
        }
    }

    pub(crate) fn read(table: TableReader<'_>) -> Result<Self, EvaluatorError> {
        let names = choices(Input::ALL.map(Input::name));
        let input = |value: &Value| Input::from_name(value.as_str()?);
        let scale = |value: &Value| i32::try_from(value.as_integer()?).ok();
        Ok(Self {
            input: table.setting("input", None, input, &names)?,
            material: table.flag("material")?,
            scale: table.setting(
                "scale",
                Some(QUEEN),
                |it| scale(it).filter(|it| SCALES.contains(it)),
                SCALE,
            )?,
        })
    }

    pub(crate) fn check(self, kind: &'static str) -> Result<(), EvaluatorError> {
        if SCALES.contains(&self.scale) {
            return Ok(());
        }
        Err(wrong_setting(
            kind,
            "scale",
            format!("is {}", self.scale),
            SCALE,
        ))
    }

    /// Material, if it counts, and a network's output in centipawns.
    #[inline]
    pub(crate) fn score(
        self,
        position: &Position,
        output: f32,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let limit = Material::LIMIT.0;
        let scaled = libm::rintf(output * self.scale as f32);
        let network = scaled.clamp(-(limit as f32), limit as f32) as i32;
        let (teller, own) = match (self.input, position.turn()) {
            (Input::Paper, Color::Black) => (Color::White, -network),
            (_, turn) => (turn, network),
        };
        trace.term(NETWORK, teller, network);
        let material = if self.material {
            Material.evaluate(position, &mut (), trace).0
        } else {
            0
        };
        Centipawns((material + own).clamp(-limit, limit))
    }
}

const SCALES: std::ops::RangeInclusive<i32> = 1..=20_000;
const SCALE: &str = "centipawns for an output of one, from 1 to 20000";

/// The terms of an evaluator that adds a network's output to material.
pub(crate) fn terms() -> Vec<Term> {
    let mut terms = Material.terms();
    terms.push(network_term());
    terms
}

/// The output of a network in centipawns.
pub(crate) fn network_term() -> Term {
    Term {
        group: "network",
        label: String::new(),
        about: "What the network says.",
        middle_game: 1,
        end_game: 1,
    }
}

/// All numbers of a network as weights that can be bred.
pub(crate) fn weights(names: Vec<String>, numbers: &[i32]) -> Vec<Weight> {
    let weight = |(name, &value)| Weight {
        name,
        term: NETWORK,
        phase: Phase::Both,
        value,
        fixed: false,
    };
    names.into_iter().zip(numbers).map(weight).collect()
}

/// Numbers as Base64 of 32-bit integers, the low byte first.
pub(crate) fn write_numbers(numbers: &[i32]) -> Value {
    let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
    BASE64_STANDARD.encode(bytes).into()
}

/// The inverse of [`write_numbers`], for the key `numbers`.
pub(crate) fn read_numbers(table: TableReader<'_>) -> Result<Vec<i32>, EvaluatorError> {
    const WANTED: &str = "32-bit whole numbers in Base64";
    let wrong = |found: &str| wrong_setting(table.kind, "numbers", found.to_owned(), WANTED);
    let text = table.setting("numbers", None, Value::as_str, WANTED)?;
    let bytes = BASE64_STANDARD.decode(text);
    let bytes = bytes.map_err(|_| wrong("is a text that is no Base64"))?;
    let (numbers, []) = bytes.as_chunks() else {
        return Err(wrong("has bytes that are no multiple of four"));
    };
    let numbers = numbers.iter().map(|bytes| i32::from_le_bytes(*bytes));
    Ok(numbers.collect())
}
