//! Learning after each game: what is kept, merged and learned.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mendel_engine::Player;
use mendel_lab::analysis::Trend;
use mendel_lab::online::{
    Against, Course, Event, Finished, Founding, Learning, LearningError, Merged, Rules, Scored,
    Start, opponents, page, teach,
};
use mendel_store::FolderLock;

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("mendel-online-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn open(&self, installation: &str) -> Learning {
        Learning::open(&self.0, &founding(Start::Random), installation).expect("a population")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn founding(start: Start) -> Founding {
    let player = Player::find("cwu-random").expect("a built-in player");
    let rules = Rules {
        start,
        ..Rules::default()
    };
    Founding::new(&player, rules, 7)
}

/// A world in which sets win that count their men and love mobility.
fn result(set: &[i32], number: usize) -> Scored {
    let worth = i64::from(set[2]) + i64::from(set[6]);
    let luck = (number as i64 * 7919 % 101 - 50) * 500;
    match worth + luck {
        20_000.. => Scored::Won,
        0..20_000 => Scored::Drawn,
        _ => Scored::Lost,
    }
}

fn play(learning: &mut Learning, games: usize) -> Vec<Event> {
    (0..games)
        .map(|_| {
            let number = learning.events().len();
            let set = learning.choose(number as u64);
            let game = Finished {
                result: result(&set, number),
                set,
                opponent: "the world".to_owned(),
                against: Against::Program,
                white: number.is_multiple_of(2),
                plies: 60,
            };
            learning.tell(game).expect("there is room")
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
        let path = broken.0.join("events.jsonl");
        let mut text = fs::read_to_string(&path).expect("the journal");
        text.push_str("{\"v\":1,\"id\":{\"num");
        fs::write(&path, text).expect("there is room");
    }
    let again = broken.open("here");
    assert_eq!(again.events().len(), 120);
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
    let html = page(&learning).render();
    assert!(html.contains("Results over the games") && html.contains("it improves"));
}

#[test]
fn games_of_several_installations_count_once_in_whatever_order_they_come() {
    let folders = ["a", "b", "c"].map(|name| Folder::new(&format!("merge-{name}")));
    let mut all: Vec<Event> = Vec::new();
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
        let known = Merged {
            known: 120,
            ..Merged::default()
        };
        assert_eq!(third, known);
        populations.push(learning.population().clone());
    }
    assert_eq!(populations[0], populations[1]);
    assert_eq!(populations[0], populations[2]);
    let games: u32 = populations[0]
        .members()
        .iter()
        .map(|it| it.tally.games())
        .sum();
    assert!(games > 0 && populations[0].members().len() <= Rules::default().size);

    // 2. Whoever goes on does so behind everything it knows.
    let mut first = folders[0].open("a");
    let told = play(&mut first, 1);
    assert_eq!(told[0].id.number, 41);
    assert_eq!(first.events().last(), Some(&told[0]));
}

#[test]
fn what_does_not_belong_is_refused_and_changes_nothing() {
    let folder = Folder::new("refuse");
    let mut learning = folder.open("here");
    let own = play(&mut learning, 5);
    let before = learning.population().clone();
    let stranger = Event {
        population: "another".to_owned(),
        ..own[0].clone()
    };
    let mut impostor = own[0].clone();
    impostor.plies += 1;
    let mut crippled = own[0].clone();
    crippled.id.installation = "there".to_owned();
    crippled.set.pop();
    let mut elsewhere = stranger;
    elsewhere.id.number = 99;
    let merged = learning
        .merge([impostor, crippled, elsewhere])
        .expect("room");
    assert_eq!((merged.new, merged.refused), (0, 3));
    assert_eq!(learning.population(), &before);
    drop(learning);

    let other = Founding {
        seed: 8,
        ..founding(Start::Random)
    };
    let error = Learning::open(&folder.0, &other, "here").expect_err("another founding");
    assert!(
        matches!(error, LearningError::Another { seed: 7, .. }),
        "{error}"
    );
    let fresh = Folder::new("unsuited");
    let material = Player::find("material").expect("a built-in player");
    let unsuited = Founding::new(&material, Rules::default(), 1);
    let error = Learning::open(&fresh.0, &unsuited, "here").expect_err("no weights");
    assert!(error.to_string().contains("cannot learn"), "{error}");
    assert!(!fresh.0.join("learning.toml").exists());
}

/// Anybody with the right to post may have written it.
#[test]
fn a_hostile_game_neither_counts_nor_spoils_the_numbers() {
    let folder = Folder::new("hostile");
    let mut learning = folder.open("here");
    let own = play(&mut learning, 5);
    let before = learning.population().clone();
    let hostile = |change: &dyn Fn(&mut Event)| {
        let mut event = own[0].clone();
        event.id.installation = "there".to_owned();
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
        hostile(&|it| it.id.installation = "x".repeat(65)),
        hostile(&|it| it.id.installation = "a\nb".to_owned()),
    ];
    let merged = learning.merge(events.clone()).expect("room");
    assert_eq!((merged.new, merged.refused), (0, events.len()));
    assert_eq!(learning.population(), &before);
    assert_eq!(play(&mut learning, 1)[0].id.number, 6);
    drop(learning);

    // A journal that let one in before is no worse.
    let path = folder.0.join("events.jsonl");
    let mut text = fs::read_to_string(&path).expect("the journal");
    for event in &events[..3] {
        let line = serde_json::to_string(event).expect("plain data");
        text.push_str(&line.replacen('{', "{\"v\":1,", 1));
        text.push('\n');
    }
    fs::write(&path, text).expect("there is room");
    let mut learning = folder.open("here");
    assert_eq!(learning.events().len(), 6);
    assert_eq!(play(&mut learning, 1)[0].id.number, 7);
}

#[test]
fn what_is_told_here_is_what_others_accept() {
    let (here, there) = (Folder::new("plain-here"), Folder::new("plain-there"));
    let mut learning = here.open("here");
    let told = learning.tell(Finished {
        set: learning.choose(1),
        opponent: format!("cmd:/x{}\n", "y".repeat(500)),
        against: Against::Program,
        white: true,
        plies: u32::MAX,
        result: Scored::Drawn,
    });
    let merged = there.open("there").merge([told.expect("room")]);
    assert_eq!(merged.expect("room").new, 1);
}

#[test]
fn others_may_tell_games_while_it_rests() {
    let folder = Folder::new("rest");
    let mut learning = folder.open("here");
    play(&mut learning, 3);
    learning.rest();
    play(&mut folder.open("here"), 2);
    learning.wake().expect("nobody is at it");
    assert_eq!(learning.events().len(), 5);
    assert_eq!(play(&mut learning, 1)[0].id.number, 6);
    learning.wake().expect("it is awake");
    learning.rest();
    assert_eq!(folder.open("here").population(), learning.population());
}

#[test]
fn a_game_that_ends_while_somebody_is_at_it_counts_once() {
    let folder = Folder::new("spool");
    let mut learning = folder.open("here");
    play(&mut learning, 2);
    let spool = learning.spool();
    let game = |plies| Finished {
        set: learning.choose(1),
        opponent: "a person".to_owned(),
        against: Against::Person,
        white: true,
        plies,
        result: Scored::Won,
    };
    let games = [game(9), game(9)];
    let kept: Vec<Event> = games
        .iter()
        .zip(["one", "two"])
        .map(|(game, unique)| spool.keep(game.clone(), unique).expect("room"))
        .collect();
    let waiting = || {
        let files = fs::read_dir(&folder.0).expect("a folder").flatten();
        files
            .filter(|it| it.file_name().to_string_lossy().starts_with("told-"))
            .count()
    };
    assert_eq!(waiting(), 2);
    play(&mut learning, 1);
    drop(learning);
    let learning = folder.open("here");
    assert_eq!((learning.events().len(), waiting()), (5, 0));
    assert!(
        kept.iter()
            .all(|it| learning.event(&it.id) == Some(it) && learning.is_own(it))
    );
    drop(learning);
    // Killed before the file was gone.
    spool.keep(games[0].clone(), "one").expect("room");
    assert_eq!((folder.open("here").events().len(), waiting()), (5, 0));
}

#[test]
fn a_game_that_is_not_let_in_is_not_thrown_away() {
    let folder = Folder::new("not-let-in");
    let learning = folder.open("here");
    let spool = learning.spool();
    let game = |plies| Finished {
        set: learning.choose(1),
        opponent: "a person".to_owned(),
        against: Against::Person,
        white: true,
        plies,
        result: Scored::Won,
    };
    let games = [game(9), game(10)];
    drop(learning);
    // Two games of one id: only one of them can be counted.
    for game in games {
        spool.keep(game, "one").expect("room");
        assert_eq!(folder.open("here").events().len(), 1);
    }
    let files = fs::read_dir(&folder.0).expect("a folder").flatten();
    let kept = files
        .filter(|it| it.file_name().to_string_lossy().starts_with("told-"))
        .map(|it| fs::read_to_string(it.path()).expect("text"))
        .collect::<Vec<_>>();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].contains(r#""plies":10"#), "{kept:?}");
}

#[test]
fn a_course_that_finds_its_folder_taken_loses_no_game() {
    let folder = Folder::new("taken");
    let mut learning = folder.open("here");
    learning.wait_for(Duration::from_millis(50));
    let course = Course {
        shares_folder: true,
        ..Course::new("random?.depth=1", 3, 3)
    };
    let over = Arc::new(AtomicBool::new(false));
    let (path, ended) = (folder.0.clone(), Arc::clone(&over));
    let somebody = thread::spawn(move || {
        let lock = loop {
            if let Ok(lock) = FolderLock::take(&path) {
                break lock;
            }
        };
        while !ended.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(5));
        }
        drop(lock);
    });
    let told = teach(&mut learning, &course, &mut |_, _| {});
    let error = told.expect_err("somebody holds the folder").to_string();
    assert!(error.contains("is in use by"), "{error}");
    assert!(error.contains("the same command goes on"), "{error}");
    let before = learning.events().len();
    over.store(true, Ordering::Relaxed);
    somebody.join().expect("it ends");
    drop(learning);
    let mut learning = folder.open("here");
    assert_eq!(learning.events().len(), before + 1);
    assert!(teach(&mut learning, &course, &mut |_, _| {}).expect("games"));
    assert_eq!(learning.events().len(), 3);
}

