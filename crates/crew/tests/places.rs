//! Servers of our own, on a free port of this machine.

use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mendel_crew::{Options, Secret};

use crate::fresh_folder;

/// A server, gone when this goes out of scope.
pub(crate) struct Place {
    folder: PathBuf,
    port: u16,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    child: Option<Child>,
}

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
        let free = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let port = free.local_addr().expect("it is bound").port();
        drop(free);
        let mut place = Self {
            folder,
            port,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            environment: environment.to_vec(),
            child: None,
        };
        place.start();
        place
    }

    pub(crate) fn start(&mut self) {
        let log = File::create(self.folder.join("log")).expect("the folder is writable");
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &self.port.to_string()])
            .args(&self.arguments)
            .envs(self.environment.iter().cloned())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.child = Some(child.unwrap_or_else(|error| {
            panic!("cannot start nats-server: {error}; install the package `nats-server`")
        }));
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10), "{}", self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
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
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// With a lease that tests can wait for.
    pub(crate) fn options(&self) -> Options {
        self.options_with(None)
    }

    pub(crate) fn options_with(&self, secret: Option<Secret>) -> Options {
        let options = Options::new(&self.url(), secret, None);
        let mut options = options.expect("this machine is safe");
        options.lease = Duration::from_millis(800);
        options.patience = Duration::from_secs(30);
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

impl Drop for Place {
    fn drop(&mut self) {
        self.kill();
    }
}
