//! Players with a network that has a say in their moves.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mendel_board::{Game, Position};
use mendel_engine::session::Settings;
use mendel_engine::{Best, Control, Engine, Limits, Options, Player, Score, Setting};
use mendel_evaluator::vision::{Activation, File, Head, Shape, View};

use crate::gui::Gui;

/// A folder that goes when the test does.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("mendel-policy-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a writable folder");
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("a writable folder");
        path
    }

    /// A player of this text, beside the networks `moves.net` and `pairs.net`.
    pub(crate) fn player(&self, text: &str) -> Player {
        self.write("moves.net", &network(moves(), 1));
        self.write("pairs.net", &network(pairs(), 2));
        Player::read(&self.write("player.toml", text.as_bytes()))
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn moves() -> Shape {
    Shape {
        filters: 4,
        blocks: 1,
        ..Shape::chessnet()
    }
}

fn pairs() -> Shape {
    Shape {
        view: View::Sides { plies: 2 },
        filters: 4,
        blocks: 1,
        activation: Activation::Relu,
        head: Head::Pairs { width: 4, value: 4 },
    }
}

/// A network of chance.
fn network(shape: Shape, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut number = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) as f32 / 32_768.0 - 1.0) / 4.0
    };
    let file = File::new(shape, |tensor| {
        (0..tensor.count()).map(|_| number()).collect()
    });
    file.and_then(|file| file.write()).expect("small numbers")
}

/// The player file of a search by material and a policy.
pub(crate) fn text(profile: &str, policy: &str) -> String {
    format!(
        "name = \"guided\"\n[search]\nprofile = \"{profile}\"\n\
         [evaluator]\nkind = \"material\"\n[policy]\n{policy}"
    )
}

pub(crate) fn go(player: &Player, game: &Game, limits: &Limits) -> Best {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    let mut engine = Engine::new(Arc::new(player.clone()), options).expect("plain options");
    engine.go(game, limits, &Control::default(), &mut |_| {})
}

fn played(player: &Player, game: &Game, depth: u32) -> String {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let best = go(player, game, &limits).best.expect("there are moves");
    game.position().uci(best)
}

pub(crate) fn with(player: &Player, name: &str, value: i64) -> Player {
    let mut player = player.clone();
    player.set(name, value).expect("it has this option");
    player
}

pub(crate) fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect("a legal position"))
}

/// Positions without a mate in one.
pub(crate) fn quiet() -> Vec<Game> {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQkq - 5 4",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
        "8/5pk1/4p1p1/3pP2p/3P1P1P/5KP1/8/8 b - - 0 40",
    ]
    .map(game)
    .to_vec()
}

/// The likeliest move of a player's network.
fn named(player: &Player, game: &Game) -> String {
    let alone = with(player, "Sampling", 0);
    let mut alone = alone;
    let policy = alone.policy.as_mut().expect("a policy");
    policy.way = mendel_engine::Way::Choose;
    played(&alone, game, 1)
}

const MATES: [(&str, &str); 3] = [
    ("6k1/5ppp/8/8/8/8/8/KR6 w - - 0 1", "b1b8"),
    (
        "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
        "d8h4",
    ),
    (
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "h5f7",
    ),
];

#[test]
fn a_mate_in_one_is_always_played() {
    let folder = Folder::new("mates");
    let alone = folder.player(&text("plain", "use = \"choose\"\nfile = \"moves.net\""));
    let bonus = folder.player(&text(
        "plain",
        "use = \"bonus\"\nfile = \"moves.net\"\nlambda = 1.0",
    ));
    let prior = folder.player(&text(
        "full",
        "use = \"prior\"\nfile = \"pairs.net\"\nprior = 500",
    ));
    for (fen, mate) in MATES {
        for seed in 0..5 {
            assert_eq!(
                played(&with(&alone, "Policy Seed", seed), &game(fen), 1),
                mate
            );
            for depth in 1..=3 {
                let bonus = with(&bonus, "Policy Seed", seed);
                assert_eq!(played(&bonus, &game(fen), depth), mate, "at depth {depth}");
            }
        }
        for depth in 1..=3 {
            assert_eq!(played(&prior, &game(fen), depth), mate, "at depth {depth}");
        }
    }
}

