//! The moves that a player's network expects.

use std::io;

use mendel_board::{Move, Position};
use mendel_engine::{Guidance, Player, Setting, Way};
use mendel_evaluator::policy::Outlook;
use serde_json::{Value, json};

use crate::draw::{self, BoardStyle};
use crate::table::TextTable;

/// Number of moves shown without `--all`.
const SHOWN: usize = 12;

pub(super) fn as_text(
    player: &Player,
    position: &Position,
    outlook: &Outlook,
    all: bool,
) -> String {
    let turn = draw::side(position.turn());
    let mut text = format!("{}\n{}\n\n", position.fen(), head(player, turn));

    // 1. The moves.
    if outlook.moves.is_empty() {
        return format!("{text}{turn} has no legal move\n");
    }
    let shown = if all { outlook.moves.len() } else { SHOWN };
    let mut table = TextTable::new("move | chance %");
    for (m, share) in outlook.moves.iter().take(shown) {
        table.row([position.san(*m), format!("{:.1}", 100.0 * share)]);
    }
    text.push_str(&table.render());
    let rest = outlook.moves.get(shown..).unwrap_or_default();
    if !rest.is_empty() {
        let sum: f32 = rest.iter().map(|it| it.1).sum();
        let count = rest.len();
        let percent = 100.0 * sum;
        let more = format!("and {count} more, {percent:.1} % together; --all shows them\n");
        text.push_str(&more);
    }

    // 2. The result.
    if let Some(result) = outlook.result {
        let [win, draw, loss] = result.map(|share| format!("{:.1} %", 100.0 * share));
        let expected = format!("\n{turn} wins {win}, draws {draw}, loses {loss}\n");
        text.push_str(&expected);
    }

    // 3. The squares.
    let boards = [
        ("a piece leaves from, %", &outlook.from),
        ("and goes to, %", &outlook.to),
    ];
    text.push('\n');
    text.push_str(&draw::shares(boards, BoardStyle::for_stream(&io::stdout())));
    text
}

fn head(player: &Player, turn: &str) -> String {
    let mut words = vec![player.name.clone(), format!("{turn} to move")];
    if let Some(policy) = &player.policy {
        let file = policy.file();
        words.push(format!("moves that the network `{file}` expects"));
        let rating = setting(policy, Setting::Rating);
        words.extend(rating.map(|it| format!("rating {it}")));
        let temperature = setting(policy, Setting::Temperature);
        words.extend(temperature.map(|it| format!("temperature {:.2}", it as f64 / 100.0)));
    }
    words.join(", ")
}

/// The value of a setting that the policy has.
fn setting(policy: &Guidance, setting: Setting) -> Option<i64> {
    policy
        .known()
        .contains(&setting)
        .then(|| policy.get(setting))
}

pub(super) fn as_json(
    player: &Player,
    position: &Position,
    outlook: &Outlook,
    evaluation: &Value,
) -> Value {
    let of_move = |&(m, share): &(Move, f32)| {
        json!({
            "move": position.uci(m),
            "san": position.san(m),
            "probability": rounded(share),
        })
    };
    let plane = |shares: &[f32]| shares.iter().map(|it| rounded(*it)).collect::<Value>();
    let policy = player.policy.as_ref();
    let of = |name| policy.and_then(|policy| setting(policy, name));
    json!({
        "player": player.name,
        "fen": position.fen(),
        "policy": {
            "network": policy.map(Guidance::file),
            "use": policy.map(|policy| policy.way).map(Way::name),
            "rating": of(Setting::Rating),
            "temperature": of(Setting::Temperature).map(|it| it as f64 / 100.0),
            "moves": outlook.moves.iter().map(of_move).collect::<Value>(),
            "result": outlook.result.map(|[win, draw, loss]| json!({
                "win": rounded(win),
                "draw": rounded(draw),
                "loss": rounded(loss),
            })),
            "from": plane(&outlook.from),
            "to": plane(&outlook.to),
        },
        "evaluation": evaluation,
    })
}

/// Rounds to six digits, more than a network is exact to.
fn rounded(share: f32) -> f64 {
    (f64::from(share) * 1e6).round() / 1e6
}
