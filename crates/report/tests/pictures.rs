//! Drawings and pages: whole, the same every time, and safe with any text.

use mendel_report::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use mendel_report::plot::{
    Arc, AreaLayer, Axis, BoardHeatMaps, DiagramEdge, DiagramLayer, Drawing, HeatBoard, HeatMap,
    HeatMark, HeatRow, Histograms, IntervalPlot, IntervalRow, Layer, LayeredGraph, LineChart,
    NetworkDiagram, Panel, PlotNode, Reference, Scatter, ScatterSeries, Series, StackedArea,
    escape,
};
use proptest::prelude::*;
use roxmltree::{Document, ParsingOptions};

const HOSTILE: &str = "</svg></style><script>alert(1)</script>\"'&amp;\u{0}\u{1b}]]>-->";

fn reference(name: String, value: f64) -> Reference {
    Reference {
        name,
        pen: 3,
        value,
    }
}

fn marks(values: &[f64]) -> Vec<HeatMark> {
    let mark = |v: &f64| HeatMark {
        x: *v,
        row: *v,
        cross: *v > 0.0,
    };
    values.iter().map(mark).collect()
}

/// One of each kind, with this text wherever a text goes and these values
/// wherever a value goes.
fn one_of_each(text: &str, values: &[f64]) -> Vec<Drawing> {
    let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let text = || text.to_owned();
    let points: Vec<(f64, f64)> = values.iter().map(|v| (*v, *v)).collect();
    let line = LineChart {
        title: text(),
        x: Axis::new(text()),
        y: Axis::new(text()),
        series: vec![
            Series::line(text(), 0, points),
            Series {
                name: text(),
                pen: 9,
                points: values.iter().map(|v| (1.0, *v)).collect(),
                band: values.iter().map(|v| (*v, *v, at(0))).collect(),
            },
        ],
        references: vec![reference(text(), at(1))],
        beyond: values.iter().map(|v| (*v, *v > 0.0)).collect(),
        height: 0,
    };
    let histograms = Histograms {
        title: text(),
        x: Axis::whole(text()),
        panels: values
            .iter()
            .map(|v| Panel {
                name: text(),
                low: *v,
                high: at(0),
                counts: values.iter().map(|v| *v as u32).collect(),
            })
            .collect(),
        reference: Some((at(2), text())),
    };
    let heat = HeatMap {
        title: text(),
        x: Axis::whole(text()),
        first: 0.0,
        apart: 1.0,
        rows: vec![
            HeatRow {
                name: text(),
                values: values.to_vec(),
                range: Some((at(0), at(1))),
                words: text(),
            },
            HeatRow::default(),
        ],
        key: (text(), text()),
        head: text(),
        marks: marks(values),
    };
    let points = IntervalPlot {
        title: text(),
        x: Axis::new(text()),
        rows: values
            .iter()
            .map(|v| IntervalRow {
                name: text(),
                value: *v,
                interval: Some((at(0), at(1))),
                marks: values.to_vec(),
                words: text(),
                chosen: *v > 0.0,
            })
            .collect(),
        reference: Some((at(0), text())),
    };
    let layers = values.iter().map(|v| Layer {
        name: text(),
        note: text(),
        nodes: (0..(*v as usize).min(5))
            .map(|_| PlotNode {
                label: text(),
                hint: text(),
                chosen: true,
            })
            .collect(),
    });
    let graph = LayeredGraph {
        title: text(),
        layers: layers.collect(),
        arcs: (0..4)
            .map(|i| Arc {
                from: (i, 0),
                to: (i + 1, i),
                chosen: i % 2 == 0,
            })
            .collect(),
    };
    let mut all = vec![
        line.draw(),
        histograms.draw(),
        heat.draw(),
        points.draw(),
        graph.draw(),
    ];
    all.extend(of_populations(&text(), values));
    all
}

