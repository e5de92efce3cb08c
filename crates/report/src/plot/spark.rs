//! A curve in one line of text.

use super::scale::{Scale, extent, is_drawable};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A curve of at most `width` characters, the lowest value at the bottom.
///
/// ```
/// assert_eq!(mendel_report::plot::spark(&[0.0, 1.0, 2.0, 7.0], 10), "▁▂▃█");
/// ```
pub fn spark(values: &[f64], width: usize) -> String {
    let drawable: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| is_drawable(*value))
        .collect();
    let columns = drawable.len().min(width);
    let Some((low, high)) = extent(drawable.iter().copied()) else {
        return String::new();
    };
    if low >= high {
        return BLOCKS[0].to_string().repeat(columns);
    }
    let scale = Scale::new(Some((low, high)), 0.0, 7.0);
    (0..columns)
        .map(|column| {
            // The last value of each column's share, so that the end is the end.
            let last = ((column + 1) * drawable.len()).div_ceil(columns) - 1;
            let level = scale.place(drawable[last.min(drawable.len() - 1)]).round();
            BLOCKS[(level as usize).min(7)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_fits_its_room_and_ends_where_the_values_end() {
        let falling: Vec<f64> = (0..1000).rev().map(f64::from).collect();
        let text = spark(&falling, 20);
        assert_eq!(text.chars().count(), 20);
        assert!(text.starts_with('█') && text.ends_with('▁'), "{text}");
        assert_eq!(spark(&[], 20), "");
        assert_eq!(spark(&[3.0, 3.0], 20), "▁▁");
        assert_eq!(spark(&[f64::NAN, 1.0, f64::INFINITY, 2.0], 20), "▁█");
        assert_eq!(spark(&[1.0, 2.0], 0), "");
    }
}
