//! Pipelines whose steps ask players: answers and accuracies.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mendel_lab::pipeline::{Output, Pipeline, PipelineRun};
use mendel_lab::recipe::Recipe;
use mendel_store::frame::Failure;
use mendel_testkit::stop_at_random_moments;

use crate::experiment::{Request, Work, resume, silent, start};
use crate::made_data::{checked, scratch, write_set};

const ASKED: &str = r#"
name = "asked"
parent = "gerald-base"
[[step]]
name = "answers"
[step.agreement]
players = ["mendel", "gerald-base"]
data = "DATA"
positions = 120
nodes = 200
[[step]]
name = "games"
[step.match]
players = ["mendel?Hash=1", "gerald-base?Hash=1"]
games = 6
nodes = 100
max-plies = 10
accuracy = { players = ["mendel?Hash=1"], nodes = 1000 }
"#;

fn run(request: &Request, work: &Work) -> Result<Pipeline, Failure> {
    if request.folder.join("manifest.toml").is_file() {
        resume::<PipelineRun>(&request.folder, work, silent)
    } else {
        start::<PipelineRun>(request, work, silent)
    }
}

/// Results without what a folder or a command is called.
fn results(pipeline: &Pipeline) -> Vec<Option<Output>> {
    let steps = pipeline.steps.iter();
    steps.map(|step| step.result.clone()).collect()
}

fn lines(folder: &Path, file: &str) -> usize {
    let text = fs::read_to_string(folder.join(file)).expect("it is there");
    text.lines().count()
}

/// What players answer and how they are judged is the same, however often they are stopped in
/// between: a search that is cut short has a move and a score, too.
#[test]
fn steps_that_are_stopped_at_random_moments_are_those_of_an_unbroken_run() {
    let folder = scratch("asked");
    let data = folder.join("set.mds");
    write_set(&data, 120);
    let text = ASKED.replace("DATA", &data.to_string_lossy());
    let recipe = checked(Recipe::parse(&text, "test", &[]));
    let request = |name: &str| Request {
        recipe: recipe.clone().unwrap_or_else(|error| panic!("{error}")),
        seed: 5,
        data: None,
        folder: folder.join(name),
    };
    let (unbroken, begin) = (request("unbroken"), Instant::now());
    let whole = run(&unbroken, &Work::threads(2)).unwrap_or_else(|error| panic!("{error}"));
    let typical = begin.elapsed();
    assert_eq!(lines(&unbroken.folder, "steps/01-answers/moves.jsonl"), 6);
    assert_eq!(lines(&unbroken.folder, "steps/02-games/accuracy.jsonl"), 6);
    let broken = request("broken");
    stop_at_random_moments(0x5EED, typical, |attempt| {
        if attempt.starts_again {
            let _ = fs::remove_dir_all(&broken.folder);
        }
        let work = Work {
            stop: Arc::clone(&attempt.stop),
            ..Work::threads(1 + attempt.number % 2)
        };
        match run(&broken, &work) {
            Ok(again) => {
                assert_eq!(results(&again), results(&whole));
                true
            }
            Err(Failure::Stopped) => false,
            Err(error) => panic!("{error}"),
        }
    });
}
