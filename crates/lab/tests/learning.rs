//! Learning after each game: what is kept, merged and learned.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mendel_arena::statistics::Trend;
use mendel_engine::Player;
use mendel_lab::learning::{
    InitialWeights, Learn, LearnOptions, LearnOutcome, LearnPlan, LearnedGame, MergedGames,
    OnlinePopulation, OpponentKind, PlayedGame, PlayerResult, PopulationConfig, PopulationRules,
    opponents,
};
use mendel_store::FolderLock;
use mendel_store::frame::{self, ExperimentEvent, Failure, Host};

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("mendel-learning-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    /// As the experiment, whose games have this node id.
    fn open(&self, node: &str) -> OnlinePopulation {
        let id = self.0.join("node-id");
        if !id.exists() {
            fs::create_dir_all(&self.0).expect("there is room");
            fs::write(&id, node).expect("there is room");
        }
        let folder = frame::Folder::at(&self.0);
        OnlinePopulation::open(&folder, config(InitialWeights::Random)).expect("a population")
    }

    /// As any other process.
    fn read(&self) -> OnlinePopulation {
        OnlinePopulation::read(&self.0, &config(InitialWeights::Random)).expect("a population")
    }

    /// The files whose names begin so.
    fn files(&self, prefix: &str) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.0).expect("a folder").flatten();
        let is_named = |it: &fs::DirEntry| it.file_name().to_string_lossy().starts_with(prefix);
        files.filter(is_named).map(|it| it.path()).collect()
    }

    /// The experiment, and how many games it played.
    fn learn(&self, plan: LearnPlan) -> (Result<LearnOutcome, Failure>, u64) {
        learn(&self.0, config(InitialWeights::Random), plan)
    }
}

fn learn(
    folder: &Path,
    config: PopulationConfig,
    plan: LearnPlan,
) -> (Result<LearnOutcome, Failure>, u64) {
    let games = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&games);
    let host = Host {
        listener: Some(Arc::new(move |_: &Path, event: &ExperimentEvent| {
            if matches!(event, ExperimentEvent::Record { name, .. } if name == "game") {
                count.fetch_add(1, Ordering::Relaxed);
            }
        })),
        ..Host::default()
    };
    let options = LearnOptions {
        learn: Some(plan),
        ..LearnOptions::default()
    };
    let seed = config.seed;
    let outcome = frame::start_or_resume::<Learn>(folder, config, seed, "test", &options, &host);
    (outcome, games.load(Ordering::Relaxed))
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn config(start: InitialWeights) -> PopulationConfig {
    let player = Player::find("cwu-random").expect("a built-in player");
    PopulationConfig::new(&player, start, 7)
}

/// A game with a person that the weights won.
fn game_with_person(population: &OnlinePopulation, plies: u32) -> PlayedGame {
    PlayedGame {
        set: population.choose(1),
        opponent: "a person".to_owned(),
        against: OpponentKind::Person,
        white: true,
        plies,
        result: PlayerResult::Won,
    }
}

/// A world in which sets win that count their men and love mobility.
fn result(set: &[i32], number: usize) -> PlayerResult {
    let worth = i64::from(set[2]) + i64::from(set[6]);
    let luck = (number as i64 * 7919 % 101 - 50) * 500;
    match worth + luck {
        20_000.. => PlayerResult::Won,
        0..20_000 => PlayerResult::Drawn,
        _ => PlayerResult::Lost,
    }
}

fn play(learning: &mut OnlinePopulation, games: usize) -> Vec<LearnedGame> {
    (0..games)
        .map(|_| {
            let number = learning.games().len();
            let set = learning.choose(number as u64);
            let game = PlayedGame {
                result: result(&set, number),
                set,
                opponent: "the world".to_owned(),
                against: OpponentKind::Program,
                white: number.is_multiple_of(2),
                plies: 60,
            };
            learning.record_game(game).expect("there is room")
        })
        .collect()
}

#[test]
fn what_was_learned_is_there_again_and_goes_on_alike() {
    let (whole, broken) = (Folder::new("whole"), Folder::new("broken"));
    let mut unbroken = whole.open("here");
    play(&mut unbroken, 120);
    for games in [50, 1, 69] {
        play(&mut broken.open("here"), games);
        // The writer was killed in the middle of a line.
        let path = broken.0.join("games.jsonl");
        let mut text = fs::read_to_string(&path).expect("the journal");
        text.push_str("{\"v\":1,\"id\":{\"num");
        fs::write(&path, text).expect("there is room");
    }
    let again = broken.open("here");
    assert_eq!(again.games().len(), 120);
    assert_eq!(again.population(), unbroken.population());
    assert!(again.population().births() > 5, "sets were replaced");
}