#[test]
fn without_a_bonus_the_search_is_the_plain_players_to_the_node() {
    let folder = Folder::new("nothing");
    for profile in ["plain", "full"] {
        let bonus = folder.player(&text(
            profile,
            "use = \"bonus\"\nfile = \"moves.net\"\nlambda = 0",
        ));
        let plain = Player {
            policy: None,
            ..bonus.clone()
        };
        for game in quiet() {
            let limits = Limits {
                depth: Some(3),
                ..Limits::default()
            };
            let [one, other] = [&bonus, &plain].map(|player| go(player, &game, &limits));
            assert_eq!((one.best, one.nodes), (other.best, other.nodes));
        }
    }
}

#[test]
fn a_whole_bonus_plays_the_networks_move_and_shows_what_it_is_worth() {
    let folder = Folder::new("whole");
    for profile in ["plain", "full"] {
        let bonus = folder.player(&text(
            profile,
            "use = \"bonus\"\nfile = \"moves.net\"\nlambda = 1\nsampling = false",
        ));
        for game in quiet() {
            let wanted = named(&bonus, &game);
            for depth in 1..=4 {
                assert_eq!(played(&bonus, &game, depth), wanted, "at depth {depth}");
            }
            let limits = Limits {
                depth: Some(3),
                ..Limits::default()
            };
            let info = go(&bonus, &game, &limits).info.expect("it thought");
            let Score::Centipawns(score) = info.score else {
                panic!("no mate here: {info:?}");
            };
            assert!(score.abs() < 1500, "the bonus is not shown: {score}");
        }
    }
}

/// A bonus of less than another move is better by is too little, one of more is enough:
/// the window is moved rightly.
#[test]
fn a_bonus_counts_for_what_it_is() {
    let folder = Folder::new("exact");
    for profile in ["plain", "full"] {
        let bonus = folder.player(&text(
            profile,
            "use = \"bonus\"\nfile = \"moves.net\"\nsampling = false",
        ));
        // A queen can be taken; whatever else is named is worth nine pawns less.
        let games = [
            "4k3/8/8/3q4/4P3/8/P6P/4K3 w - - 0 1",
            "4k3/6p1/8/3q4/4P3/P7/7P/6K1 w - - 0 1",
            "1k6/6p1/8/3q4/4P3/P6P/8/6K1 w - - 0 1",
        ]
        .map(game);
        let mut tried = 0;
        for game in games {
            let wanted = named(&bonus, &game);
            tried += usize::from(wanted != "e4d5");
            for (lambda, expected) in [(20, "e4d5"), (60, wanted.as_str())] {
                for depth in 1..=4 {
                    let bonus = with(&bonus, "Lambda", lambda);
                    assert_eq!(
                        played(&bonus, &game, depth),
                        expected,
                        "{lambda} at {depth}"
                    );
                }
            }
        }
        assert!(
            tried > 0,
            "the network names the capture everywhere: take another seed"
        );
    }
}

/// One ply is the static score after one's own move: a defended pawn is taken by the
/// queen, and of equal moves the first by its text is played.
#[test]
fn one_ply_judges_what_stands_after_the_move() {
    let folder = Folder::new("one-ply");
    let bonus = folder.player(&text(
        "plain",
        "use = \"bonus\"\nfile = \"moves.net\"\nlambda = 0",
    ));
    let takes = game("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1");
    assert_eq!(played(&bonus, &takes, 1), "d1d5");
    assert_ne!(played(&bonus, &takes, 2), "d1d5");
    assert_eq!(played(&bonus, &Game::new(Position::initial()), 1), "a2a3");
}

