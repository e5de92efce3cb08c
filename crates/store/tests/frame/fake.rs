//! Two fake kinds of experiment: a counter, and counters inside another experiment.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mendel_store::frame::{
    Events, Experiment, Failure, Folder, Frame, Host, Identity, Memo, MemoRecord, Preparation,
    Timing, start_or_resume,
};
use mendel_store::{Record, Sync, fingerprint};
use serde::{Deserialize, Serialize};

/// An item of a step, finished in an order of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) step: u32,
    pub(crate) number: u32,
    pub(crate) value: u64,
}

impl Record for Item {}

impl MemoRecord for Item {
    type Key = (u32, u32);

    fn key(&self) -> (u32, u32) {
        (self.step, self.number)
    }
}

/// What a step came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) step: u32,
    pub(crate) sum: u64,
}

impl Record for Step {}

/// A value that depends on everything before it.
fn value(seed: u64, step: u32, number: u32, before: u64) -> u64 {
    let text = format!("{seed} {step} {number} {before}");
    u64::from_str_radix(&fingerprint(text.as_bytes())[..8], 16).expect("digits")
}

/// Items of a step that are not found in the memo, in an order that differs between steps.
fn do_items(
    frame: &Frame,
    memo: &mut Memo<Item>,
    step: u32,
    count: u32,
    before: u64,
) -> Result<u64, Failure> {
    let seed = frame.manifest().seed;
    let mut sum = 0_u64;
    for turn in 0..count {
        let number = (turn * 7 + step) % count;
        let wanted = Item {
            step,
            number,
            value: 0,
        };
        let value = if let Some(found) = memo.find(&wanted) {
            found.value
        } else {
            let value = value(seed, step, number, before);
            memo.append(Item { value, ..wanted })?;
            value
        };
        sum = sum.wrapping_add(value);
        frame
            .events()
            .progress("items", u64::from(turn + 1), Some(u64::from(count)));
        frame.check_stop()?;
    }
    Ok(sum)
}

/// Steps of items with a journal, a memo in two files and a checkpoint.
pub(crate) struct Counter(CounterPlan);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CounterPlan {
    pub(crate) steps: u32,
    pub(crate) items: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Count {
    pub(crate) sum: u64,
}

#[derive(Default, Serialize, Deserialize)]
struct CounterState {
    done: u32,
    sum: u64,
}

/// The options of all fake kinds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) proof: bool,
}

impl Experiment for Counter {
    const KIND: &'static str = "counter";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = "counter.toml";
    type Plan = CounterPlan;
    type ExecOptions = Options;
    type Outcome = Count;

    fn prepare(
        plan: CounterPlan,
        _seed: u64,
        _options: &Options,
        context: &Preparation,
    ) -> Result<Self, Failure> {
        context.progress("preparing", 0, None);
        context.check_stop()?;
        if plan.items == 0 {
            return Err(Failure::invalid("a step needs items").with_hint("set `items`"));
        }
        Ok(Self(plan))
    }

    fn identity(&self) -> Identity {
        let mut facts = toml::Table::new();
        facts.insert("items".to_owned(), i64::from(self.0.items).into());
        facts.insert("scale".to_owned(), 0.1.into());
        Identity {
            id: fingerprint(format!("{:?}", self.0).as_bytes()),
            name: "counter".to_owned(),
            facts,
        }
    }

    fn run(self, frame: &mut Frame) -> Result<Count, Failure> {
        let plan = self.0;
        let mut state: CounterState = frame.read_checkpoint()?.unwrap_or_default();
        let (mut steps, found) = frame.journal::<Step>("steps.jsonl")?;
        assert_eq!(found.len(), state.done as usize);
        let done = state.done;
        let mut items = frame.memo_until("items", Sync::Each, |key: &(u32, u32)| key.0 < done)?;
        while state.done < plan.steps {
            frame.check_stop()?;
            let begin = Instant::now();
            let step = state.done;
            let sum = do_items(frame, &mut items, step, plan.items, state.sum)?;
            let record = Step { step, sum };
            steps.append(&record)?;
            state.sum = state.sum.wrapping_add(sum);
            state.done += 1;
            items.flush_until(|key| key.0 <= step)?;
            frame.write_checkpoint(&state, &mut [&mut steps, &mut items])?;
            frame.record_timing("step", Some(step), begin)?;
            frame.events().record("step", &record);
        }
        Ok(Count { sum: state.sum })
    }
}