#[test]
fn a_population_gets_better_in_a_world_that_rewards() {
    let folder = Folder::new("better");
    let mut learning = folder.open("here");
    let events = play(&mut learning, 300);
    let results: Vec<f64> = events.iter().map(|it| it.result.points()).collect();
    let trend = Trend::of(&results).expect("many games");
    assert!(trend.is_proved(), "{}", trend.words());
    let best = learning.population().best().expect("there are sets");
    assert!(best.set[2] + best.set[6] > 0, "{best:?}");
    let record = learning.record();
    assert_eq!((record.games.len(), record.opponents.len()), (300, 1));
}

#[test]
fn games_of_several_installations_count_once_in_whatever_order_they_come() {
    let folders = ["a", "b", "c"].map(|name| Folder::new(&format!("merge-{name}")));
    let mut all: Vec<LearnedGame> = Vec::new();
    for (folder, name) in folders.iter().zip(["a", "b", "c"]) {
        all.extend(play(&mut folder.open(name), 40));
    }
    // 1. Each gets everybody's, in an order of its own; some twice.
    let mut populations = Vec::new();
    for (at, (folder, name)) in folders.iter().zip(["a", "b", "c"]).enumerate() {
        let mut learning = folder.open(name);
        let mut events = all.clone();
        match at {
            0 => {}
            1 => events.reverse(),
            _ => events.rotate_left(57),
        }
        let first = learning.merge(events[..90].to_vec()).expect("room");
        let second = learning.merge(events[30..].to_vec()).expect("room");
        assert_eq!(first.new + second.new, 80, "{name}");
        assert_eq!(first.known + second.known, 40 + 60, "{name}");
        let third = learning.merge(all.clone()).expect("room");
        let known = MergedGames {
            known: 120,
            ..MergedGames::default()
        };
        assert_eq!(third, known);
        populations.push(learning.population().clone());
    }
    assert_eq!(populations[0], populations[1]);
    assert_eq!(populations[0], populations[2]);
    let games: u64 = populations[0]
        .members()
        .iter()
        .map(|it| it.tally.games())
        .sum();
    assert!(games > 0 && populations[0].members().len() <= PopulationRules::default().size);

    // 2. Whoever goes on does so behind everything it knows.
    let mut first = folders[0].open("a");
    let told = play(&mut first, 1);
    assert_eq!(told[0].id.number, 41);
    assert_eq!(first.games().last(), Some(&told[0]));
}

#[test]
fn what_does_not_belong_is_refused_and_changes_nothing() {
    let folder = Folder::new("refuse");
    let mut learning = folder.open("here");
    let own = play(&mut learning, 5);
    let before = learning.population().clone();
    let stranger = LearnedGame {
        population: "another".to_owned(),
        ..own[0].clone()
    };
    let mut impostor = own[0].clone();
    impostor.plies += 1;
    let mut crippled = own[0].clone();
    crippled.id.node = "there".to_owned();
    crippled.set.pop();
    let mut elsewhere = stranger;
    elsewhere.id.number = 99;
    let merged = learning
        .merge([impostor, crippled, elsewhere])
        .expect("room");
    assert_eq!((merged.new, merged.refused), (0, 3));
    assert_eq!(learning.population(), &before);
    drop(learning);

    let plan = LearnPlan::new("random?.depth=1", 1, 3);
    let other = PopulationConfig {
        seed: 8,
        ..config(InitialWeights::Random)
    };
    folder.learn(plan.clone()).0.expect("a game");
    let (error, _) = learn(&folder.0, other, plan.clone());
    assert!(
        matches!(error, Err(Failure::InvalidRequest { .. })),
        "{error:?}"
    );
    let fresh = Folder::new("unsuited");
    let material = Player::find("material").expect("a built-in player");
    let unsuited = PopulationConfig::new(&material, InitialWeights::Bred, 1);
    let (error, _) = learn(&fresh.0, unsuited, plan);
    let error = error.expect_err("no weights");
    assert!(error.to_string().contains("cannot learn"), "{error}");
    assert!(!fresh.0.exists());
}

