//! How to reach a server, and limits of waiting and of work.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs};

use crate::error::CrewError;

const DEFAULT_PORT: u16 = 4222;

#[derive(Clone, Debug)]
pub struct ConnectOptions {
    url: String,
    pub(crate) encrypted: bool,
    pub(crate) secret: Option<Secret>,
    /// The certificate by which the server is known.
    pub(crate) ca: Option<PathBuf>,
    /// A job is delivered again after this time without progress. The coordinator sets it,
    /// and workers read it from the server.
    pub lease: Duration,
    /// Jobs of a run on the server at a time.
    pub window: usize,
    /// The work ends with an error if the server is away for longer.
    pub server_timeout: Duration,
    /// Delay of the event that there are no workers; and how long all present workers must
    /// reject a job before it becomes a dead letter.
    pub no_worker_timeout: Duration,
    /// Coordinators that do not reply for this time are believed to be absent.
    pub coordinator_timeout: Duration,
}

/// Credentials. They are never printed.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    Token(String),
    User(String, String),
    /// The seed of an `NKey`: `SU…`.
    NKey(String),
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token(_) => "Token",
            Self::User(..) => "User",
            Self::NKey(_) => "NKey",
        })
    }
}

impl Secret {
    /// Reads a file of one line: the seed of an `NKey` (`SU…`), `NAME:PASSWORD`, or
    /// a token.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is empty.
    pub fn read(path: &Path) -> Result<Self, CrewError> {
        let wrong = |why: String| CrewError::File {
            path: path.display().to_string(),
            why,
        };
        let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let line = text.trim();
        if line.is_empty() || line.lines().count() != 1 {
            return Err(wrong("one line with the secret was expected".to_owned()));
        }
        Ok(Self::parse(line))
    }

    fn parse(line: &str) -> Self {
        let seed = line.len() == 58
            && line.starts_with("SU")
            && line.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if seed {
            return Self::NKey(line.to_owned());
        }
        match line.split_once(':') {
            Some((name, password)) => Self::User(name.to_owned(), password.to_owned()),
            None => Self::Token(line.to_owned()),
        }
    }
}

impl ConnectOptions {
    /// A crew at an address such as `nats://127.0.0.1:4222` or `tls://host:4222`.
    /// Beyond this machine, encryption and a secret are required.
    ///
    /// # Errors
    ///
    /// If the address is invalid, contains a secret (others could read it there), or is not
    /// safe; or if the file of the certificate cannot be opened.
    pub fn new(url: &str, secret: Option<Secret>, ca: Option<&Path>) -> Result<Self, CrewError> {
        let (url, encrypted, loopback) = parse_url(url)?;
        if !loopback && !encrypted {
            return Err(CrewError::NotEncrypted { url });
        }
        if !loopback && secret.is_none() {
            return Err(CrewError::NoSecret { url });
        }
        if let Some(path) = ca {
            fs::File::open(path).map_err(|error| CrewError::File {
                path: path.display().to_string(),
                why: error.to_string(),
            })?;
        }
        Ok(Self {
            url,
            encrypted,
            secret,
            ca: ca.map(Path::to_owned),
            lease: Duration::from_secs(30),
            window: 1024,
            server_timeout: Duration::from_mins(10),
            no_worker_timeout: Duration::from_mins(1),
            coordinator_timeout: Duration::from_millis(900),
        })
    }

    /// The address, as it may be shown.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// The address with its port, whether it is encrypted, and whether it is of this machine.
fn parse_url(text: &str) -> Result<(String, bool, bool), CrewError> {
    let wrong = |why| CrewError::Url {
        url: text.rsplit('@').next().unwrap_or_default().to_owned(),
        why,
    };
    let (scheme, rest) = text.split_once("://").unwrap_or(("nats", text));
    let encrypted = match scheme {
        "nats" => false,
        "tls" => true,
        _ => return Err(wrong("it must begin with nats:// or tls://")),
    };
    if rest.contains('@') {
        return Err(wrong("a secret does not belong into an address"));
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match rest.rsplit_once(':') {
        // The colons of a bare IPv6 address do not separate a port.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (
            host,
            port.parse()
                .map_err(|_| wrong("the port is not a number from 0 to 65535"))?,
        ),
        _ => (rest, DEFAULT_PORT),
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse::<IpAddr>();
    let named = !bare.is_empty()
        && bare
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    if address.is_err() && !named {
        return Err(wrong("the host is neither a name nor an address"));
    }
    let host = match address {
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => bare.to_owned(),
    };
    let loopback = address.map_or(bare == "localhost", |address| address.is_loopback());
    Ok((format!("{scheme}://{host}:{port}"), encrypted, loopback))
}

#[derive(Clone, Debug)]
pub struct WorkerLimits {
    /// Slots: jobs at once.
    pub slots: usize,
    /// Bytes of a job's payload.
    pub payload: usize,
    /// Bytes of all blobs of a job.
    pub blobs: usize,
    /// Bytes of blobs kept for later jobs.
    pub cache: usize,
    /// Time limit of a job, with or without progress.
    pub job_time: Duration,
    /// Bytes of address space for the whole process; beyond it the process crashes, and its
    /// jobs are delivered to other workers. By default three quarters of the machine's memory,
    /// at least 1 GiB, or the present limit of the process if that is lower.
    pub memory: Option<u64>,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self {
            slots: 1,
            payload: 1 << 20,
            blobs: 1 << 28,
            cache: 1 << 28,
            job_time: Duration::from_hours(1),
            memory: None,
        }
    }
}
