//! The sample of a server's configuration in `docs/`, as it is.

use std::path::Path;
use std::process::Command;

use mendel_crew::{Secret, SharedLog, status};

use super::*;
use crate::places::SHORT_LEASE;

/// The server of the sample, with the certificate that the page tells to make and
/// passwords that are the users' names.
fn place(name: &str) -> Place {
    let folder = fresh_folder(name);
    let made = Command::new("sh")
        .args(["-c", &certificate_command()])
        .current_dir(&folder)
        .output()
        .expect("there is a shell");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(
        made.status.success(),
        "install the package `openssl`: {said}"
    );
    let sample = docs("crew-server.conf");
    let sample = sample.to_str().expect("a path of text").to_owned();
    let passwords = ["COORDINATOR", "WORKER", "LEARNER"]
        .map(|user| (format!("{user}_PASSWORD"), user.to_lowercase()));
    Place::in_folder(folder, &["--config", &sample], &passwords)
}

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name)
}

/// The command of the page that makes a certificate, as it is printed there.
fn certificate_command() -> String {
    let page = std::fs::read_to_string(docs("crew.md")).expect("the page is there");
    let from = page.split("$ openssl ").nth(1).expect("the page has it");
    let mut command = "openssl ".to_owned();
    for line in from.lines() {
        command.extend([line, "\n"]);
        if !line.ends_with('\\') {
            break;
        }
    }
    command
}

fn options(place: &Place, user: &str, password: &str) -> ConnectOptions {
    let ca = place.folder().join("crew.crt");
    let secret = Secret::User(user.into(), password.into());
    let url = place.url().replace("nats://", "tls://");
    let options = ConnectOptions::new(&url, Some(secret), Some(&ca));
    let mut options = options.expect("it is encrypted and has a secret");
    options.lease = SHORT_LEASE;
    options.server_timeout = place.options().server_timeout;
    options
}

#[test]
fn the_sample_configuration_permits_each_role_its_part_and_no_other() {
    let place = place("sample");
    let [coordinator, worker, learner] =
        ["coordinator", "worker", "learner"].map(|user| options(&place, user, user));
    let remote = CrewClient::connect(&coordinator, PROGRAM).expect("it may");
    let help = Help::start_as(worker.clone(), WorkerLimits::default(), PROGRAM);

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
            wait_until("the status shows both", || {
                let seen = status(&coordinator).expect("it may");
                (seen.workers.len(), seen.coordinators.len()) == (1, 1)
            });
        }
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    let tally = tally.expect("it works");
    assert_eq!((tally.done, tally.dead), (4, 1));
    assert_eq!(books.outcomes["blob"].as_deref(), Ok(&contents[..]));
    assert!(books.outcomes["hang"].is_err());
    help.end().expect("it worked");

    let board = SharedLog::open(&learner).expect("it may");
    board.post("a", b"1").expect("it may");
    assert_eq!(board.since(0).expect("it may").len(), 1);

    // A worker is no coordinator, and says why.
    let refused = CrewClient::connect(&worker, PROGRAM).expect_err("it may not");
    assert!(refused.to_string().contains("ermissions"), "{refused}");
    assert!(refused.is_wrong_request(), "{refused}");
    // A wrong password, and an authority that did not sign.
    let refused = CrewClient::connect(&options(&place, "coordinator", "worker"), PROGRAM);
    assert!(
        matches!(refused, Err(CrewError::AccessDenied { .. })),
        "{refused:?}"
    );
    let url = place.url().replace("nats://", "tls://");
    let stranger = Secret::User("coordinator".into(), "coordinator".into());
    let stranger = ConnectOptions::new(&url, Some(stranger), None).expect("it is encrypted");
    let refused = CrewClient::connect(&stranger, PROGRAM);
    assert!(
        matches!(refused, Err(CrewError::NoTrust { .. })),
        "{refused:?}"
    );
}

/// What the page does not tell to do: the server is there, and that is not denied.
#[test]
fn a_certificate_that_does_not_fit_is_named_as_the_reason() {
    let place = place("distrust");
    let url = place.url().replace("nats://", "tls://");
    let secret = || Some(Secret::User("coordinator".into(), "coordinator".into()));
    let other = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]);
    let other = other.expect("a certificate can be made").cert.pem();
    let file = place.folder().join("other.crt");
    for (text, wanted) in [(other.as_str(), "certificate"), ("pea\n", "ertificate")] {
        std::fs::write(&file, text).expect("the folder is writable");
        let options = ConnectOptions::new(&url, secret(), Some(&file)).expect("it is encrypted");
        let refused = CrewClient::connect(&options, PROGRAM).expect_err("not this server");
        assert!(refused.is_wrong_request(), "{refused:?}");
        let said = refused.to_string();
        assert!(
            said.contains(wanted) && said.contains("--crew-ca"),
            "{said}"
        );
        assert!(!said.contains("no crew server"), "{said}");
    }
}

/// No role of the sample may listen to this.
const FORBIDDEN: &str = "forbidden.to.all";

/// Whether the sample's server lets a user listen to a subject.
fn may_listen(place: &Place, user: &str, subject: &str) -> bool {
    let (sender, mut said) = tokio::sync::mpsc::unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("an event loop");
    runtime.block_on(async {
        let client = async_nats::ConnectOptions::new()
            .require_tls(true)
            .add_root_certificates(place.folder().join("crew.crt"))
            .user_and_password(user.to_owned(), user.to_owned())
            .event_callback(move |event| {
                if let async_nats::Event::ServerError(error) = event {
                    let _ = sender.send(error.to_string());
                }
                async {}
            })
            .connect(place.url().replace("nats://", "tls://"))
            .await
            .expect("it is a user");
        let _listening = client.subscribe(subject.to_owned()).await;
        // No role may listen to this, and the server answers in order.
        let _refused = client.subscribe(FORBIDDEN).await;
        let mut may = true;
        loop {
            let text = tokio::time::timeout(LIMIT, said.recv()).await;
            let text = text.expect("the server answers").expect("it is connected");
            if text.contains("ermissions") {
                if text.contains(FORBIDDEN) {
                    break;
                }
                may = false;
            }
        }
        may
    })
}

#[test]
fn the_sample_configuration_keeps_replies_private() {
    let place = place("inboxes");
    let roles = ["coordinator", "worker", "learner"];
    for user in roles {
        for role in roles {
            let inbox = format!("_INBOX_{role}.>");
            assert_eq!(
                may_listen(&place, user, &inbox),
                user == role,
                "{user} at {inbox}"
            );
        }
        for everything in ["_INBOX.>", "mendel.results.>", "mendel.jobs.>", ">"] {
            assert!(
                !may_listen(&place, user, everything),
                "{user} at {everything}"
            );
        }
    }
}