/// Anybody with the right to post may have written it.
#[test]
fn a_hostile_game_neither_counts_nor_spoils_the_numbers() {
    let folder = Folder::new("hostile");
    let mut learning = folder.open("here");
    let own = play(&mut learning, 5);
    let before = learning.population().clone();
    let hostile = |change: &dyn Fn(&mut LearnedGame)| {
        let mut event = own[0].clone();
        event.id.node = "there".to_owned();
        change(&mut event);
        event
    };
    let events = [
        hostile(&|it| it.id.number = u64::MAX),
        hostile(&|it| it.id.number = 1 << 53),
        hostile(&|it| it.id.number = 10_000_000),
        hostile(&|it| it.id.number = 0),
        hostile(&|it| it.plies = u32::MAX),
        hostile(&|it| it.opponent = "x".repeat(1000)),
        hostile(&|it| it.opponent = "\u{1b}[2Jpea".to_owned()),
        hostile(&|it| it.opponent = String::new()),
        hostile(&|it| it.id.node = "x".repeat(65)),
        hostile(&|it| it.id.node = "a\nb".to_owned()),
    ];
    let merged = learning.merge(events.clone()).expect("room");
    assert_eq!((merged.new, merged.refused), (0, events.len()));
    assert_eq!(learning.population(), &before);
    assert_eq!(play(&mut learning, 1)[0].id.number, 6);
    drop(learning);

    // A journal that let one in before is no worse.
    let path = folder.0.join("games.jsonl");
    let mut text = fs::read_to_string(&path).expect("the journal");
    for event in &events[..3] {
        let line = serde_json::to_string(event).expect("plain data");
        let mut line = line.replacen('{', "{\"v\":1,", 1).into_bytes();
        mendel_store::add_checksum(&mut line);
        text.push_str(str::from_utf8(&line).expect("text stays text"));
        text.push('\n');
    }
    fs::write(&path, text).expect("there is room");
    let mut learning = folder.open("here");
    assert_eq!(learning.games().len(), 6);
    assert_eq!(play(&mut learning, 1)[0].id.number, 7);
}

#[test]
fn what_is_told_here_is_what_others_accept() {
    let (here, there) = (Folder::new("plain-here"), Folder::new("plain-there"));
    let mut learning = here.open("here");
    let told = learning.record_game(PlayedGame {
        set: learning.choose(1),
        opponent: format!("cmd:/x{}\n", "y".repeat(500)),
        against: OpponentKind::Program,
        white: true,
        plies: u32::MAX,
        result: PlayerResult::Drawn,
    });
    let merged = there.open("there").merge([told.expect("room")]);
    assert_eq!(merged.expect("room").new, 1);
}

#[test]
fn other_processes_record_games_while_the_experiment_runs() {
    let folder = Folder::new("pending");
    let mut experiment = folder.open("here");
    play(&mut experiment, 2);
    // 1. Two processes take the same number at the same time, and see each other's games.
    let (mut one, mut other) = (folder.read(), folder.read());
    let games = [&mut one, &mut other].map(|it| {
        let game = game_with_person(it, 9);
        it.record_game(game).expect("room")
    });
    assert_eq!(folder.files("pending-").len(), 2);
    assert!(games.iter().all(|it| it.id.number >= 3 && one.is_own(it)));
    one.refresh().expect("readable");
    other.refresh().expect("readable");
    assert_eq!(one.population(), other.population());
    assert_eq!(folder.read().population(), one.population());
    // 2. The experiment counts them, and goes on behind them.
    let next = play(&mut experiment, 1);
    assert_eq!(experiment.games().len(), 5);
    assert!(next[0].id.number > games[1].id.number);
    assert!(folder.files("pending-").is_empty());
    assert!(games.iter().all(|it| experiment.game(&it.id) == Some(it)));
    assert!(games.iter().all(|it| experiment.is_own(it)));
    // 3. The others see what it played, each game once.
    one.refresh().expect("readable");
    assert_eq!(one.games().len(), 5);
    assert_eq!(one.population(), experiment.population());
    // 4. The experiment was killed before the file was gone.
    let text = serde_json::to_string(&games[0]).expect("plain data");
    fs::write(folder.0.join("pending-again.json"), text).expect("there is room");
    drop(experiment);
    assert_eq!(folder.open("here").games().len(), 5);
    assert!(folder.files("pending-").is_empty());
}