/// What is drawn of whole populations and of networks.
fn of_populations(text: &str, values: &[f64]) -> Vec<Drawing> {
    let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let text = || text.to_owned();
    let cloud = |v: &f64| ScatterSeries {
        name: text(),
        points: values.iter().map(|other| (*v, *other)).collect(),
    };
    let scatter = Scatter {
        title: text(),
        x: Axis::new(text()),
        y: Axis::new(text()),
        clouds: values.iter().map(cloud).collect(),
    };
    let area = StackedArea {
        title: text(),
        x: Axis::whole(text()),
        y: Axis::whole(text()),
        places: values.to_vec(),
        layers: (0..3)
            .map(|skip| AreaLayer {
                name: text(),
                values: values.iter().skip(skip).copied().collect(),
            })
            .collect(),
        marks: vec![(at(0), text())],
    };
    let board = |v: &f64| HeatBoard {
        name: text(),
        words: text(),
        middle: *v,
        reach: Some(at(1)),
        values: values.to_vec(),
    };
    let boards = BoardHeatMaps {
        title: text(),
        columns: values.len(),
        boards: values.iter().map(board).collect(),
        key: [text(), text(), text()],
    };
    let layer = |v: &f64| DiagramLayer {
        name: text(),
        words: text(),
        nodes: vec![text(); (*v as usize).min(5)],
    };
    let wire = |(place, v): (usize, &f64)| DiagramEdge {
        from: (place, 0),
        to: (place + 1, 1),
        weight: *v,
    };
    let wiring = NetworkDiagram {
        title: text(),
        layers: values.iter().map(layer).collect(),
        wires: values.iter().enumerate().map(wire).collect(),
    };
    vec![
        scatter.draw(),
        scatter.animate(),
        area.draw(),
        boards.draw(),
        wiring.draw(),
    ]
}

/// Everything a page can show.
fn page_with(text: &str, values: &[f64]) -> HtmlPage {
    let texts = || vec![text.to_owned(); 2];
    let mut table = HtmlTable::new(texts());
    table.row(texts());
    table.row([text, "more", "cells", "than", "heads"]);
    let mut blocks = vec![
        PageBlock::Verdict {
            tone: Tone::Good,
            large: text.to_owned(),
            small: text.to_owned(),
        },
        PageBlock::Heading(text.to_owned()),
        PageBlock::Heading(text.to_owned()),
        PageBlock::Heading(text.to_owned()),
        PageBlock::Text(text.to_owned()),
        PageBlock::Facts(vec![(text.to_owned(), text.to_owned())]),
        PageBlock::Warnings(texts()),
        PageBlock::List(texts()),
        PageBlock::Code(text.to_owned()),
        PageBlock::Details {
            summary: text.to_owned(),
            blocks: vec![PageBlock::Table(table)],
        },
    ];
    for drawing in one_of_each(text, values) {
        blocks.push(PageBlock::Figure {
            drawing,
            caption: text.to_owned(),
        });
    }
    HtmlPage {
        title: text.to_owned(),
        subtitle: text.to_owned(),
        blocks,
        foot: text.to_owned(),
    }
}