#[test]
fn a_prior_orders_and_decides_between_moves_of_equal_worth() {
    let folder = Folder::new("prior");
    let prior = folder.player(&text(
        "full",
        "use = \"prior\"\nfile = \"pairs.net\"\nprior = 500",
    ));
    let policy = prior.policy.as_ref().expect("a policy");
    let mut workspace = policy.policy().workspace();
    for game in quiet() {
        let likely = policy.outlook(&game, &mut workspace).moves;
        let best = played(&prior, &game, 1);
        let place = likely
            .iter()
            .position(|it| game.position().uci(it.0) == best);
        assert!(place.is_some_and(|place| place < 3), "{best} is unlikely");
    }
    let order = with(&prior, "Prior", 0);
    let takes = game("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    assert_eq!(played(&order, &takes, 4), "e4d5");
}

fn self_play(player: &Player, plies: usize) -> Vec<String> {
    let mut game = Game::new(Position::initial());
    let mut text = Vec::new();
    let player = Arc::new(player.clone());
    let mut engine = Engine::new(player, Options::default()).expect("plain options");
    while text.len() < plies && game.outcome().is_none() {
        let limits = Limits::default();
        let best = engine.go(&game, &limits, &Control::default(), &mut |_| {});
        let m = best.best.expect("the game is not over");
        text.push(game.position().uci(m));
        game.play(m).expect("a legal move");
    }
    text
}

#[test]
fn the_same_seed_plays_the_same_game_and_another_seed_another_one() {
    let folder = Folder::new("seeds");
    for policy in [
        "use = \"choose\"\nfile = \"moves.net\"",
        "use = \"choose\"\nfile = \"pairs.net\"\nrating = 2000\ntemperature = 1.5",
    ] {
        let player = folder.player(&text("plain", policy));
        let games = [0, 0, 1].map(|seed| self_play(&with(&player, "Policy Seed", seed), 60));
        assert_eq!(games[0], games[1]);
        assert_ne!(games[0], games[2]);
        assert!(games[0].len() > 10);
    }
}

#[test]
fn people_of_another_rating_play_otherwise_and_without_heat_always_the_likeliest() {
    let folder = Folder::new("ratings");
    let human = folder.player(&text("plain", "use = \"choose\"\nfile = \"pairs.net\""));
    let start = Game::new(Position::initial());
    let likely = |player: &Player| {
        let policy = player.policy.as_ref().expect("a policy");
        let mut workspace = policy.policy().workspace();
        policy.outlook(&start, &mut workspace).moves
    };
    let [weak, strong] = [600, 3000].map(|rating| likely(&with(&human, "Rating", rating)));
    assert!(weak != strong);
    let cold = with(&human, "Temperature", 0);
    let best = start.position().uci(likely(&human)[0].0);
    for seed in 0..20 {
        assert_eq!(played(&with(&cold, "Policy Seed", seed), &start, 1), best);
    }
    let info = go(&human, &start, &Limits::default())
        .info
        .expect("it expects a result");
    assert_eq!(info.wdl.win + info.wdl.draw + info.wdl.loss, 1000);
}

#[test]
fn only_moves_that_are_asked_for_are_played() {
    let folder = Folder::new("asked");
    let start = Game::new(Position::initial());
    let limits = Limits {
        searchmoves: vec![start.position().parse_uci("a2a3").expect("a move")],
        depth: Some(1),
        ..Limits::default()
    };
    for policy in [
        "use = \"choose\"\nfile = \"moves.net\"",
        "use = \"choose\"\nfile = \"pairs.net\"",
        "use = \"bonus\"\nfile = \"moves.net\"\nlambda = 1",
        "use = \"prior\"\nfile = \"pairs.net\"",
    ] {
        let player = folder.player(&text("plain", policy));
        assert_eq!(
            go(&player, &start, &limits).best,
            limits.searchmoves.first().copied()
        );
    }
}

#[test]
fn a_player_with_networks_survives_its_file() {
    let folder = Folder::new("files");
    folder.write(
        "value.net",
        &network(
            Shape {
                filters: 2,
                blocks: 1,
                ..Shape::chess_pos_eval_net()
            },
            3,
        ),
    );
    let player = folder.player(
        "name = \"seeing\"\n[evaluator]\nkind = \"vision\"\nfile = \"value.net\"\nscale = 250.5\nmean = 20\n\
         [policy]\nuse = \"bonus\"\nfile = \"pairs.net\"\nlambda = 0.35\nsampling = false\nrating = 2100\nseed = 9\n",
    );
    let again = folder.write("again.toml", player.to_toml().as_bytes());
    let again = Player::read(&again).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.evaluator, player.evaluator);
    assert_eq!(again.to_toml(), player.to_toml());
    let policy = again.policy.as_ref().expect("a policy");
    let settings = [
        Setting::Lambda,
        Setting::Sampling,
        Setting::Rating,
        Setting::Seed,
    ];
    assert_eq!(
        settings.map(|setting| policy.get(setting)),
        [35, 0, 2100, 9]
    );
    for game in quiet() {
        assert_eq!(played(&again, &game, 2), played(&player, &game, 2));
    }
    // Another network under the same name is noticed.
    folder.write("pairs.net", &network(pairs(), 77));
    let error = Player::read(&folder.0.join("player.toml")).map(|_| ());
    assert!(error.is_ok(), "without a checksum any network will do");
    let error = Player::read(&folder.write("again.toml", player.to_toml().as_bytes()));
    let error = error.expect_err("another network").to_string();
    assert!(
        error.contains("`checksum` is not that of `pairs.net`"),
        "{error}"
    );
}

