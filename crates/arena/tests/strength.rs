//! Players of limited strength in games.

use mendel_arena::{
    Adjudication, Entrant, Fault, GameSetting, LengthRule, Opening, OpeningSetting, Openings, Pace,
    Patience, Played, Side, Verdict, play,
};
use mendel_engine::StrengthTable;

fn entrant(elo: i32) -> Entrant {
    let text = format!("mendel?Hash=1&UCI_LimitStrength=true&UCI_Elo={elo}");
    Entrant::parse(&text).expect("a built-in player")
}

fn setting(opening: Opening) -> GameSetting {
    let pace = Pace {
        nodes: Some(400),
        ..Pace::default()
    };
    GameSetting {
        opening,
        white: pace,
        black: pace,
        patience: Patience::default(),
        adjudication: Adjudication {
            length: Some(LengthRule {
                plies: 200,
                verdict: Verdict::Material,
            }),
            ..Adjudication::default()
        },
        tablebase: None,
        stop: std::sync::Arc::default(),
    }
}

fn games(first: i32, second: i32, pairs: u64) -> Vec<Played> {
    let (mut first, mut second) = (
        entrant(first).seat().expect("it can play"),
        entrant(second).seat().expect("it can play"),
    );
    let openings = Openings::own(&OpeningSetting::default());
    (0..pairs)
        .flat_map(|pair| {
            let setting = setting(openings.get(pair));
            let one = play(first.as_mut(), second.as_mut(), &setting);
            let other = play(second.as_mut(), first.as_mut(), &setting);
            [one.expect("not stopped"), other.expect("not stopped")]
        })
        .collect()
}

fn moves(played: &[Played]) -> Vec<Vec<String>> {
    let of = |game: &Played| game.moves.iter().map(|played| played.m.clone()).collect();
    played.iter().map(of).collect()
}

#[test]
fn the_lower_rating_loses_to_the_higher_and_the_games_can_be_repeated() {
    let low = StrengthTable::built_in().min();
    let played = games(low, low + 900, 5);
    // The first has White in every other game.
    let points: i32 = played
        .iter()
        .enumerate()
        .map(|(number, game)| match (game.ending.winner, number % 2) {
            (None, _) => 0,
            (Some(Side::White), 0) | (Some(Side::Black), 1) => 1,
            _ => -1,
        })
        .sum();
    assert!(points <= -6, "{points} in {} games", played.len());
    assert_eq!(moves(&played[..2]), moves(&games(low, low + 900, 1)));
}

#[test]
fn options_of_strength_are_checked_like_others() {
    let table = [
        ("UCI_Elo=99999", "it must be a whole number from"),
        ("UCI_LimitStrength=perhaps", "`true` or `false`"),
        ("Strength Seed=-1", "from 0"),
        (
            "Strength Table=no/such/file.toml",
            "cannot read the table of levels",
        ),
    ];
    for (option, wanted) in table {
        let entrant = Entrant::parse(&format!("mendel?{option}")).expect("it can be read");
        let error = entrant.seat().err().expect(option);
        let Fault::Refused { reason, .. } = &error.fault else {
            panic!("{option}: {error}");
        };
        assert!(reason.contains(wanted), "{option}: {reason}");
    }
}
