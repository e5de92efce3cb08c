//! Pages as HTML.

use std::fmt::Write as _;

use crate::plot::{Drawing, STYLE, escape};

/// A part of a page. All text is plain; the page escapes it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PageBlock {
    /// A heading, with a link in the contents.
    Heading(String),
    Text(String),
    /// The result in large letters, with a line of explanation below it.
    Verdict {
        tone: Tone,
        large: String,
        small: String,
    },
    /// Names and values.
    Facts(Vec<(String, String)>),
    Table(HtmlTable),
    Figure {
        drawing: Drawing,
        caption: String,
    },
    /// Texts in a marked box.
    Warnings(Vec<String>),
    List(Vec<String>),
    /// Texts and the files in the folder of the page that they link to.
    Links(Vec<(String, String)>),
    /// A command or a file, verbatim.
    Code(String),
    /// Blocks that are folded until a reader opens them.
    Details {
        summary: String,
        blocks: Vec<PageBlock>,
    },
}

/// Whether a result is good; the text of the verdict says it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
    Plain,
}

/// A table; columns of numbers are right-aligned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlTable {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// A self-contained page: no external resources, no scripts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtmlPage {
    pub title: String,
    pub subtitle: String,
    pub blocks: Vec<PageBlock>,
    pub foot: String,
}

const PAGE_STYLE: &str = "\
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}
main{max-width:820px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:30px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:21px;margin:44px 0 10px;padding-top:14px;border-top:1px solid var(--grid)}
p{margin:10px 0}
.sub{color:var(--soft);margin:0 0 20px}
nav{font-size:14px;color:var(--soft);margin:14px 0 0}
a{color:var(--p0)}
.verdict{margin:20px 0;padding:18px 22px;border-radius:8px;background:var(--panel);border-left:6px solid var(--p2)}
.verdict.good{border-left-color:var(--p3)}.verdict.bad{border-left-color:var(--p1)}
.verdict b{display:block;font-size:28px;line-height:1.2;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.verdict span{color:var(--soft)}
.warn{margin:14px 0;padding:10px 18px;border-left:6px solid var(--p1);background:var(--panel);border-radius:8px}
.warn p{margin:6px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;margin:12px 0}
th,td{padding:4px 18px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}
th{color:var(--soft);font-weight:600}
.n{text-align:right;white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:12px 0;font-size:15px}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
figure{margin:24px 0}
figure svg{display:block;width:100%;min-width:560px;height:auto}
figcaption{color:var(--soft);font-size:14px;margin-top:8px}
pre{background:var(--panel);padding:12px 16px;border-radius:8px;overflow-x:auto;font-size:13px;line-height:1.45}
details{margin:14px 0}summary{cursor:pointer;color:var(--p0)}
footer{margin-top:48px;padding-top:12px;border-top:1px solid var(--grid);color:var(--soft);font-size:13px}
@media print{main{max-width:none}h2{break-after:avoid}figure,table{break-inside:avoid}}
";

impl HtmlPage {
    /// A page without blocks.
    pub fn new(
        title: impl Into<String>,
        subtitle: impl Into<String>,
        foot: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            subtitle: subtitle.into(),
            blocks: Vec::new(),
            foot: foot.into(),
        }
    }

    /// Appends a heading and its blocks; nothing if there are no blocks.
    pub fn section(&mut self, heading: &str, blocks: impl IntoIterator<Item = PageBlock>) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_some() {
            self.blocks.push(PageBlock::Heading(heading.to_owned()));
            self.blocks.extend(blocks);
        }
    }

    /// The page as HTML, which is also well-formed XML.
    pub fn render(&self) -> String {
        let title = escape(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n"
        );
        add(&mut out, "p class=\"sub\"", &self.subtitle);
        let mut headings = 0;
        for block in &self.blocks {
            block.render(&mut out, &mut headings);
            if matches!(block, PageBlock::Verdict { .. }) {
                self.render_contents(&mut out);
            }
        }
        add(&mut out, "footer", &self.foot);
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    /// Links to the headings, if there are more than two.
    fn render_contents(&self, out: &mut String) {
        let headings = self.blocks.iter().filter_map(|block| match block {
            PageBlock::Heading(text) => Some(escape(text)),
            _ => None,
        });
        let links = (1..).zip(headings);
        let links = links.map(|(number, text)| format!("<a href=\"#s{number}\">{text}</a>"));
        let links: Vec<String> = links.collect();
        if links.len() > 2 {
            put(out, format_args!("<nav>{}</nav>\n", links.join(" · ")));
        }
    }
}

/// An element with a text, left out if the text is empty.
fn add(out: &mut String, element: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let name = element.split(' ').next().unwrap_or(element);
    put(out, format_args!("<{element}>{}</{name}>\n", escape(text)));
}