#[test]
fn an_invalid_policy_is_refused_with_the_reason() {
    let folder = Folder::new("refused");
    folder.player(&text("plain", "use = \"choose\"\nfile = \"moves.net\""));
    folder.write(
        "value.net",
        &network(
            Shape {
                filters: 2,
                blocks: 0,
                ..Shape::chess_pos_eval_net()
            },
            3,
        ),
    );
    let whole = network(moves(), 1);
    folder.write("short.net", &whole[..whole.len() / 2]);
    folder.write("text.net", b"no network at all");
    let mut damaged = whole;
    damaged[300] ^= 1;
    folder.write("damaged.net", &damaged);
    let _ = fs::create_dir(folder.0.join("folder.net"));
    let table = [
        ("", "`use` is missing"),
        (
            "use = \"guess\"",
            "`use` is `guess`; write one of \"choose\", \"bonus\", \"prior\"",
        ),
        ("use = \"choose\"", "`file` is missing"),
        (
            "use = \"choose\"\nfile = \"nobody\"",
            "there is no network `nobody`",
        ),
        (
            "use = \"choose\"\nfile = \"../moves.net\"",
            "not in the folder of the player file",
        ),
        (
            "use = \"choose\"\nfile = \"none.net\"",
            "cannot read the network `none.net`",
        ),
        (
            "use = \"choose\"\nfile = \"folder.net\"",
            "it is not a file",
        ),
        (
            "use = \"choose\"\nfile = \"short.net\"",
            "`short.net` cannot be used",
        ),
        (
            "use = \"choose\"\nfile = \"text.net\"",
            "it does not begin with MENDELNT",
        ),
        (
            "use = \"choose\"\nfile = \"damaged.net\"",
            "the checksum of the network is wrong",
        ),
        (
            "use = \"choose\"\nfile = \"value.net\"",
            "judges positions and names no moves",
        ),
        (
            "use = \"choose\"\nfile = \"moves.net\"\nrating = 1500",
            "`rating` means nothing here",
        ),
        (
            "use = \"choose\"\nfile = \"moves.net\"\nsampling = 2",
            "`sampling` must be true or false",
        ),
        (
            "use = \"choose\"\nfile = \"pairs.net\"\nrating = 599",
            "`rating` must be a whole number from 600 to 3000",
        ),
        (
            "use = \"choose\"\nfile = \"pairs.net\"\nrating = 1e9",
            "`rating` must be",
        ),
        (
            "use = \"choose\"\nfile = \"pairs.net\"\ntemperature = nan",
            "`temperature` must be a number from 0 to 5",
        ),
        (
            "use = \"bonus\"\nfile = \"moves.net\"\nlambda = 1.01",
            "`lambda` must be a number from 0 to 1",
        ),
        (
            "use = \"bonus\"\nfile = \"moves.net\"\nprior = 3",
            "`prior` means nothing here",
        ),
    ];
    for (policy, reason) in table {
        let path = folder.write("bad.toml", text("plain", policy).as_bytes());
        let error = Player::read(&path).expect_err(policy).to_string();
        assert!(
            error.contains(reason),
            "{policy:?} gave {error:?}, not {reason:?}"
        );
    }
}

