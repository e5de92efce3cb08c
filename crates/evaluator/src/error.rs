//! Why something is not an evaluator.

/// Why an `[evaluator]` table, or a list of weights, is not an evaluator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluatorError {
    #[error("[evaluator] has no `kind`; write kind = {kinds}")]
    NoKind { kinds: String },
    #[error("there is no evaluator of kind `{kind}`; there are {kinds}")]
    UnknownKind { kind: String, kinds: String },
    #[error("an evaluator of kind `{kind}` knows no `{key}`; remove it")]
    UnknownKey { kind: &'static str, key: String },
    /// `found` is the end of a sentence.
    #[error("`{key}` in [evaluator] of kind `{kind}` {found}; write {wanted}")]
    Setting {
        kind: &'static str,
        key: &'static str,
        found: String,
        wanted: String,
    },
    #[error("an evaluator of kind `{kind}` needs the table [evaluator.weights]")]
    NoWeights { kind: &'static str },
    #[error("an evaluator of kind `{kind}` has {needed} weights, not {found}")]
    WrongCount {
        kind: &'static str,
        needed: usize,
        found: usize,
    },
    #[error("[evaluator.weights] knows no group `{group}`; did you mean `{nearest}`?")]
    UnknownGroup {
        group: String,
        nearest: &'static str,
    },
    #[error(
        "[evaluator.weights] lacks the group `{group}`; add {length} pairs [middle game, end game]"
    )]
    MissingGroup { group: &'static str, length: usize },
    #[error(
        "`{group}` in [evaluator.weights] needs {length} pairs [middle game, end game]; found {found}"
    )]
    WrongLength {
        group: &'static str,
        length: usize,
        found: usize,
    },
    #[error(
        "`{group}` in [evaluator.weights] is a list of pairs of whole numbers [middle game, end game]; found {found}"
    )]
    NotPairs { group: &'static str, found: String },
    /// `index` counts the pairs of the group from 0.
    #[error(
        "`{group}` in [evaluator.weights] holds {found} at index {index}; keep it within ±{limit}"
    )]
    OutOfRange {
        group: &'static str,
        index: usize,
        found: i64,
        limit: i32,
    },
    #[error("[evaluator.weights] of kind `{kind}` knows no `{key}`; did you mean `{nearest}`?")]
    UnknownWeight {
        kind: &'static str,
        key: String,
        nearest: &'static str,
    },
    /// `form` is how such a weight is written.
    #[error("[evaluator.weights] of kind `{kind}` lacks `{key}`; add {key} = {form}")]
    MissingWeight {
        kind: &'static str,
        key: &'static str,
        form: &'static str,
    },
    #[error("`{key}` in [evaluator.weights] is {found}; write {key} = {form} in whole numbers")]
    NoWeight {
        key: &'static str,
        found: String,
        form: &'static str,
    },
    #[error("`{key}` in [evaluator.weights] holds {found}; keep it within ±{limit}")]
    WeightOutOfRange {
        key: &'static str,
        found: i64,
        limit: i32,
    },
    #[error(
        "`network` in [evaluator] is no network of this version: {bytes} bytes in Base64; remove it, and the weight `network`, or breed a new one"
    )]
    Network { bytes: usize },
    #[error("number {index} (from 0) of kind `{kind}` is {found}; keep it within ±{limit}")]
    NumberOutOfRange {
        kind: &'static str,
        index: usize,
        found: i32,
        limit: i32,
    },
    #[error("the numbers of an evaluator of kind `graph` do not fit: {reason}")]
    Graph { reason: String },
    #[error("[evaluator]: {reason}")]
    NetworkFile { reason: String },
    #[error("an evaluator of kind `{kind}` has no weights that could be changed")]
    Fixed { kind: &'static str },
}
