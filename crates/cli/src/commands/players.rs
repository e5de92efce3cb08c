//! `mendel players`: the built-in players.

use clap::Args;
use mendel_engine::{Guidance, Player, Way};
use mendel_evaluator::AnyEvaluator;
use serde_json::{Value, json};

use crate::output;
use crate::table::TextTable;

/// List the built-in players
#[derive(Args, Debug)]
#[command(after_help = "\
Wherever a command takes `--player`, a built-in name or the path of a player file
will do. `MENDEL_PLAYER` names the player where nothing else does.

Examples:
  mendel players
  mendel players --json")]
pub(super) struct PlayersArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PlayersArgs) -> anyhow::Result<()> {
    output::print(
        args.json,
        || Player::built_in().map(|it| facts(&it)).collect::<Value>(),
        text,
    )
}

fn facts(player: &Player) -> Value {
    json!({
        "name": player.name,
        "about": player.about,
        "evaluator": player.used_evaluator().ok().map(AnyEvaluator::kind),
        "policy": player.policy.as_ref().map(|policy| json!({
            "use": policy.way.name(),
            "network": policy.file(),
        })),
        "profile": player.profile.name(),
        "changed": player.search_changes().len(),
    })
}

fn text() -> String {
    let mut table = TextTable::new("player | evaluator | search | about");
    for player in Player::built_in() {
        table.row([
            player.name.as_str(),
            &judges_by(&player),
            &search_of(&player),
            &player.about,
        ]);
    }
    table.render()
}

/// The evaluator, and the network of the policy.
fn judges_by(player: &Player) -> String {
    let evaluator = player.evaluator.kind();
    match &player.policy {
        None => evaluator.to_owned(),
        Some(policy) if policy.way == Way::Choose => format!("none, {}.net", bare(policy)),
        Some(policy) => format!("{evaluator}, {}.net", bare(policy)),
    }
}

fn bare(policy: &Guidance) -> &str {
    policy.file().trim_end_matches(".net")
}

/// The profile, and how many of its numbers are others.
fn search_of(player: &Player) -> String {
    let mut policies = player.policy.iter();
    if policies.any(|policy| policy.way == Way::Choose) {
        return "none".to_owned();
    }
    let profile = player.profile.name();
    match player.search_changes().len() {
        0 => profile.to_owned(),
        count => format!("{profile}, {count} changed"),
    }
}
