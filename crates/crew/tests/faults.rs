//! What arrives damaged, late, twice or too large does no harm.

use futures_util::StreamExt;

use super::*;

/// The subject of a result of the run `run`.
fn result_subject(id: &str) -> String {
    format!("mendel.results.run.{id}")
}

/// The messages of the results of a run, taken from the server without removing them.
async fn results(streams: &async_nats::jetstream::Context) -> Vec<(String, Vec<u8>)> {
    let stream = streams
        .get_stream("MENDEL_RESULTS")
        .await
        .expect("it is there");
    let state = stream.cached_info().state.clone();
    let mut found = Vec::new();
    for sequence in state.first_sequence..=state.last_sequence {
        if let Ok(message) = stream.get_raw_message(sequence).await {
            found.push((message.subject.to_string(), message.payload.to_vec()));
        }
    }
    found
}

async fn put(streams: &async_nats::jetstream::Context, subject: String, payload: Vec<u8>) {
    let sent = streams.publish(subject, payload.into()).await;
    sent.expect("it is sent").await.expect("it is stored");
}

/// Has jobs handed in and worked, and none of their results taken.
fn worked_untaken(remote: &CrewClient, place: &Place, jobs: Vec<Job>) {
    worked_untaken_by(Help::start, remote, place, jobs);
}

fn worked_untaken_by(
    helper: impl FnOnce(&Place) -> Help,
    remote: &CrewClient,
    place: &Place,
    jobs: Vec<Job>,
) {
    let count = jobs.len() as u64;
    hand_in(remote, place, jobs, &no_blobs);
    let help = helper(place);
    wait_until("the worker has done all", || place.results() == count);
    help.end().expect("it worked");
}

#[test]
fn doubled_delayed_and_reordered_results_count_once() {
    let place = Place::new("doubled");
    let remote = connect(&place);
    worked_untaken(&remote, &place, echoes(10));
    // Everything again, in the other order, and a third time later.
    place.behind(async |streams| {
        let mut all = results(&streams).await;
        all.reverse();
        for (subject, payload) in all {
            put(&streams, subject, payload).await;
        }
    });
    // One job ends when all of them are read.
    let gate = Arc::new(Gate::default());
    let help = Help::start_named(place.options(), "helper", Arc::<Gate>::clone(&gate));
    let jobs = echoes(10).into_iter().chain(naps(1, 0));
    let (mut books, doubled) = (Books::default(), AtomicBool::new(false));
    let tally = thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("all results are read", || {
                doubled.load(Ordering::Relaxed) && place.results() == 0
            });
            gate.permit(1);
        });
        work_into(&remote, "run", jobs.collect(), &mut |outcome| {
            books.enter(outcome);
            if books.outcomes.len() == 2 {
                place.behind(async |streams| {
                    for (subject, payload) in results(&streams).await {
                        put(&streams, subject, payload).await;
                    }
                });
                doubled.store(true, Ordering::Relaxed);
            }
            JobFlow::Continue
        })
    });
    assert_eq!(books.outcomes.len(), 11);
    assert_eq!((tally.found, tally.done, tally.dead), (10, 11, 0));
    assert!(tally.duplicates >= 10, "{tally:?}");
    help.end().expect("it worked");
}

#[test]
fn a_result_of_an_unknown_job_is_counted_and_dropped() {
    let place = Place::new("strays");
    let remote = connect(&place);
    worked_untaken(&remote, &place, echoes(6));
    // This time the last three are not submitted.
    let (books, tally) = work(&remote, "run", echoes(3));
    assert_eq!(books.outcomes.len(), 3);
    assert_eq!((tally.found, tally.done), (3, 3));
    let left = place.behind(async |streams| results(&streams).await.len());
    assert_eq!(left, 0);
}

#[test]
fn corrupt_and_oversized_results_are_counted_and_the_job_is_repeated() {
    let place = Place::with_short_lease("corrupt");
    let remote = connect(&place);
    worked_untaken(&remote, &place, echoes(4));
    place.behind(async |streams| {
        let good = results(&streams).await;
        let stream = streams
            .get_stream("MENDEL_RESULTS")
            .await
            .expect("it is there");
        stream.purge().await.expect("it is purged");
        // One changed bit, a truncated result, an empty one, junk of the maximum size, and a
        // good one under another name; only the last job's own result is left.
        let mut bit = good[0].1.clone();
        bit[40] ^= 4;
        put(&streams, good[0].0.clone(), bit).await;
        put(&streams, good[1].0.clone(), good[1].1[..50].to_vec()).await;
        put(&streams, good[1].0.clone(), Vec::new()).await;
        put(&streams, good[2].0.clone(), vec![b'{'; 1 << 20]).await;
        put(&streams, result_subject("job-77"), good[2].1.clone()).await;
        put(&streams, good[3].0.clone(), good[3].1.clone()).await;
    });
    let help = Help::start(&place);
    let (books, tally) = work(&remote, "run", echoes(4));
    assert_eq!(books.outcomes.len(), 4);
    for (id, result) in &books.outcomes {
        assert_eq!(result.as_deref(), Ok(&id.as_bytes()[4..]));
    }
    assert_eq!((tally.corrupt, tally.found, tally.repeated), (5, 4, 3));
    help.end().expect("it worked");
}

/// A run is resumed by another build, which takes no results of the first.
#[test]
fn results_of_another_build_are_counted_and_the_jobs_repeated() {
    let place = Place::new("rebuilt");
    let old = "1.2.3 before";
    let remote = CrewClient::connect(&place.options(), old).expect("the server is there");
    let helper = |place: &Place| Help::start_as(place.options(), WorkerLimits::default(), old);
    worked_untaken_by(helper, &remote, &place, echoes(3));
    drop(remote);
    let help = Help::start(&place);
    let (books, tally) = work(&connect(&place), "run", echoes(3));
    assert_eq!(books.outcomes.len(), 3);
    assert_eq!((tally.other_build, tally.corrupt), (3, 0), "{tally:?}");
    assert_eq!(help.end().expect("it worked").jobs, 3);
}

