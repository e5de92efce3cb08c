//! Drawings as SVG text, and the parts of axes that plots share.

use std::fmt::Write as _;

use super::scale::PlotScale;

/// The style sheet of all drawings. A page has it once, a [standalone](Drawing::standalone)
/// drawing contains it.
pub const STYLE: &str = "\
:root{--paper:#fdfdfc;--ink:#1b1f24;--soft:#57606a;--grid:#e2e5e9;--panel:#f4f5f6;
--p0:#0b5cad;--p1:#b4500f;--p2:#6b7280;--p3:#15755a;--p4:#8244a0;--p5:#a3203f}
@media (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e7eaed;--soft:#9da7b3;--grid:#2d343b;--panel:#1d2125;
--p0:#74b3ff;--p1:#ffa05c;--p2:#a8b1bd;--p3:#52d0a3;--p4:#d6a2f2;--p5:#ff8fa6}}
.plot{font:12px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;background:var(--paper)}
.plot text{fill:var(--ink);font-variant-numeric:tabular-nums}
.plot .title{font-size:15px;font-weight:600}
.plot .label,.plot .tick,.plot .note{fill:var(--soft)}
.plot .small{font-size:10px}
.plot .strong{font-weight:600}
.plot .grid{stroke:var(--grid)}
.plot .axis{stroke:var(--soft)}
.plot .frame{fill:none;stroke:var(--grid)}
.plot .halo{stroke:var(--paper);stroke-width:3px;paint-order:stroke;stroke-linejoin:round}
.plot .line{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
.plot .band{stroke:none;opacity:.16}
.plot .bar{stroke:none;opacity:.85}
.plot .area{stroke:var(--paper);stroke-width:.8;opacity:.75}
.plot .dashed{stroke-dasharray:5 3}
.plot .box{fill:var(--panel);stroke:var(--soft)}
.plot .chosen{stroke:var(--p0);stroke-width:2}
.plot .arc{fill:none;stroke:var(--soft);opacity:.55}
.plot .main{stroke:var(--p0);stroke-width:2;opacity:1}
.plot .l0{stroke:var(--p0);stroke-width:2.6}.plot .l1{stroke:var(--p1)}.plot .l2{stroke:var(--p2);stroke-dasharray:1 3}
.plot .l3{stroke:var(--p3);stroke-dasharray:7 4}.plot .l4{stroke:var(--p4);stroke-dasharray:10 3 2 3}.plot .l5{stroke:var(--p5);stroke-dasharray:3 3}
.plot .f0{fill:var(--p0)}.plot .f1{fill:var(--p1)}.plot .f2{fill:var(--p2)}.plot .f3{fill:var(--p3)}.plot .f4{fill:var(--p4)}.plot .f5{fill:var(--p5)}
.plot text.f0{fill:var(--p0)}.plot text.f1{fill:var(--p1)}.plot text.f2{fill:var(--p2)}.plot text.f3{fill:var(--p3)}.plot text.f4{fill:var(--p4)}.plot text.f5{fill:var(--p5)}
";

/// Number of pens; larger numbers start again with the first.
pub(super) const PENS: u8 = 6;

/// Margins of plots with two axes, for title and numbers.
pub(super) const TOP: f64 = 34.0;
pub(super) const BOTTOM: f64 = 44.0;
pub(super) const LEFT: f64 = 64.0;

/// Width of every drawing, in pixels.
pub(super) const WIDTH: f64 = 760.0;

/// Approximate width in pixels of a text in the default size; no font is measured.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.7
}

/// Approximate width of bold text.
pub(super) fn bold_width(text: &str) -> f64 {
    text.chars().count() as f64 * 7.5
}

/// Approximate width of small text.
pub(super) fn small_width(text: &str) -> f64 {
    text.chars().count() as f64 * 5.7
}

/// The width of the widest text, at most `most`.
pub(super) fn widest<'a>(
    texts: impl IntoIterator<Item = &'a String>,
    width: fn(&str) -> f64,
    most: f64,
) -> f64 {
    let widths = texts.into_iter().map(|text| width(text));
    widths.fold(0.0, f64::max).min(most)
}

/// A text of at most `most` characters; an ellipsis stands for what is left out.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Escapes text for XML and HTML, also between double quotes. Characters that XML does not allow
/// become a replacement character.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