/// An element around others.
fn around(out: &mut String, element: &str, inner: impl FnOnce(&mut String)) {
    let name = element.split(' ').next().unwrap_or(element);
    put(out, format_args!("<{element}>\n"));
    inner(out);
    put(out, format_args!("</{name}>\n"));
}

fn put(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments)
        .expect("writing to a string does not fail");
}

impl PageBlock {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn verdict(tone: Tone, large: impl Into<String>, small: impl Into<String>) -> Self {
        Self::Verdict {
            tone,
            large: large.into(),
            small: small.into(),
        }
    }

    pub fn facts<T: Into<String>>(facts: impl IntoIterator<Item = (T, String)>) -> Self {
        let facts = facts.into_iter().map(|(name, value)| (name.into(), value));
        Self::Facts(facts.collect())
    }

    pub fn figure(drawing: Drawing, caption: impl Into<String>) -> Self {
        Self::Figure {
            drawing,
            caption: caption.into(),
        }
    }

    pub fn details(summary: impl Into<String>, block: PageBlock) -> Self {
        Self::Details {
            summary: summary.into(),
            blocks: vec![block],
        }
    }

    fn render(&self, out: &mut String, headings: &mut u32) {
        match self {
            Self::Warnings(texts) | Self::List(texts) if texts.is_empty() => {}
            Self::Links(links) if links.is_empty() => {}
            Self::Heading(text) => {
                *headings += 1;
                add(out, &format!("h2 id=\"s{headings}\""), text);
            }
            Self::Text(text) => add(out, "p", text),
            Self::Verdict { tone, large, small } => {
                let class = match tone {
                    Tone::Good => "verdict good",
                    Tone::Bad => "verdict bad",
                    Tone::Plain => "verdict",
                };
                put(out, format_args!("<div class=\"{class}\">"));
                add(out, "b", large);
                add(out, "span", small);
                out.push_str("</div>\n");
            }
            Self::Facts(facts) => around(out, "dl", |out| {
                for (name, value) in facts {
                    let (name, value) = (escape(name), escape(value));
                    put(out, format_args!("<dt>{name}</dt><dd>{value}</dd>\n"));
                }
            }),
            Self::Table(table) => table.render(out),
            Self::Figure { drawing, caption } => {
                out.push_str("<figure><div class=\"scroll\">");
                out.push_str(&drawing.inline());
                out.push_str("</div>\n");
                add(out, "figcaption", caption);
                out.push_str("</figure>\n");
            }
            Self::Warnings(texts) => around(out, "div class=\"warn\"", |out| {
                for text in texts {
                    add(out, "p", &format!("⚠ {text}"));
                }
            }),
            Self::List(texts) => around(out, "ul", |out| {
                for text in texts {
                    add(out, "li", text);
                }
            }),
            Self::Links(links) => around(out, "ul", |out| {
                for (text, to) in links {
                    let (text, to) = (escape(text), escape(to));
                    put(out, format_args!("<li><a href=\"{to}\">{text}</a></li>\n"));
                }
            }),
            Self::Code(text) => {
                let text = escape(text);
                put(out, format_args!("<pre><code>{text}</code></pre>\n"));
            }
            Self::Details { summary, blocks } => around(out, "details", |out| {
                add(out, "summary", summary);
                for block in blocks {
                    block.render(out, headings);
                }
            }),
        }
    }
}

impl HtmlTable {
    /// A table without rows.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self {
            head: head.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// A table with these columns, such as `player|games|Elo`.
    pub fn named(head: &str) -> Self {
        Self::new(head.split('|'))
    }

    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn render(&self, out: &mut String) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let numeric: Vec<bool> = (0..columns.max(self.head.len()))
            .map(|column| self.is_numeric(column))
            .collect();
        let line = |cells: &[String], cell: &str| {
            let mut text = String::from("<tr>");
            for (column, is_numeric) in numeric.iter().enumerate() {
                let value = escape(cells.get(column).map_or("", String::as_str));
                let class = if *is_numeric { " class=\"n\"" } else { "" };
                put(&mut text, format_args!("<{cell}{class}>{value}</{cell}>"));
            }
            text + "</tr>\n"
        };
        out.push_str("<div class=\"scroll\"><table>\n<thead>\n");
        out.push_str(&line(&self.head, "th"));
        out.push_str("</thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str(&line(row, "td"));
        }
        out.push_str("</tbody>\n</table></div>\n");
    }

    fn is_numeric(&self, column: usize) -> bool {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let is_written = |cell: &&String| !cell.is_empty() && *cell != "–";
        let mut written = cells.filter(is_written).peekable();
        let is_sign = |c: char| c.is_ascii_digit() || " ,.+-−±%[]e×→".contains(c);
        let is_number = |cell: &String| {
            cell.contains(|c: char| c.is_ascii_digit()) && cell.chars().all(is_sign)
        };
        written.peek().is_some() && written.all(is_number)
    }
}