/// The server keeps jobs longer than their blobs.
#[test]
fn blobs_of_a_found_job_are_uploaded_again() {
    let place = Place::new("old-blobs");
    let contents: Arc<[u8]> = b"the weights".as_slice().into();
    let one = || Job {
        blobs: vec![BlobId::of(&contents)],
        ..job("blob", "blob")
    };
    let find = |_: &BlobId| Some(Arc::clone(&contents));
    let stop = AtomicBool::new(false);
    let remote = connect(&place);
    hand_in(&remote, &place, vec![one()], &find);
    place.behind(async |streams| {
        let store = streams.get_object_store("mendel-blobs").await;
        let name = BlobId::of(&contents).to_string();
        let gone = store.expect("it is there").delete(name).await;
        gone.expect("it was there");
    });
    let help = Help::start(&place);
    let tally = remote.work("run", [one()].into_iter(), &find, &stop, &mut |outcome| {
        assert_eq!(outcome.result.as_deref(), Ok(&contents[..]));
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    let tally = tally.expect("it works");
    assert_eq!((tally.found, tally.done), (1, 1));
    help.end().expect("it worked");
}

/// A result that was damaged after its job had left the queue: nothing remains of
/// the job but what the coordinator remembers.
#[test]
fn a_job_that_the_server_lost_is_submitted_again() {
    let place = Place::with_short_lease("vanished");
    let remote = connect(&place);
    let thief = thread::scope(|scope| {
        let thief = scope.spawn(|| {
            wait_until("the jobs are handed in", || place.jobs() == 5);
            place.behind(async |streams| {
                let stream = streams.get_stream("MENDEL_JOBS").await;
                let purged = stream.expect("it is there").purge().await;
                purged.expect("it is purged");
            });
            Help::start(&place)
        });
        let (books, tally) = work(&remote, "run", echoes(5));
        assert_eq!(books.outcomes.len(), 5);
        assert_eq!(tally.repeated, 5);
        thief.join().expect("it steals")
    });
    thief.end().expect("it worked");
}

/// After a long callback, a job that was just submitted does not count as lost.
#[test]
fn a_slow_coordinator_submits_no_job_twice() {
    let place = Place::new("slow");
    let mut options = place.options();
    options.window = 1;
    // The server is audited twice in a lease.
    options.lease = Duration::from_secs(4);
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let help = Help::start(&place);
    let mut books = Books::default();
    let tally = work_into(&remote, "run", echoes(5), &mut |outcome| {
        books.enter(outcome);
        // An audit is due when the next job is submitted.
        thread::sleep(options.lease / 2);
        JobFlow::Continue
    });
    assert_eq!((tally.done, tally.repeated), (5, 0));
    assert_eq!(help.end().expect("it worked").jobs, 5);
}

/// A worker discards messages that are not jobs, and continues.
#[test]
fn corrupt_jobs_do_no_harm() {
    let place = Place::new("no-jobs");
    let remote = connect(&place);
    let help = Help::start(&place);
    let (_, _) = work(&remote, "run", echoes(1));
    place.behind(async |streams| {
        let stream = streams
            .get_stream("MENDEL_JOBS")
            .await
            .expect("it is there");
        let queue = stream.consumer_names().next().await;
        let queue = queue.expect("there is one").expect("it has a name");
        let token = queue.strip_prefix("workers-").expect("it is the workers'");
        for (number, payload) in [vec![], vec![b'x'; 100], vec![0; 1 << 20]]
            .into_iter()
            .enumerate()
        {
            put(
                &streams,
                format!("mendel.jobs.{token}.run.junk-{number}"),
                payload,
            )
            .await;
        }
        // And a subject with one part too many.
        put(
            &streams,
            format!("mendel.jobs.{token}.run.deep.er"),
            b"x".to_vec(),
        )
        .await;
    });
    for _ in 0..4 {
        help.wait_for("junk is found", |event| {
            matches!(event, WorkerEvent::Corrupt { .. })
        });
    }
    let (books, _) = work(&remote, "run", echoes(3));
    assert_eq!(books.outcomes.len(), 3);
    assert_eq!(help.end().expect("it went on").refused, 4);
}

/// A blob whose contents were exchanged is not given to a handler.
#[test]
fn a_replaced_blob_is_detected() {
    let place = Place::new("exchanged");
    let remote = connect(&place);
    let contents: Arc<[u8]> = b"the weights".as_slice().into();
    let id = BlobId::of(&contents);
    place.behind(async |streams| {
        let store = streams
            .get_object_store("mendel-blobs")
            .await
            .expect("it is there");
        let name = id.to_string();
        // Of the same length, so that the coordinator believes it.
        let put = store.put(name.as_str(), &mut &b"the poisons"[..]).await;
        put.expect("it is put");
    });
    let help = Help::start(&place);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _stop = SetOnDrop(&stop);
            help.wait_for("the exchange is found", |event| {
                matches!(event, WorkerEvent::Rejected { why, .. } if why.contains("other contents"))
            });
        });
        let one = Job {
            blobs: vec![id],
            ..job("blob", "blob")
        };
        let find = |_: &BlobId| Some(Arc::clone(&contents));
        let tally = remote.work("run", [one].into_iter(), &find, &stop, &mut |_| {
            Ok::<_, Infallible>(JobFlow::Continue)
        });
        assert_eq!(tally.expect("it was stopped").done, 0);
    });
    help.end().expect("it worked");
}