/// A coordinate, rounded to tenths of a pixel.
pub(super) fn px(value: f64) -> String {
    let value = if value.is_finite() {
        value.clamp(-1e6, 1e6)
    } else {
        0.0
    };
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// A finished drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    open: String,
    body: String,
}

impl Drawing {
    /// For a page that contains [`STYLE`].
    pub fn inline(&self) -> String {
        format!("{}{}</svg>", self.open, self.body)
    }

    /// For a file of its own.
    pub fn standalone(&self) -> String {
        format!("{}<style>{STYLE}</style>{}</svg>\n", self.open, self.body)
    }
}

/// `text-anchor` of SVG.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextAnchor {
    Start,
    Middle,
    End,
}

/// A drawing in progress.
#[derive(Debug)]
pub(super) struct Canvas {
    width: f64,
    height: f64,
    name: String,
    body: String,
}

impl Canvas {
    /// An empty drawing with its title; `name` is also the text for screen readers.
    pub(super) fn new(width: f64, height: f64, name: &str) -> Self {
        let mut canvas = Self {
            width,
            height,
            name: name.to_owned(),
            body: String::new(),
        };
        if !name.is_empty() {
            canvas.text(
                (0.0, 15.0),
                TextAnchor::Start,
                "title",
                &shortened(name, 95),
            );
        }
        canvas
    }

