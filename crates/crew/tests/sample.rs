//! The sample of a server's configuration in `docs/`, as it is.

use std::path::Path;

use mendel_crew::{Notices, Secret, status};

use super::*;

/// The server of the sample, with a certificate of its own and passwords that are
/// the users' names.
fn place() -> Place {
    let folder = fresh_folder("sample");
    let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate can be made");
    let write = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).expect("the folder is writable");
    };
    write("crew.crt", made.cert.pem());
    write("crew.key", made.signing_key.serialize_pem());
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/crew-server.conf");
    let sample = sample.to_str().expect("a path of text").to_owned();
    let passwords = ["COORDINATOR", "WORKER", "LEARNER"]
        .map(|user| (format!("{user}_PASSWORD"), user.to_lowercase()));
    Place::in_folder(folder, &["--config", &sample], &passwords)
}

fn options(place: &Place, user: &str, password: &str) -> Options {
    let ca = place.folder().join("crew.crt");
    let secret = Secret::User(user.into(), password.into());
    let url = place.url().replace("nats://", "tls://");
    let options = Options::new(&url, Some(secret), Some(&ca));
    let mut options = options.expect("it is encrypted and has a secret");
    options.lease = place.options().lease;
    options.patience = Duration::from_secs(10);
    options
}

#[test]
fn with_the_sample_everybody_can_do_its_part_and_no_other() {
    let place = place();
    let [coordinator, worker, learner] =
        ["coordinator", "worker", "learner"].map(|user| options(&place, user, user));
    let remote = Remote::connect(&coordinator, PROGRAM).expect("it may");
    let help = Help::start_as(worker.clone(), Limits::default(), PROGRAM);

    // All that a crew does: results, blobs, a job that was lost, the dead, the status.
    let contents: Arc<[u8]> = vec![5; 400_000].into();
    let blob = BlobId::of(&contents);
    let mut jobs = echoes(3);
    jobs.push(job("hang", "hang"));
    jobs.push(Job {
        blobs: vec![blob],
        ..job("blob", "blob")
    });
    let find = |_: &BlobId| Some(Arc::clone(&contents));
    let stop = AtomicBool::new(false);
    let mut books = Books::default();
    let tally = remote.work("run", jobs.into_iter(), &find, &stop, &mut |outcome| {
        books.enter(outcome);
        if books.outcomes.len() == 4 {
            let seen = status(&coordinator).expect("it may");
            assert_eq!((seen.workers.len(), seen.coordinators.len()), (1, 1));
        }
        Ok::<_, Infallible>(GoOn::Yes)
    });
    let tally = tally.expect("it works");
    assert_eq!((tally.done, tally.dead), (4, 1));
    assert_eq!(books.outcomes["blob"].as_deref(), Ok(&contents[..]));
    assert!(books.outcomes["hang"].is_err());
    help.end().expect("it worked");

    let board = Notices::open(&learner).expect("it may");
    board.post("a", b"1").expect("it may");
    assert_eq!(board.since(0).expect("it may").len(), 1);

    // A worker is no coordinator, and says why.
    let refused = Remote::connect(&worker, PROGRAM).expect_err("it may not");
    assert!(refused.to_string().contains("ermissions"), "{refused}");
    // A wrong password, and an authority that did not sign.
    let refused = Remote::connect(&options(&place, "coordinator", "worker"), PROGRAM);
    assert!(
        matches!(refused, Err(CrewError::Refused { .. })),
        "{refused:?}"
    );
    let url = place.url().replace("nats://", "tls://");
    let stranger = Secret::User("coordinator".into(), "coordinator".into());
    let stranger = Options::new(&url, Some(stranger), None).expect("it is encrypted");
    let refused = Remote::connect(&stranger, PROGRAM);
    assert!(
        matches!(refused, Err(CrewError::NoServer { .. })),
        "{refused:?}"
    );
}