fn parse(text: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// All numbers that say where something is.
fn coordinates(document: &Document) -> Vec<f64> {
    let names = [
        "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height",
    ];
    document
        .descendants()
        .flat_map(|node| node.attributes().collect::<Vec<_>>())
        .filter(|attribute| names.contains(&attribute.name()))
        .map(|attribute| attribute.value().parse().expect("a number"))
        .collect()
}

#[test]
fn hostile_text_stays_text() {
    let html = page_with(HOSTILE, &[1.0, 2.0, 3.0]).render();
    let document = parse(&html);
    assert!(!document.descendants().any(|n| n.has_tag_name("script")));
    assert!(!html.contains("<script"), "{html}");
    let told = document
        .descendants()
        .filter(roxmltree::Node::is_text)
        .filter(|node| {
            node.text()
                .is_some_and(|t| t.contains("<script>alert(1)</script>"))
        })
        .count();
    assert!(told > 15, "shown {told} times");
    for drawing in one_of_each(HOSTILE, &[1.0, 2.0]) {
        parse(&drawing.standalone());
    }
}

#[test]
fn a_page_needs_no_external_resources() {
    let html = page_with("plain", &[1.0, 5.0]).render();
    for wish in [
        "src=",
        "url(",
        "@import",
        "<link",
        "<script",
        "<iframe",
        "href=\"http",
    ] {
        assert!(!html.contains(wish), "{wish}");
    }
    let outside = html.matches("http").count();
    assert_eq!(outside, html.matches("xmlns=\"http").count());
}

#[test]
fn the_same_data_give_the_same_bytes() {
    let values: Vec<f64> = (0..700).map(|i| f64::from(i * 7919 % 1009) / 3.0).collect();
    let once = page_with("name", &values).render();
    assert_eq!(once, page_with("name", &values).render());
    // Also in another build: a figure that any change of the drawing changes.
    let chart = LineChart {
        title: "t".into(),
        x: Axis::whole("x"),
        y: Axis::new("y"),
        series: vec![Series::line("a", 0, vec![(0.0, 1.0), (1.0, 0.1 + 0.2)])],
        ..LineChart::default()
    };
    let line = "d=\"M64 43.3L685.5 276.7\"";
    assert!(chart.draw().inline().contains(line), "{:?}", chart.draw());
}

#[test]
fn nothing_to_show_is_still_a_picture() {
    for values in [&[][..], &[0.0], &[f64::NAN], &[f64::INFINITY, f64::MAX]] {
        for drawing in one_of_each("", values) {
            let svg = drawing.standalone();
            assert!(coordinates(&parse(&svg)).iter().all(|c| c.is_finite()));
        }
    }
    parse(&HtmlPage::default().render());
}

#[test]
fn numbers_stand_right_and_words_left() {
    let mut table = HtmlTable::new(["term", "weight", "interval"]);
    table.row(["bishop", "−30", "[−1.5, 2]"]);
    table.row(["3rd", "–", ""]);
    let page = HtmlPage {
        blocks: vec![PageBlock::Table(table)],
        ..HtmlPage::default()
    };
    let html = page.render();
    assert!(
        html.contains("<td>bishop</td><td class=\"n\">−30</td><td class=\"n\">"),
        "{html}"
    );
}

#[test]
fn an_interval_is_drawn_around_its_value() {
    let chart = IntervalPlot {
        rows: vec![IntervalRow {
            value: 5.0,
            interval: Some((0.0, 10.0)),
            ..IntervalRow::default()
        }],
        x: Axis {
            range: Some((0.0, 10.0)),
            ..Axis::default()
        },
        ..IntervalPlot::default()
    };
    let svg = chart.draw().standalone();
    let document = parse(&svg);
    let point = document.descendants().find(|n| n.has_tag_name("circle"));
    let middle: f64 = point
        .and_then(|n| n.attribute("cx"))
        .unwrap()
        .parse()
        .unwrap();
    let bar = document
        .descendants()
        .find_map(|n| n.attribute("d"))
        .expect("an error bar");
    let from: f64 = bar[1..].split(' ').next().unwrap().parse().unwrap();
    let to: f64 = bar
        .split('H')
        .nth(1)
        .unwrap()
        .split('M')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        (f64::midpoint(from, to) - middle).abs() < 0.11,
        "{from} {middle} {to}"
    );
    assert!(to - from > 100.0);
}

proptest! {
    #[test]
    fn any_text_and_any_values_make_well_formed_pages(
        text in "\\PC{0,12}|[\\x00-\\x7f]{0,12}",
        values in proptest::collection::vec(proptest::num::f64::ANY, 0..8),
    ) {
        let html = page_with(&text, &values).render();
        prop_assert!(coordinates(&parse(&html)).iter().all(|c| c.is_finite()));
        let escaped = format!("<a b=\"{0}\">{0}</a>", escape(&text));
        parse(&escaped);
    }
}

