//! Names, addresses, secrets and tasks, without a server.

use mendel_crew::{CompletedOutput, Secret, Site, Task, TaskHandler, Unpack, parallel};

use super::*;

#[test]
fn a_blob_is_named_by_its_contents() {
    let id = BlobId::of(b"abc");
    // Published with the hash (FIPS 180-2).
    let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(id.to_string(), text);
    assert_eq!(BlobId::try_from(text.to_owned()), Ok(id));
    for wrong in ["", "ba78", &"g".repeat(64), &"é".repeat(32)] {
        assert!(BlobId::try_from(wrong.to_owned()).is_err());
    }
}

#[test]
fn names_cannot_leave_their_subject() {
    for name in ["a", "job-17", &"x".repeat(64)] {
        assert_eq!(JobId::new(name).map(String::from), Ok(name.to_owned()));
    }
    for name in ["", "a.b", "*", ">", "a b", "A", "é", "a\n", &"x".repeat(65)] {
        assert!(JobId::new(name).is_err(), "{name:?}");
    }
}

fn options(url: &str) -> Result<ConnectOptions, CrewError> {
    ConnectOptions::new(url, None, None)
}

#[test]
fn this_machine_needs_no_secret() {
    for (url, shown) in [
        ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222"),
        ("127.0.0.1", "nats://127.0.0.1:4222"),
        ("localhost:99", "nats://localhost:99"),
        ("nats://[::1]:4223/", "nats://[::1]:4223"),
        ("::1", "nats://[::1]:4222"),
        ("tls://127.3.2.1", "tls://127.3.2.1:4222"),
    ] {
        assert_eq!(
            options(url).map(|options| options.url().to_owned()),
            Ok(shown.to_owned())
        );
    }
}

#[test]
fn other_machines_need_encryption_and_a_secret() {
    let secret = || Some(Secret::Token("s3cret".into()));
    for url in [
        "nats://10.0.0.1",
        "nats://example.org:4222",
        "0.0.0.0",
        "127.0.0.1.example.org",
    ] {
        let refused = options(url);
        assert!(
            matches!(refused, Err(CrewError::NotEncrypted { .. })),
            "{url}"
        );
        assert!(
            ConnectOptions::new(url, secret(), None).is_err(),
            "a token does not encrypt: {url}"
        );
    }
    let refused = options("tls://example.org");
    assert!(matches!(refused, Err(CrewError::NoSecret { .. })));
    assert!(ConnectOptions::new("tls://example.org", secret(), None).is_ok());
}

#[test]
fn an_invalid_address_is_refused_without_showing_a_secret() {
    for url in [
        "",
        "http://127.0.0.1",
        "nats://",
        "nats://a:b",
        "nats://a b",
        "nats://a:70000",
    ] {
        assert!(
            matches!(options(url), Err(CrewError::Url { .. })),
            "{url:?}"
        );
    }
    let refused = options("nats://s3cret@127.0.0.1").unwrap_err().to_string();
    assert!(refused.contains("does not belong"), "{refused}");
    assert!(!refused.contains("s3cret"), "{refused}");
}

#[test]
fn a_secret_is_told_by_its_form_and_not_printed() {
    let file = fresh_folder("secrets").join("secret");
    let read = |line: &str| {
        std::fs::write(&file, line).expect("the folder is writable");
        Secret::read(&file)
    };
    let seed = format!("SU{}", "A".repeat(56));
    assert_eq!(read(&seed), Ok(Secret::NKey(seed.clone())));
    let user = Secret::User("anna".into(), "pea".into());
    assert_eq!(read("anna:pea\n"), Ok(user.clone()));
    assert_eq!(read("SUn"), Ok(Secret::Token("SUn".into())));
    assert_eq!(format!("{user:?}"), "User");
    for wrong in ["", "\n", "two\nlines"] {
        assert!(
            matches!(read(wrong), Err(CrewError::File { .. })),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_stopped_job_completes_only_what_ended_by_itself() {
    let progress = JobProgress::default();
    assert_eq!(progress.complete(1).map(CompletedOutput::into_inner), Ok(1));
    progress.stop_flag().store(true, Ordering::Relaxed);
    assert_eq!(
        progress.complete(1).map(CompletedOutput::into_inner),
        Err(HandlerError::Stopped)
    );
    assert_eq!(progress.complete_at_own_end(1).into_inner(), 1);
}

#[test]
fn results_are_in_order_on_any_number_of_threads() {
    let squares: Vec<usize> = (0..1000).map(|unit| unit * unit).collect();
    for threads in [0, 1, 2, 7] {
        assert_eq!(
            parallel(threads, 1000, |unit| unit * unit),
            squares,
            "{threads}"
        );
    }
    assert!(parallel(3, 0, |unit| unit).is_empty());
}

/// Gives the number of its state, which has this key.
#[derive(Clone, Default)]
struct Numbered {
    key: String,
    /// `reusable`, `spent` or `broken`.
    state: String,
    states: Arc<AtomicU64>,
}

impl Task for Numbered {
    const KIND: &'static str = "numbered";
    const VERSION: u32 = 1;
    type Item = u64;
    type Output = u64;
    type TaskState = u64;

    fn item_id(&self, item: &u64) -> u64 {
        *item
    }

    fn new_state(&self, _: Site) -> Result<u64, HandlerError> {
        Ok(1 + self.states.fetch_add(1, Ordering::Relaxed))
    }

    fn run(
        &self,
        state: &mut u64,
        _: &u64,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<u64>, HandlerError> {
        if self.state == "broken" {
            return Err(HandlerError::CannotRun("broken".to_owned()));
        }
        progress.complete(*state)
    }

    fn accept(&self, _: &u64, output: u64) -> Result<u64, String> {
        Ok(output)
    }

    fn state_key(&self) -> Option<String> {
        Some(self.key.clone())
    }

    fn reusable(&self, _: &[u64]) -> bool {
        self.state == "reusable"
    }
}

impl Unpack for Numbered {
    type Task = Self;

    fn unpack(&self, payload: &[u8], _: &dyn Blobs) -> Result<(Self, Vec<u64>), HandlerError> {
        let text = String::from_utf8_lossy(payload);
        let (key, state) = text.split_once(' ').expect("a key and a state");
        let task = Self {
            key: key.to_owned(),
            state: state.to_owned(),
            states: Arc::clone(&self.states),
        };
        Ok((task, vec![0]))
    }
}

#[test]
fn a_reusable_state_is_reused_and_no_more_are_kept_than_can_be_used() {
    let handler = TaskHandler::new(Numbered::default());
    let none: HashMap<BlobId, Arc<[u8]>> = HashMap::new();
    let work = |key: &str, state: &str| {
        let job = job("job", &format!("{key} {state}"));
        handler.work(&job, &none, &JobProgress::default())
    };
    let number = |key: &str, state: &str| {
        let result = work(key, state).expect("it works");
        let outputs: serde_json::Value = serde_json::from_slice(&result).expect("JSON");
        outputs[0]["output"].as_u64().expect("a number")
    };
    assert_eq!((number("a", "reusable"), number("a", "reusable")), (1, 1));
    assert_eq!((number("a", "spent"), number("a", "reusable")), (1, 2));
    // One job runs at a time, so that the other state takes its place.
    assert_eq!((number("b", "reusable"), number("a", "reusable")), (3, 4));
    let broken = HandlerError::CannotRun("broken".to_owned());
    assert_eq!(work("a", "broken"), Err(broken));
    assert_eq!(number("a", "reusable"), 5);
}
