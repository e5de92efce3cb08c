//! Servers of our own, on a free port of this machine.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mendel_crew::{ConnectOptions, Secret};

use crate::{fresh_folder, wait_until};

/// A server, gone when this goes out of scope.
pub(crate) struct Place {
    folder: PathBuf,
    /// Chosen by the server when it starts for the first time.
    port: Option<u16>,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    lease: Duration,
    child: Option<Child>,
}

/// A lease that tests can wait for. A worker that the machine does not run for this time loses
/// its job, so that only tests that wait for the end of leases have it.
pub(crate) const SHORT_LEASE: Duration = Duration::from_millis(1500);
/// The default: no worker is kept from running for this time, and a job that was lost on its
/// way to a worker is delivered again within [`LIMIT`](crate::LIMIT).
const LONG_LEASE: Duration = Duration::from_secs(30);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, &[])
    }

    /// With more arguments for the server.
    pub(crate) fn with(name: &str, arguments: &[&str]) -> Self {
        let own = ["--jetstream", "--store_dir", "store"];
        Self::in_folder(fresh_folder(name), &[&own, arguments].concat(), &[])
    }

    /// With what its configuration needs, in a folder that is there.
    pub(crate) fn in_folder(
        folder: PathBuf,
        arguments: &[&str],
        environment: &[(String, String)],
    ) -> Self {
        let mut place = Self {
            folder,
            port: None,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            environment: environment.to_vec(),
            lease: LONG_LEASE,
            child: None,
        };
        place.start();
        place
    }

    /// The same, for a test that waits for the end of leases.
    pub(crate) fn with_short_lease(name: &str) -> Self {
        let mut place = Self::new(name);
        place.lease = SHORT_LEASE;
        place
    }

    pub(crate) fn start(&mut self) {
        let log = File::create(self.folder.join("log")).expect("the folder is writable");
        let port = self.port.map_or("-1".to_owned(), |port| port.to_string());
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &port])
            .args(&self.arguments)
            .envs(self.environment.iter().cloned())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let child = child.unwrap_or_else(|error| {
            panic!("cannot start nats-server: {error}; `tools/install_needs.sh test` gets it")
        });
        let child = self.child.insert(child);
        let log = self.folder.join("log");
        wait_until("the server listens", || {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            let ended = child.try_wait().expect("it is our child");
            assert!(ended.is_none(), "it ended: {ended:?}: {log}");
            self.port = port_in(&log);
            self.port.is_some()
        });
    }

    /// How many jobs the server holds, waiting or with a worker.
    pub(crate) fn jobs(&self) -> u64 {
        self.messages("MENDEL_JOBS")
    }

    /// How many results the server holds.
    pub(crate) fn results(&self) -> u64 {
        self.messages("MENDEL_RESULTS")
    }

    fn messages(&self, stream: &str) -> u64 {
        self.behind(async |streams| {
            let stream = streams.get_stream(stream).await.expect("it is there");
            stream.cached_info().state.messages
        })
    }

    /// As `kill -9` does.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Removes all that the server keeps; it must not run.
    pub(crate) fn wipe(&self) {
        std::fs::remove_dir_all(self.folder.join("store")).expect("it is ours");
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn url(&self) -> String {
        let port = self.port.expect("the server was started");
        format!("nats://127.0.0.1:{port}")
    }

    pub(crate) fn options(&self) -> ConnectOptions {
        self.options_with(None)
    }

    pub(crate) fn options_with(&self, secret: Option<Secret>) -> ConnectOptions {
        let options = ConnectOptions::new(&self.url(), secret, None);
        let mut options = options.expect("this machine is safe");
        options.lease = self.lease;
        options.server_timeout = Duration::from_secs(30);
        options
    }

    /// Talks to the server behind the crew's back.
    pub(crate) fn behind<T>(
        &self,
        act: impl AsyncFnOnce(async_nats::jetstream::Context) -> T,
    ) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("an event loop");
        runtime.block_on(async {
            let client = async_nats::connect(self.url()).await;
            let client = client.expect("the server is there");
            let done = act(async_nats::jetstream::new(client.clone())).await;
            client.flush().await.expect("the server is there");
            done
        })
    }
}

/// The port at which a server listens, once its log says so.
fn port_in(log: &str) -> Option<u16> {
    let (_, after) = log.split_once("Listening for client connections on 127.0.0.1:")?;
    let (port, _) = after.split_once('\n')?;
    port.trim().parse().ok()
}

impl Drop for Place {
    fn drop(&mut self) {
        self.kill();
    }
}
