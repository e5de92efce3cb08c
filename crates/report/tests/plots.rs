//! Scales, thinning and labels of plots, read back from the drawings.

use mendel_report::plot::{Axis, Drawing, HeatMap, HeatRow, LineChart, Reference, Series, spark};
use roxmltree::{Document, Node};

/// What `read` makes of each element of a drawing that has this name.
fn elements<T>(drawing: &Drawing, name: &str, read: impl Fn(Node) -> Option<T>) -> Vec<T> {
    let text = drawing.inline();
    let document = Document::parse(&text).expect("well-formed");
    let found = document.descendants().filter(|it| it.has_tag_name(name));
    found.filter_map(read).collect()
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

/// Stretches of one colour in a row of a heat map with this many columns: from, to, colour.
fn stretches(values: &[f64], range: Option<(f64, f64)>, columns: usize) -> Vec<[usize; 3]> {
    let row = |values: &[f64], range| HeatRow {
        values: values.to_vec(),
        range,
        ..HeatRow::default()
    };
    let map = HeatMap {
        // The second row fills all columns.
        rows: vec![row(values, range), row(&vec![1.0; columns], None)],
        ..HeatMap::default()
    };
    // Left end, height and width of each stretch, with its colour.
    let paths = elements(&map.draw(), "path", |path| {
        let colour = path.attribute("stroke")?.to_owned();
        let data = path.attribute("d")?[1..].to_owned();
        let parts = data.split('M').map(|part| {
            let (place, width) = part.split_once('h').expect("a horizontal line");
            let (x, y) = place.split_once(' ').expect("two coordinates");
            [number(x), number(y), number(width)]
        });
        Some((colour, parts.collect::<Vec<_>>()))
    });
    let (key, rows): (Vec<_>, Vec<_>) = paths.into_iter().partition(|it| it.1[0][1] < 40.0);
    let rows: Vec<(usize, [f64; 3])> = rows
        .iter()
        .flat_map(|(colour, parts)| {
            let level = key.iter().position(|it| it.0 == *colour);
            let level = level.expect("a colour of the key");
            parts.iter().map(move |part| (level, *part))
        })
        .collect();
    let all = rows.iter().max_by(|a, b| a.1[1].total_cmp(&b.1[1]));
    let [left, foot, width] = all.expect("the second row").1;
    let column = |x: f64| ((x - left) / width * columns as f64).round() as usize;
    let own = rows.iter().filter(|it| it.1[1] < foot);
    let mut own: Vec<[usize; 3]> = own
        .map(|(level, [x, _, width])| [column(*x), column(x + width), *level])
        .collect();
    own.sort_unstable();
    own
}

#[test]
fn equal_neighbours_are_one_stretch() {
    let values = [0.0, 0.0, 0.0, 9.0, 9.0];
    assert_eq!(stretches(&values, None, 5), [[0, 3, 0], [3, 5, 15]]);
}

#[test]
fn a_given_range_has_precedence_over_that_of_the_row() {
    let values = [50.0, 51.0];
    assert_eq!(stretches(&values, Some((0.0, 100.0)), 2), [[0, 2, 8]]);
    assert_eq!(stretches(&values, None, 2), [[0, 1, 0], [1, 2, 15]]);
}

#[test]
fn holes_and_short_rows_stay_empty() {
    let values = [1.0, f64::NAN, 2.0];
    assert_eq!(stretches(&values, None, 6), [[0, 1, 0], [2, 3, 15]]);
    assert_eq!(stretches(&[7.0], None, 1), [[0, 1, 8]]);
    assert!(stretches(&[], None, 4).is_empty());
}

#[test]
fn labels_do_not_lie_on_each_other() {
    let level = |value: f64| Reference {
        name: "level".to_owned(),
        pen: 0,
        value,
    };
    let chart = LineChart {
        y: Axis {
            range: Some((0.0, 200.0)),
            ..Axis::default()
        },
        references: [100.0, 101.0, 99.0, 200.0, 199.0].map(level).into(),
        ..LineChart::default()
    };
    let mut labels = elements(&chart.draw(), "text", |text| {
        let value = text.text()?.strip_prefix("level ")?;
        Some((number(text.attribute("y")?), number(value)))
    });
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(labels.len(), 5);
    for pair in labels.windows(2) {
        assert!(pair[0].1 >= pair[1].1, "{labels:?}");
        assert!(pair[1].0 - pair[0].0 >= 14.8, "{labels:?}");
    }
    assert!(labels.iter().all(|it| it.0 <= 290.0), "{labels:?}");
}

#[test]
fn thinning_keeps_peaks_and_ends() {
    let mut points: Vec<(f64, f64)> = (0..50_000).map(|i| (f64::from(i), 1.0)).collect();
    points[31_415].1 = 9.0;
    points[27_182].1 = -9.0;
    let chart = LineChart {
        series: vec![Series::line("", 0, points)],
        ..LineChart::default()
    };
    let paths = elements(&chart.draw(), "path", |path| {
        let places = path.attribute("d")?[1..].split('L').map(|place| {
            let (x, y) = place.split_once(' ').expect("two coordinates");
            (number(x), number(y))
        });
        Some(places.collect::<Vec<_>>())
    });
    let [kept] = &paths[..] else {
        panic!("one curve: {paths:?}");
    };
    assert!(kept.len() <= 604, "{}", kept.len());
    assert!(kept.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    let (first, last) = (kept[0], kept[kept.len() - 1]);
    let place = |index: f64| first.0 + (last.0 - first.0) * index / 49_999.0;
    // Higher values lie further up, where coordinates are smaller.
    let high = kept.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let low = kept.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (high, low) = (high.expect("points"), low.expect("points"));
    assert!((high.0 - place(31_415.0)).abs() < 0.15, "{high:?}");
    assert!((low.0 - place(27_182.0)).abs() < 0.15, "{low:?}");
    let (up, down) = (first.1 - high.1, low.1 - first.1);
    assert!((up / down - 0.8).abs() < 0.01, "{up} {down}");
    assert!(last.1 < low.1 && last.1 > high.1 && last.0 > 600.0);
}

/// Places and texts of the numbers on an upward axis with this range.
fn ticks(low: f64, high: f64, whole: bool) -> Vec<(f64, String)> {
    let chart = LineChart {
        y: Axis {
            range: Some((low, high)),
            whole,
            ..Axis::default()
        },
        ..LineChart::default()
    };
    elements(&chart.draw(), "text", |text| {
        let is_upward = text.attribute("text-anchor") == Some("end");
        let place = number(text.attribute("y")?);
        is_upward.then(|| (place, text.text().unwrap_or_default().to_owned()))
    })
}

fn words(low: f64, high: f64, whole: bool) -> Vec<String> {
    let ticks = ticks(low, high, whole);
    ticks.into_iter().map(|it| it.1).collect()
}

#[test]
fn ticks_are_round_numbers() {
    for (low, high, expected) in [
        (0.0, 1.0, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"][..]),
        (124.0, 161.0, &["130", "140", "150", "160"]),
        (0.0, 300.0, &["0", "100", "200", "300"]),
        (-20.0, 108.0, &["0", "50", "100"]),
        (0.0, 12_000.0, &["0", "5,000", "10,000"]),
        (0.3, 0.304, &["0.300", "0.301", "0.302", "0.303", "0.304"]),
    ] {
        assert_eq!(words(low, high, false), expected, "{low} to {high}");
    }
}

#[test]
fn whole_numbers_are_not_halved() {
    assert_eq!(words(0.0, 2.0, true), ["0", "1", "2"]);
    assert_eq!(words(0.0, 0.0, true), ["−1", "0", "1"]);
}

#[test]
fn any_range_has_a_few_ticks() {
    let mut values = vec![0.0, 1e-300, 1.0, 3.7, 1e9, 1e299, f64::INFINITY, f64::NAN];
    values.extend(values.clone().iter().map(|value| -value));
    for &low in &values {
        for &high in &values {
            let ticks = ticks(low, high, false);
            let is_few = (1..=21).contains(&ticks.len());
            assert!(is_few, "{low} to {high}: {ticks:?}");
            // Inside the frame; a place that is not finite would be drawn at 0.
            let is_inside = ticks.iter().all(|it| (37.0..=291.0).contains(&it.0));
            assert!(is_inside, "{low} to {high}: {ticks:?}");
        }
    }
}

#[test]
fn a_curve_of_text_fits_its_room_and_ends_where_the_values_end() {
    let falling: Vec<f64> = (0..1000).rev().map(f64::from).collect();
    let text = spark(&falling, 20);
    assert_eq!(text.chars().count(), 20);
    assert!(text.starts_with('█') && text.ends_with('▁'), "{text}");
    assert_eq!(spark(&[], 20), "");
    assert_eq!(spark(&[3.0, 3.0], 20), "▁▁");
    assert_eq!(spark(&[f64::NAN, 1.0, f64::INFINITY, 2.0], 20), "▁█");
    assert_eq!(spark(&[1.0, 2.0], 0), "");
}
