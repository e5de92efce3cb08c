//! Values as text.

use crate::plot::{decimal, number};

/// A value as text, or a dash.
pub(crate) fn or_dash<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), write)
}

/// The direction of a metric.
pub(crate) fn better(smaller_is_better: bool) -> &'static str {
    if smaller_is_better {
        "smaller is better"
    } else {
        "larger is better"
    }
}

/// A number with its sign, as differences and Elo are written.
pub(crate) fn signed(value: f64) -> String {
    with_plus(value, number)
}

/// A measured difference.
pub(crate) fn signed_decimal(value: f64) -> String {
    with_plus(value, decimal)
}

fn with_plus(value: f64, write: fn(f64) -> String) -> String {
    let plus = if value > 0.0 { "+" } else { "" };
    format!("{plus}{}", write(value))
}

/// An Elo difference with one decimal; more are never significant.
pub(crate) fn elo(value: f64) -> String {
    // Not −0.0, and a true minus sign as everywhere.
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    format!("{tenths:+.1}").replace('-', "−")
}

/// An Elo difference; infinite if one side took all points.
pub(crate) fn elo_of(value: Option<f64>, wins: u64, losses: u64) -> String {
    let infinite = if wins > losses { "+∞" } else { "−∞" };
    value.map_or_else(|| infinite.to_owned(), elo)
}

/// The interval of an Elo difference; an end may be open.
pub(crate) fn elo_interval([low, high]: [Option<f64>; 2]) -> String {
    let low = low.map_or_else(|| "−∞".to_owned(), elo);
    let high = high.map_or_else(|| "+∞".to_owned(), elo);
    format!("[{low}, {high}]")
}

/// An interval with both ends.
pub(crate) fn interval_text([low, high]: [f64; 2], write: impl Fn(f64) -> String) -> String {
    format!("[{}, {}]", write(low), write(high))
}

/// A generation counted from 1; records count from 0.
pub(crate) fn from_one(generation: u32) -> u32 {
    generation.saturating_add(1)
}

/// `1 game`, `2 games`.
pub(crate) fn counted(count: u64, one: &str) -> String {
    let number = number(count as f64);
    let end = if count == 1 { "" } else { "s" };
    format!("{number} {one}{end}")
}

/// A time with its unit.
pub(crate) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        _ if seconds < 120.0 => (seconds, "s"),
        _ if seconds < 7200.0 => (seconds / 60.0, "min"),
        _ => (seconds / 3600.0, "h"),
    };
    format!("{} {unit}", number(value))
}

/// A p-value; below a thousandth the exact value has no meaning.
pub fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}
