//! Text tables for the terminal.

use std::fmt::Write as _;

/// Rows of text in columns: numbers to the right, words to the left. The first
/// row is the head.
#[derive(Debug)]
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
    rules: Vec<usize>,
}

impl TextTable {
    /// A table with these columns, such as `player | games | Elo`, and a line below their names.
    pub(crate) fn new(head: &str) -> Self {
        Self::with_head(head.split('|').map(str::trim))
    }

    pub(crate) fn with_head<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        let head = head.into_iter().map(Into::into).collect();
        Self {
            rows: vec![head],
            rules: vec![1],
        }
    }

    pub(crate) fn row<T: ToString>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells = cells.into_iter().map(|cell| cell.to_string());
        self.rows.push(cells.collect());
    }

    /// Draws a line below what is there so far.
    pub(crate) fn rule(&mut self) {
        self.rules.push(self.rows.len());
    }

    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let full = widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1);
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            if self.rules.contains(&index) {
                text.push_str(&"─".repeat(full));
                text.push('\n');
            }
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                let gap = if column == 0 { "" } else { "  " };
                let result = if self.is_numeric(column) {
                    write!(line, "{gap}{cell:>width$}")
                } else {
                    write!(line, "{gap}{cell:<width$}")
                };
                result.expect("writing to a string does not fail");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn is_numeric(&self, column: usize) -> bool {
        let cells = self.rows.iter().skip(1).filter_map(|row| row.get(column));
        let mut written = cells.filter(|cell| !cell.is_empty()).peekable();
        written.peek().is_some() && written.all(|cell| cell.parse::<f64>().is_ok())
    }
}

/// A cell of a value that may be unknown.
pub(crate) fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_numbers_right() {
        let mut table = TextTable::new("term | worth | about");
        table.row(["bishop_pair", "+7.5", "two"]);
        table.row(["score", "12", ""]);
        assert_eq!(
            table.render(),
            "\
term         worth  about
─────────────────────────
bishop_pair   +7.5  two
score           12
"
        );
    }
}