    pub(super) fn finish(self) -> Drawing {
        let (width, height) = (px(self.width), px(self.height));
        let name = escape(&self.name);
        Drawing {
            open: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" aria-label=\"{name}\" \
                 width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
            ),
            body: self.body,
        }
    }

    fn add(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.body
            .write_fmt(arguments)
            .expect("writing to a string does not fail");
        self.body.push('\n');
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
        self.add(format_args!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    pub(super) fn rect(&mut self, corner: (f64, f64), size: (f64, f64), class: &str) {
        let (x, y, w, h) = (px(corner.0), px(corner.1), px(size.0), px(size.1));
        self.add(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>"
        ));
    }

    pub(super) fn circle(&mut self, at: (f64, f64), radius: f64, class: &str) {
        let (x, y, r) = (px(at.0), px(at.1), px(radius));
        self.add(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"
        ));
    }

    /// A point with an explicit colour.
    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64, colour: &str) {
        let (x, y, r) = (px(at.0), px(at.1), px(radius));
        self.add(format_args!(
            "<circle fill=\"{colour}\" opacity=\"0.85\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"
        ));
    }

    /// A rectangle with an explicit colour.
    pub(super) fn fill(&mut self, corner: (f64, f64), size: (f64, f64), colour: &str) {
        let (x, y, w, h) = (px(corner.0), px(corner.1), px(size.0), px(size.1));
        self.add(format_args!(
            "<rect fill=\"{colour}\" shape-rendering=\"crispEdges\" x=\"{x}\" y=\"{y}\" \
             width=\"{w}\" height=\"{h}\"/>"
        ));
    }

    /// Lines with an explicit width and opacity.
    pub(super) fn wire(&mut self, data: &str, class: &str, width: f64, opacity: f64) {
        self.add(format_args!(
            "<path class=\"line {class}\" style=\"stroke-width:{width};opacity:{opacity}\" d=\"{data}\"/>"
        ));
    }

    /// Opens frame `index` of an animation of `count` frames. The frame is visible for its time
    /// and, if it `lingers`, faint for the same time again. A viewer without animation shows the
    /// last frame.
    pub(super) fn open_frame(&mut self, index: usize, count: usize, lingers: bool) {
        // The last frame lasts three times as long as the others.
        let all = count as f64 + 2.0;
        let mut steps = vec![(index as f64, "1")];
        if index > 0 {
            steps.insert(0, (0.0, "0"));
        }
        if index + 1 < count {
            let rest = if lingers { "0.25" } else { "0" };
            steps.push((index as f64 + 1.0, rest));
        }
        if lingers && index + 2 < count {
            steps.push((index as f64 + 2.0, "0"));
        }
        let values: Vec<&str> = steps.iter().map(|step| step.1).collect();
        let times = steps.iter().map(|step| format!("{:.4}", step.0 / all));
        let (values, times) = (values.join(";"), times.collect::<Vec<_>>().join(";"));
        let seconds = px(all * 0.35);
        let rest = u8::from(index + 1 == count);
        self.add(format_args!(
            "<g opacity=\"{rest}\"><animate attributeName=\"opacity\" calcMode=\"discrete\" \
             dur=\"{seconds}s\" repeatCount=\"indefinite\" values=\"{values}\" keyTimes=\"{times}\"/>"
        ));
    }

    /// `data` is path data of SVG; it is not escaped.
    pub(super) fn path(&mut self, data: &str, class: &str) {
        self.add(format_args!("<path class=\"{class}\" d=\"{data}\"/>"));
    }

    /// A path with an explicit colour and width.
    pub(super) fn stroke(&mut self, data: &str, colour: &str, width: f64) {
        let width = px(width);
        self.add(format_args!(
            "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             shape-rendering=\"crispEdges\" d=\"{data}\"/>"
        ));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: TextAnchor, class: &str, text: &str) {
        let (x, y, text) = (px(at.0), px(at.1), escape(text));
        let anchor = match anchor {
            TextAnchor::Start => "",
            TextAnchor::Middle => " text-anchor=\"middle\"",
            TextAnchor::End => " text-anchor=\"end\"",
        };
        self.add(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>"
        ));
    }

    /// The label of the horizontal axis, centred at the foot of the drawing.
    pub(super) fn x_label(&mut self, (x0, x1): (f64, f64), label: &str, most: usize) {
        let at = (f64::midpoint(x0, x1), self.height - 8.0);
        self.text(at, TextAnchor::Middle, "label", &shortened(label, most));
    }

    /// Ticks of the horizontal axis: lines between two heights, numbers below `foot`.
    pub(super) fn x_ticks(
        &mut self,
        x: PlotScale,
        ticks: impl IntoIterator<Item = (f64, String)>,
        (from, to): (f64, f64),
        class: &str,
        foot: f64,
    ) {
        for (value, text) in ticks {
            let at = x.place(value);
            self.line((at, from), (at, to), class);
            self.text((at, foot + 18.0), TextAnchor::Middle, "tick", &text);
        }
    }

    /// Grid lines and numbers of the vertical axis.
    pub(super) fn y_ticks(
        &mut self,
        y: PlotScale,
        ticks: impl IntoIterator<Item = (f64, String)>,
        (x0, x1): (f64, f64),
    ) {
        for (value, text) in ticks {
            let at = y.place(value);
            self.line((x0, at), (x1, at), "grid");
            self.text((x0 - 8.0, at + 4.0), TextAnchor::End, "tick", &text);
        }
    }

    /// The label of the vertical axis; it reads upwards.
    pub(super) fn y_label(&mut self, (y0, y1): (f64, f64), label: &str, most: usize) {
        let (x, y) = (px(14.0), px(f64::midpoint(y0, y1)));
        let text = escape(&shortened(label, most));
        self.add(format_args!(
            "<text class=\"label\" text-anchor=\"middle\" transform=\"translate({x} {y}) rotate(-90)\">{text}</text>"
        ));
    }

    /// Opens a window with the coordinates of the drawing; what lies outside is not visible. A
    /// nested drawing, unlike a clip path, needs no id that must be unique on the page.
    pub(super) fn open_window(&mut self, corner: (f64, f64), size: (f64, f64)) {
        let (x, y, w, h) = (px(corner.0), px(corner.1), px(size.0), px(size.1));
        self.add(format_args!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\">"
        ));
    }

    pub(super) fn close_window(&mut self) {
        self.add(format_args!("</svg>"));
    }

    /// Opens a group with a tooltip.
    pub(super) fn open_group(&mut self, hint: &str) {
        let hint = escape(hint);
        self.add(format_args!("<g><title>{hint}</title>"));
    }

    pub(super) fn close_group(&mut self) {
        self.add(format_args!("</g>"));
    }
}

/// Appends a point to the data of a path.
pub(super) fn path_to(data: &mut String, command: char, at: (f64, f64)) {
    data.push(command);
    data.push_str(&px(at.0));
    data.push(' ');
    data.push_str(&px(at.1));
}

/// The data of a closed path through these points.
pub(super) fn outline(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut data = String::new();
    for (index, point) in points.into_iter().enumerate() {
        path_to(&mut data, if index == 0 { 'M' } else { 'L' }, point);
    }
    data.push('Z');
    data
}