#[test]
fn a_player_in_no_file_has_no_network_beside_it() {
    let text = text("plain", "use = \"choose\"\nfile = \"moves.net\"");
    let error = Player::parse(&text, "test");
    let error = error.expect_err("no folder").to_string();
    assert!(error.contains("this player is in no file"), "{error}");
}

#[test]
fn the_settings_are_options() {
    let folder = Folder::new("options");
    let human = folder.player(&text("plain", "use = \"choose\"\nfile = \"pairs.net\""));
    let mut gui = Gui::start(Settings::new(human));
    gui.send("uci");
    gui.wait_for("option name Rating type spin default 1500 min 600 max 3000");
    gui.expect("option name Temperature type spin default 100 min 0 max 500");
    gui.expect("option name Policy Seed type spin default 0 min 0 max *");
    gui.expect("uciok");
    gui.send("setoption name rating value 599");
    gui.expect("info string option Rating: `599` is not a whole number from 600 to 3000");
    gui.send("setoption name Lambda value 50");
    gui.expect("info string there is no option `Lambda`");
    gui.send("setoption name Rating value 2400");
    gui.send("setoption name Temperature value 0");
    gui.send("position startpos moves e2e4");
    gui.send("go movetime 1000");
    gui.wait_for("bestmove *");
    gui.send("go infinite");
    gui.expect_none("bestmove *", std::time::Duration::from_millis(100));
    gui.send("stop");
    gui.wait_for("bestmove *");
    let other = folder.0.join("other.toml");
    fs::write(
        &other,
        text("plain", "use = \"bonus\"\nfile = \"moves.net\""),
    )
    .expect("writable");
    gui.send(&format!("setoption name Player value {}", other.display()));
    gui.send("setoption name Sampling value false");
    gui.send("setoption name Lambda value 100");
    gui.send("uci");
    gui.wait_for("option name Sampling type check default false");
    gui.expect("option name Lambda type spin default 100 min 0 max 100");
    gui.send("go depth 2");
    gui.wait_for("bestmove *");
    gui.send("quit");
    let (_, result) = gui.finish();
    assert!(result.is_ok());
}

/// The files of the players that have networks, with networks of chance.
#[test]
fn the_player_files_of_networks_are_readable_and_play() {
    let folder = Folder::new("shipped");
    let shapes = [
        ("chessnet", moves()),
        ("human", pairs()),
        ("teacher", Shape::teaching()),
    ];
    for (at, (name, shape)) in shapes.into_iter().enumerate() {
        folder.write(&format!("{name}.net"), &network(shape, at as u32));
    }
    let players = "chessnet human human-network lambda lambda-ours teacher";
    for name in players.split(' ') {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../players/{name}.toml"));
        let mut text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        for network in ["chessnet", "human", "teacher"] {
            let built_in = format!("file = \"{network}\"");
            text = text.replace(&built_in, &format!("file = \"{network}.net\""));
        }
        let path = folder.write(&format!("{name}.toml"), text.as_bytes());
        let player = Player::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(player.name, name);
        assert!(played(&player, &Game::new(Position::initial()), 1).len() >= 4);
    }
}
