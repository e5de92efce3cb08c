//! `mendel players`: who can play.

use std::io::{self, Write};

use clap::Args;
use mendel_engine::Player;
use serde_json::json;

use crate::table::Table;

/// List the built-in players
#[derive(Args, Debug)]
#[command(after_help = "\
Wherever a command takes `--player`, a built-in name or the path of a player file
will do. `MENDEL_PLAYER` names the player where nothing else does.

Examples:
  mendel players
  mendel players --json")]
pub(super) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists them.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if arguments.json {
        let list: Vec<_> = Player::built_in()
            .map(|player| {
                json!({
                    "name": player.name,
                    "about": player.about,
                    "evaluator": player.evaluator.kind(),
                    "profile": player.profile.name(),
                    "changed": player.search_changes().len(),
                })
            })
            .collect();
        writeln!(out, "{:#}", json!(list))?;
        return Ok(());
    }
    let mut table = Table::default();
    table.row(["player", "evaluator", "search", "about"]);
    table.rule();
    for player in Player::built_in() {
        table.row([
            player.name.as_str(),
            player.evaluator.kind(),
            &search_of(&player),
            &player.about,
        ]);
    }
    out.write_all(table.render().as_bytes())?;
    Ok(())
}

/// The profile, and how many of its numbers are others.
fn search_of(player: &Player) -> String {
    let profile = player.profile.name();
    match player.search_changes().len() {
        0 => profile.to_owned(),
        count => format!("{profile}, {count} changed"),
    }
}