#[test]
fn a_folder_keeps_its_name() {
    let folder = Folder::new("named");
    play(&mut folder.open("pea"), 1);
    let again = folder.open("bean");
    assert_eq!(again.installation(), "pea");
}

#[test]
fn a_course_counts_its_own_games() {
    let (folder, other) = (Folder::new("own"), Folder::new("other"));
    let mut learning = folder.open("here");
    let mut foreign = other.open("there");
    let course = Course::new("random?.depth=1", 3, 3);
    teach(&mut foreign, &course, &mut |_, _| {}).expect("games");
    learning.merge(foreign.events().cloned()).expect("room");
    play(&mut learning, 5);
    let mut told = 0;
    let done = teach(&mut learning, &course, &mut |_, _| told += 1).expect("games");
    assert!(done);
    assert_eq!((told, learning.events().len()), (3, 11));
    let met: Vec<(String, usize, usize)> = opponents(&learning)
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
    let learning = Learning::open(&folder.0, &founding(Start::Bred), "here").expect("a population");
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
    let mut learning = folder.open("here");
    let course = Course::new("random?.depth=1", 4, 3);
    let mut told = 0;
    let done = teach(&mut learning, &course, &mut |_, _| told += 1).expect("games");
    assert!(done);
    assert_eq!((told, learning.events().len()), (4, 4));
    let colours: Vec<bool> = learning.events().map(|it| it.white).collect();
    assert_eq!(colours, [true, false, true, false]);
    assert!(learning.events().all(|it| it.plies > 0 && it.plies <= 200));
    let nobody = Course::new("nobody", 5, 3);
    assert!(teach(&mut learning, &nobody, &mut |_, _| {}).is_err());
}
