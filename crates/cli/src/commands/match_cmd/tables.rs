//! The result of a match as tables.

use std::path::Path;

use mendel_arena::statistics::{Decision, EloEstimate, Rating, Ratings, SprtState};
use mendel_arena::{Conclusion, MatchSummary, SprtPlan};
use serde_json::json;

use crate::table::{TextTable, or_dash};

pub(super) fn percent(share: Option<f64>) -> String {
    or_dash(share.map(|share| format!("{:.1} %", share * 100.0)))
}

/// Elo with its error, or with its interval if there is no error.
pub(super) fn elo_text(elo: &EloEstimate) -> String {
    let bound = |value: Option<f64>, none: &str| {
        value.map_or_else(|| none.to_owned(), |value| format!("{value:+.0}"))
    };
    let interval = format!("[{}, {}]", bound(elo.low, "-∞"), bound(elo.high, "+∞"));
    match (elo.elo, elo.error) {
        (Some(value), Some(error)) => format!("{value:+.1} ± {error:.1}"),
        (Some(value), None) => format!("{value:+.1} {interval}"),
        (None, _) => interval,
    }
}

pub(super) fn tables(summary: &MatchSummary, sprt: Option<SprtPlan>, folder: &Path) -> String {
    let mut text = pairings(summary);
    if let Some(ratings) = &summary.ratings {
        text.push('\n');
        text.push_str(&pool(summary, ratings));
    }
    text.push('\n');
    text.push_str(&endings(summary));
    let state = summary.pairings.first().and_then(|pairing| pairing.sprt);
    if let Some((state, plan)) = state.zip(sprt) {
        text.push_str(&test_line(plan, &state));
    }
    text.push_str(&conclusion(summary, folder));
    text
}

fn pairings(summary: &MatchSummary) -> String {
    let mut table = TextTable::new(
        "first | second | games | win | draw | loss | score | Elo | nElo | LOS | draws | pairs 0 ½ 1 1½ 2",
    );
    for pairing in &summary.pairings {
        let tally = pairing.tally;
        let normalized = pairing.elo.normalized.zip(pairing.elo.normalized_error);
        let normalized = normalized.map(|(value, error)| format!("{value:+.1} ± {error:.1}"));
        let pairs: Vec<String> = pairing.pairs.iter().map(u64::to_string).collect();
        table.row([
            pairing.first.clone(),
            pairing.second.clone(),
            tally.games().to_string(),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            percent(tally.ratio()),
            elo_text(&pairing.elo),
            or_dash(normalized),
            percent(Some(pairing.elo.superiority)),
            percent(tally.draw_ratio()),
            pairs.join(" "),
        ]);
    }
    let mut text = table.render();
    // A match may end between the two games of a pair.
    for pairing in &summary.pairings {
        let (games, ratio) = pairing.estimated();
        if games == pairing.tally.games() {
            continue;
        }
        let (first, second, score) = (&pairing.first, &pairing.second, percent(ratio));
        text = format!(
            "{text}{first} – {second}: Elo, nElo and LOS are of the {games} games in whole pairs, which score {score}\n"
        );
    }
    if let [pairing] = &summary.pairings[..] {
        text = format!(
            "{text}{} with White {}, with Black {}\n",
            pairing.first,
            percent(pairing.white.ratio()),
            percent(pairing.black.ratio())
        );
    }
    text
}

fn pool(summary: &MatchSummary, ratings: &Ratings) -> String {
    let value = |it: &Rating| it.rating.unwrap_or(f64::MIN);
    let mut rows: Vec<&Rating> = ratings.ratings.iter().collect();
    rows.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let mut table = TextTable::new(" | player | rating | ± 95 % | games | score | draws");
    for (place, rating) in (1..).zip(rows) {
        table.row([
            place.to_string(),
            summary.players[rating.player].clone(),
            or_dash(rating.rating.map(|it| format!("{it:+.0}"))),
            or_dash(rating.error.map(|it| format!("{it:.0}"))),
            rating.tally.games().to_string(),
            percent(rating.tally.ratio()),
            percent(rating.tally.draw_ratio()),
        ]);
    }
    table.render()
}

fn endings(summary: &MatchSummary) -> String {
    let reasons: Vec<String> = summary
        .reasons
        .iter()
        .map(|(reason, count)| format!("{} {count}", json!(reason).as_str().unwrap_or("?")))
        .collect();
    let mut text = format!("games ended by: {}\n", reasons.join(", "));
    for (index, player) in summary.players.iter().enumerate() {
        let (faults, late) = (summary.faults[index], summary.time_losses[index]);
        if faults + late > 0 {
            text = format!("{text}{player}: lost on time {late}, other faults {faults}\n");
        }
    }
    text
}

fn test_line(plan: SprtPlan, test: &SprtState) -> String {
    let decision = match test.decision {
        Decision::H1 if plan.elo0 >= 0.0 => "accepted: the first player is better",
        Decision::H1 => "accepted: the first player is not that much worse",
        Decision::H0 if plan.elo0 >= 0.0 => "rejected: no such gain",
        Decision::H0 => "rejected: the first player is worse",
        Decision::Continue => "not decided: not proved",
    };
    format!(
        "SPRT [{}, {}] {}: LLR {:.2} in [{:.2}, {:.2}], {decision}\n",
        plan.elo0,
        plan.elo1,
        json!(plan.model).as_str().unwrap_or_default(),
        test.llr,
        test.lower,
        test.upper,
    )
}

fn conclusion(summary: &MatchSummary, folder: &Path) -> String {
    match &summary.conclusion {
        Conclusion::Unfinished => format!("not finished after {} games\n", summary.games),
        Conclusion::TooManyFaults { player, faults } => format!(
            "stopped: {player} had {faults} faults; its last output is in `{}`\n",
            folder.join("games.jsonl").display()
        ),
        Conclusion::AllPlayed | Conclusion::Accepted | Conclusion::Rejected => String::new(),
    }
}
