//! What a running experiment works with.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::event::{Events, ExperimentEvent};
use super::failure::Failure;
use super::folder::Folder;
use super::host::{Host, StopFlag};
use super::manifest::Manifest;
use super::{Experiment, start_or_resume};
use crate::{FileError, FolderLock, Journal, Record, Sync};

/// A running experiment: its folder, held by this process alone, and what it needs.
#[derive(Debug)]
pub struct Frame {
    folder: Folder,
    manifest: Manifest,
    events: Events,
    host: Host,
    resumed: bool,
    timings: Mutex<Option<Journal<Timing>>>,
    _lock: FolderLock,
}

impl Deref for Frame {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Frame {
    /// The frame of an experiment whose folder this process holds.
    pub(super) fn open(
        folder: Folder,
        lock: FolderLock,
        manifest: Manifest,
        host: &Host,
        resumed: bool,
    ) -> Result<Self, Failure> {
        let path = folder.file(Events::FILE);
        let events = Events::open(folder.path(), host).map_err(FileError::io(&path))?;
        events.emit(ExperimentEvent::Started {
            kind: manifest.kind.clone(),
            name: manifest.name.clone(),
            id: manifest.id.clone(),
            resumed,
        });
        Ok(Self {
            folder,
            manifest,
            events,
            host: host.clone(),
            resumed,
            timings: Mutex::new(None),
            _lock: lock,
        })
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder alone, for functions that need no frame.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn events(&self) -> &Events {
        &self.events
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn stop(&self) -> &StopFlag {
        &self.host.stop
    }

    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// # Errors
    ///
    /// [`Failure::Stopped`] if the stop flag is set.
    pub fn check_stop(&self) -> Result<(), Failure> {
        self.host.check_stop()
    }

    /// Records how long a part of the work took.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn record_timing(
        &self,
        phase: &str,
        index: Option<u32>,
        since: Instant,
    ) -> Result<(), FileError> {
        let seconds = since.elapsed().as_secs_f64();
        let ended = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_secs());
        let mut timings = self.timings.lock().unwrap_or_else(PoisonError::into_inner);
        let journal = if let Some(journal) = &mut *timings {
            journal
        } else {
            // No result depends on it, so nothing waits for the disk.
            let path = self.file(Timing::FILE);
            timings.insert(Journal::open(&path, Sync::Every(Duration::MAX))?.0)
        };
        journal.append(&Timing {
            phase: phase.to_owned(),
            index,
            ended,
            seconds,
        })
    }

    /// Runs an experiment inside this one: its outcome is read if it is finished, it is resumed
    /// if it was started, and otherwise it is started. Events of both reach the listener.
    ///
    /// # Errors
    ///
    /// As [`start_or_resume`].
    pub fn nested<E: Experiment>(
        &self,
        subfolder: &str,
        plan: E::Plan,
        seed: u64,
        options: &E::ExecOptions,
    ) -> Result<E::Outcome, Failure> {
        let folder = self.folder.inside(subfolder)?;
        self.events.emit(ExperimentEvent::Nested {
            folder: folder.clone(),
            kind: E::KIND.to_owned(),
        });
        let command = &self.manifest.command;
        start_or_resume::<E>(&folder, plan, seed, command, options, &self.host)
    }
}

/// A line of `timings.jsonl`: the only place for what a clock gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    pub phase: String,
    pub index: Option<u32>,
    /// When it ended, in seconds since 1970.
    pub ended: u64,
    pub seconds: f64,
}

impl Timing {
    pub const FILE: &'static str = "timings.jsonl";
}

impl Record for Timing {
    const VERSION: u32 = 2;
}