#[test]
fn an_animation_shows_each_cloud_once_and_rests_on_the_last() {
    let scatter = |count: u32| Scatter {
        clouds: (0..count)
            .map(|index| ScatterSeries {
                name: format!("generation {index}"),
                points: vec![(f64::from(index), 1.0)],
            })
            .collect(),
        ..Scatter::default()
    };
    for (count, frames) in [(1, 1), (2, 2), (7, 7), (200, 50)] {
        // The points and the name.
        let frames = 2 * frames;
        let text = scatter(count).animate().standalone();
        let document = Document::parse(&text).expect("well-formed");
        let mut animations = Vec::new();
        for node in document
            .descendants()
            .filter(|it| it.has_tag_name("animate"))
        {
            let list = |name: &str| -> Vec<f64> {
                let text = node.attribute(name).expect(name);
                text.split(';')
                    .map(|it| it.parse().expect("a number"))
                    .collect()
            };
            let (values, times) = (list("values"), list("keyTimes"));
            assert_eq!(values.len(), times.len());
            assert!(
                times[0] == 0.0 && times.windows(2).all(|pair| pair[0] < pair[1]),
                "{times:?}"
            );
            assert_eq!(
                values.iter().filter(|it| **it > 0.9).count(),
                1,
                "{values:?}"
            );
            let group = node.parent().expect("it is in a group");
            animations.push(group.attribute("opacity").expect("set"));
        }
        assert_eq!(animations.len(), frames, "{count} clouds");
        assert_eq!(animations.iter().filter(|it| **it == "1").count(), 2);
        assert_eq!(animations[frames - 2..], ["1", "1"]);
        assert!(text.contains(&format!("generation {}<", count - 1)));
    }
}

#[test]
fn a_species_that_dies_out_and_comes_back_is_two_shapes() {
    let area = StackedArea {
        places: (0..9).map(f64::from).collect(),
        layers: vec![AreaLayer {
            name: "first".to_owned(),
            values: vec![1.0, 2.0, 0.0, 0.0, 0.0, 3.0, 1.0, f64::NAN, -1.0],
        }],
        ..StackedArea::default()
    };
    let text = area.draw().standalone();
    assert_eq!(text.matches("class=\"area f0\"").count(), 2, "{text}");
}

#[test]
fn names_of_a_network_are_not_cut_off_at_the_edge() {
    let layer = |name: &str| DiagramLayer {
        name: "inputs".to_owned(),
        words: String::new(),
        nodes: vec![name.to_owned()],
    };
    let long = "passed_pawn_enemy_king_square";
    let wiring = NetworkDiagram {
        layers: vec![layer(long), layer("tanh 1"), layer(long)],
        ..NetworkDiagram::default()
    };
    let text = wiring.draw().standalone();
    let document = Document::parse(&text).expect("well-formed");
    let width: f64 = document
        .root_element()
        .attribute("viewBox")
        .and_then(|it| it.split(' ').nth(2)?.parse().ok())
        .expect("a width");
    let mut seen = 0;
    for node in document.descendants().filter(|it| it.has_tag_name("text")) {
        if node.text() != Some(long) {
            continue;
        }
        seen += 1;
        let x: f64 = node
            .attribute("x")
            .and_then(|it| it.parse().ok())
            .expect("a place");
        // As wide as a browser draws it.
        let wide = 6.2 * long.len() as f64;
        let (left, right) = match node.attribute("text-anchor") {
            Some("end") => (x - wide, x),
            _ => (x, x + wide),
        };
        assert!(
            left >= 0.0 && right <= width,
            "{left} to {right} of {width}"
        );
    }
    assert_eq!(seen, 2, "written out on both sides");
}
