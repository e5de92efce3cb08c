//! Axes, scales and numbers as text.

/// Beyond this, differences of values would overflow.
const LARGEST: f64 = 1e300;

/// An axis of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// Both ends; `None`: those of the data.
    pub range: Option<(f64, f64)>,
    /// Whether only integers have ticks, as with generations.
    pub whole: bool,
}

impl Axis {
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            ..Self::default()
        }
    }

    /// An axis of integers.
    pub fn whole(label: impl Into<String>) -> Self {
        Self {
            whole: true,
            ..Self::new(label)
        }
    }

    /// The same axis from `low` to `high`.
    #[must_use]
    pub fn between(self, low: f64, high: f64) -> Self {
        Self {
            range: Some((low, high)),
            ..self
        }
    }

    /// The scale of this axis: its own range, or that of the values with a margin.
    pub(super) fn scale(&self, values: Option<(f64, f64)>, from: f64, to: f64) -> PlotScale {
        match self.range {
            Some(range) => PlotScale::new(Some(range), from, to),
            None => PlotScale::airy(values, from, to),
        }
    }
}

pub(super) fn is_drawable(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// The least and the largest of the drawable values.
pub(crate) fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|value| is_drawable(*value)).fold(
        None,
        |extent, value| match extent {
            None => Some((value, value)),
            Some((low, high)) => Some((low.min(value), high.max(value))),
        },
    )
}

/// A size of a part; what is not drawable or negative is 0.
pub(super) fn size_of(value: f64) -> f64 {
    if is_drawable(value) && value > 0.0 {
        value.min(1e12)
    } else {
        0.0
    }
}

/// Maps values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotScale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl PlotScale {
    /// Maps `range` to the pixels `from` to `to`, which may run backwards. A range without width
    /// is widened.
    pub(super) fn new(range: Option<(f64, f64)>, from: f64, to: f64) -> Self {
        let usable =
            |&(low, high): &(f64, f64)| is_drawable(low) && is_drawable(high) && low <= high;
        let (mut low, mut high) = range.filter(usable).unwrap_or((0.0, 1.0));
        let room = low.abs().max(high.abs()) * 1e-9;
        if high - low <= room {
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.05 };
            low -= room;
            high += room;
        }
        Self {
            low,
            high,
            from,
            to,
        }
    }

    /// With a margin at both ends, so that no line lies on the frame.
    pub(super) fn airy(range: Option<(f64, f64)>, from: f64, to: f64) -> Self {
        let plain = Self::new(range, from, to);
        let air = (plain.high - plain.low) * 0.04;
        Self {
            low: plain.low - air,
            high: plain.high + air,
            ..plain
        }
    }

    /// The pixel of a value; it may lie outside the plot.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    pub(super) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// About `wanted` round values with their text.
    pub(super) fn ticks(&self, wanted: u32, whole: bool) -> Vec<(f64, String)> {
        let raw = (self.high - self.low) / f64::from(wanted.max(1));
        let power = power_of_ten_below(raw);
        let mut step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= raw * 0.999)
            .unwrap_or(10.0 * power);
        if whole {
            step = step.max(1.0);
        }
        let first = (self.low / step).ceil();
        (0..=4 * wanted)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|value| *value <= self.high + step * 1e-6)
            .map(|value| (value, tick(value, step)))
            .collect()
    }
}

/// The largest power of ten that is not above a positive number. It is read from the decimal
/// form, because logarithms differ between machines.
fn power_of_ten_below(value: f64) -> f64 {
    let text = format!("{value:e}");
    let exponent = text.split_once('e').map_or("0", |(_, exponent)| exponent);
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// A value on an axis whose steps are `step`.
fn tick(value: f64, step: f64) -> String {
    let value = if value.abs() < step * 1e-6 {
        0.0
    } else {
        value
    };
    if value != 0.0 && (value.abs() >= 1e7 || step < 1e-4) {
        return minus(&format!("{value:.1e}"));
    }
    let decimals = (0..4)
        .find(|decimals| {
            let shifted = step * f64::from(10_u32.pow(*decimals));
            (shifted - shifted.round()).abs() < shifted * 1e-6
        })
        .unwrap_or(4);
    grouped(value, decimals as usize)
}

/// A number in a table: about four significant digits, groups of three, a true minus sign.
///
/// ```
/// use mendel_report::plot::number;
///
/// let written: Vec<String> = [1600.0, 130.76, -0.3041, 12_345.6].map(number).to_vec();
/// assert_eq!(written, ["1,600", "130.8", "−0.304", "12,346"]);
/// ```
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let is_whole = (value - value.round()).abs() < 1e-9 * value.abs().max(1.0);
    if is_whole && value.abs() < 1e12 {
        grouped(value, 0)
    } else {
        decimal(value)
    }
}

/// A measured number: 131 is written 131.0, like 156.3.
pub fn decimal(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size >= 1e12 || (size > 0.0 && size < 5e-7) {
        return minus(&format!("{value:.1e}"));
    }
    let decimals = match size {
        size if size >= 10_000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        // Three significant digits, with at most six decimals.
        size if size >= 0.1 || size == 0.0 => 3,
        size if size >= 0.01 => 4,
        size if size >= 0.001 => 5,
        _ => 6,
    };
    grouped(value, decimals)
}

/// A number with this many decimals, in groups of three.
pub(super) fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text
        .find('.')
        .map_or((text.as_str(), ""), |at| text.split_at(at));
    let is_zero = text.chars().all(|c| c == '0' || c == '.');
    let mut out = String::new();
    if value < 0.0 && !is_zero {
        out.push('−');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}