/// Counters inside another experiment, a memo in one file, and a proof if it is requested.
pub(crate) struct Outer(OuterPlan, Options);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OuterPlan {
    pub(crate) counters: Vec<u32>,
    pub(crate) items: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OuterOutcome {
    pub(crate) counts: Vec<u64>,
    pub(crate) games: u64,
    pub(crate) proof: Option<u64>,
}

impl Experiment for Outer {
    const KIND: &'static str = "outer";
    const SCHEMA: u32 = 3;
    const PLAN: &'static str = "outer.toml";
    type Plan = OuterPlan;
    type ExecOptions = Options;
    type Outcome = OuterOutcome;

    fn prepare(
        plan: OuterPlan,
        _seed: u64,
        options: &Options,
        context: &Preparation,
    ) -> Result<Self, Failure> {
        context.check_stop()?;
        if plan.counters.is_empty() {
            return Err(Failure::invalid("there are no counters"));
        }
        Ok(Self(plan, *options))
    }

    fn identity(&self) -> Identity {
        Identity {
            id: fingerprint(format!("{:?}", self.0).as_bytes()),
            name: "outer".to_owned(),
            facts: toml::Table::new(),
        }
    }

    fn satisfies(outcome: &OuterOutcome, options: &Options) -> bool {
        outcome.proof.is_some() || !options.proof
    }

    fn run(self, frame: &mut Frame) -> Result<OuterOutcome, Failure> {
        let options = Options::default();
        let seed = frame.manifest().seed;
        let mut counts = Vec::new();
        for (number, &steps) in self.0.counters.iter().enumerate() {
            let plan = CounterPlan {
                steps,
                items: self.0.items,
            };
            let inner = format!("{number:04}");
            let seed = seed + number as u64;
            counts.push(frame.nested::<Counter>(&inner, plan, seed, &options)?.sum);
        }
        let mut games = frame.memo::<Item>("games.jsonl", Sync::Each)?;
        let sum = do_items(frame, &mut games, 0, self.0.items, 0)?;
        games.finish_with(|_| true)?;
        frame.write("champion.toml", format!("sum = {sum}\n"))?;
        let proof = if self.1.proof {
            let plan = CounterPlan { steps: 2, items: 3 };
            Some(
                frame
                    .nested::<Counter>("proof/parent", plan, 7, &options)?
                    .sum,
            )
        } else {
            None
        };
        Ok(OuterOutcome {
            counts,
            games: sum,
            proof,
        })
    }
}

pub(crate) fn outer_plan() -> OuterPlan {
    OuterPlan {
        counters: vec![2, 2],
        items: 3,
    }
}

pub(crate) fn run_outer(folder: &Path, host: &Host) -> Result<OuterOutcome, Failure> {
    let options = Options::default();
    start_or_resume::<Outer>(folder, outer_plan(), 11, "outer", &options, host)
}

/// All files below a folder with what is in them, but for logs, locks and the checkpoint before
/// the last.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for item in fs::read_dir(&next).expect("a folder") {
            let path = item.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if ![Events::FILE, Timing::FILE, ".lock", Folder::PREVIOUS_CHECKPOINT]
                .contains(&&*name)
                // What a killed process left beside a file that it replaced.
                && !name.ends_with(".new")
                // What a repair put aside.
                && !name.contains(".damaged")
            {
                let text = fs::read_to_string(&path).expect("text");
                let short = path.strip_prefix(folder).expect("it is below");
                found.insert(short.to_owned(), text);
            }
        }
    }
    found
}

/// What an experiment leaves that nothing interrupts.
pub(crate) fn unbroken(name: &str) -> (OuterOutcome, BTreeMap<PathBuf, String>) {
    let folder = crate::fresh_folder(name);
    let outcome = run_outer(&folder, &Host::default()).expect("nothing interrupts it");
    (outcome, contents(&folder))
}
