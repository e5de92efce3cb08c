//! The guide that `mendel` without a command prints on a terminal.

use std::io::Write;

use crate::output;

const GUIDE: &str = "\
Mendel breeds chess engines, and plays with what was bred.

  mendel play               a game in the terminal
  mendel eval startpos      the terms of the evaluation, as a table
  mendel breed first-steps  an evaluation bred from random genes, and proved
  mendel runs               what was bred; report, resume, pedigree say more
  mendel match A B          who is better, and how sure that is
  mendel bench              how fast it thinks, and that it thinks what it should
  mendel perft 5            count the positions five plies ahead
  mendel players            who can play
  mendel uci                speak UCI, or xboard if greeted so

In a chess GUI, add this program as a UCI engine; no arguments are needed.
`mendel help COMMAND` says more about each.
";

pub(super) fn run() -> anyhow::Result<()> {
    output::stdout().write_all(GUIDE.as_bytes())?;
    Ok(())
}