#[test]
fn a_game_that_is_not_let_in_is_not_thrown_away() {
    let folder = Folder::new("not-let-in");
    let mut reader = folder.read();
    let game = game_with_person(&reader, 9);
    let game = reader.record_game(game).expect("room");
    assert_eq!(folder.open("here").games().len(), 1);
    // Two games of one id: only one of them can be counted.
    let other = LearnedGame { plies: 10, ..game };
    let text = serde_json::to_string(&other).expect("plain data");
    fs::write(folder.0.join("pending-other.json"), text).expect("there is room");
    assert_eq!(folder.open("here").games().len(), 1);
    let kept = folder.files("pending-");
    assert_eq!(kept, [folder.0.join("pending-other.refused")]);
    let text = fs::read_to_string(&kept[0]).expect("text");
    assert!(text.contains(r#""plies":10"#), "{text}");
}

#[test]
fn a_folder_in_use_is_refused_and_loses_no_game() {
    let folder = Folder::new("taken");
    let plan = |games| LearnPlan::new("random?.depth=1", games, 3);
    folder.learn(plan(2)).0.expect("games");
    let lock = FolderLock::take(&folder.0).expect("nobody has it");
    let error = folder.learn(plan(3)).0.expect_err("somebody holds it");
    assert!(error.to_string().contains("is in use by"), "{error}");
    // People play meanwhile.
    let mut reader = folder.read();
    let game = game_with_person(&reader, 9);
    reader.record_game(game).expect("room");
    drop(lock);
    let outcome = folder.learn(plan(3)).0.expect("games");
    assert_eq!((outcome.games, outcome.here, outcome.now), (4, 4, Some(1)));
}

#[test]
fn a_folder_keeps_its_node_id() {
    let folder = Folder::new("named");
    play(&mut folder.open("pea"), 1);
    let again = folder.open("bean");
    assert_eq!(again.node_id(), "pea");
    assert_eq!(folder.read().node_id(), "pea");
}

#[test]
fn a_plan_counts_the_games_of_its_folder() {
    let (folder, other) = (Folder::new("own"), Folder::new("other"));
    let plan = LearnPlan::new("random?.depth=1", 3, 3);
    other.learn(plan.clone()).0.expect("games");
    let mut population = folder.open("here");
    population
        .merge(other.read().games().cloned())
        .expect("room");
    play(&mut population, 5);
    drop(population);
    let (outcome, played) = folder.learn(plan);
    let outcome = outcome.expect("games");
    assert_eq!((played, outcome.games, outcome.now), (3, 11, Some(3)));
    let met: Vec<(String, usize, usize)> = opponents(&folder.read())
        .into_iter()
        .map(|it| (it.name, it.results.len(), it.here))
        .collect();
    let wanted = [("random?.depth=1", 6, 3), ("the world", 5, 5)];
    assert_eq!(
        met,
        wanted.map(|(name, all, here)| (name.to_owned(), all, here))
    );
}

#[test]
fn a_bred_population_begins_with_the_player_and_its_mutants() {
    let folder = Folder::new("bred");
    let bred = config(InitialWeights::Bred);
    let learning = OnlinePopulation::read(&folder.0, &bred).expect("a population");
    let members = learning.population().members();
    let weights: Vec<i32> = Player::find("cwu-random")
        .expect("a built-in player")
        .evaluator
        .weights()
        .iter()
        .map(|it| it.value)
        .collect();
    assert_eq!(members[0].set, weights);
    assert!(members.iter().any(|it| it.set != weights));
}

#[test]
fn real_games_are_played_and_kept() {
    let folder = Folder::new("games");
    let (outcome, played) = folder.learn(LearnPlan::new("random?.depth=1", 4, 3));
    let outcome = outcome.expect("games");
    assert_eq!((played, outcome.games), (4, 4));
    let population = folder.read();
    let colours: Vec<bool> = population.games().map(|it| it.white).collect();
    assert_eq!(colours, [true, false, true, false]);
    assert!(population.games().all(|it| it.plies > 0 && it.plies <= 200));
    // What was requested last is finished by a resume.
    let options = LearnOptions::default();
    let again = frame::resume::<Learn>(&folder.0, &options, &Host::default()).expect("done");
    assert_eq!((again.games, again.now), (4, Some(0)));
    let nobody = folder.learn(LearnPlan::new("nobody", 5, 3)).0;
    assert!(nobody.is_err());
}
