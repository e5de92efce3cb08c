//! A curve in one line of text.

use super::scale::{PlotScale, extent, is_drawable};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A curve of at most `width` characters, the lowest value at the bottom.
///
/// ```
/// assert_eq!(mendel_report::plot::spark(&[0.0, 1.0, 2.0, 7.0], 10), "▁▂▃█");
/// ```
pub fn spark(values: &[f64], width: usize) -> String {
    let drawable = values.iter().copied().filter(|value| is_drawable(*value));
    let drawable: Vec<f64> = drawable.collect();
    let columns = drawable.len().min(width);
    let Some((low, high)) = extent(drawable.iter().copied()) else {
        return String::new();
    };
    if low >= high {
        return BLOCKS[0].to_string().repeat(columns);
    }
    let scale = PlotScale::new(Some((low, high)), 0.0, 7.0);
    (0..columns)
        .map(|column| {
            // The last value of each column's share, so that the curve ends with the last value.
            let last = ((column + 1) * drawable.len()).div_ceil(columns) - 1;
            let level = scale.place(drawable[last.min(drawable.len() - 1)]).round();
            BLOCKS[(level as usize).min(7)]
        })
        .collect()
}
