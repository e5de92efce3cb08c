//! Processes of other programs: started so that they cannot outlive us, and ended with all
//! that they started.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) command: Vec<String>,
    pub(super) directory: Option<PathBuf>,
    pub(super) environment: BTreeMap<String, String>,
}

/// A running program, the leader of its own process group.
#[derive(Debug)]
pub(super) struct Process {
    /// `None` once it was reaped.
    child: Option<Child>,
    group: Pid,
}

/// Our ends of its pipes; none of them blocks.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// Maximum time to wait for a killed program. It takes longer only inside the system, such as
/// on a lost network drive; then another thread waits.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

impl Launch {
    pub(super) fn start(&self) -> io::Result<(Process, Pipes)> {
        let mut command = self.command()?;
        let mut child = on_spawner(move || command.spawn())?;
        stay_with_us(child.id());
        let pipes = Pipes {
            stdin: child.stdin.take().expect("the pipe was asked for"),
            stdout: child.stdout.take().expect("the pipe was asked for"),
            stderr: child.stderr.take().expect("the pipe was asked for"),
        };
        let process = Process {
            group: Pid::from_child(&child),
            child: Some(child),
        };
        // From here on the process is ended by its `Drop`, whatever fails.
        rustix::io::ioctl_fionbio(&pipes.stdin, true)?;
        rustix::io::ioctl_fionbio(&pipes.stdout, true)?;
        rustix::io::ioctl_fionbio(&pipes.stderr, true)?;
        Ok((process, pipes))
    }

    fn command(&self) -> io::Result<Command> {
        let (program, arguments) = self
            .command
            .split_first()
            .ok_or_else(|| io::Error::other("the command is empty"))?;
        // A path is meant from where the runner was started, also if the program
        // is to run elsewhere; a bare name is looked up in PATH.
        let program = if program.contains('/') {
            std::path::absolute(program)?
        } else {
            Path::new(program).to_owned()
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(&self.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C in the terminal is for the runner, which ends its programs
            // itself, with all they started.
            .process_group(0);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        die_with_parent(&mut command);
        Ok(command)
    }
}

/// Keeps a program on the cores that the asking thread may use: it was started by
/// another one.
fn stay_with_us(program: u32) {
    use rustix::process::Pid;
    use rustix::thread::{sched_getaffinity, sched_setaffinity};
    let program = i32::try_from(program).ok().and_then(Pid::from_raw);
    // Where it is not allowed, the match is slower and not wrong.
    if let (Some(program), Ok(cores)) = (program, sched_getaffinity(None)) {
        let _ = sched_setaffinity(Some(program), &cores);
    }
}

/// Has the system kill the program as soon as we are gone, whatever took us.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "what runs between fork and exec is unsafe to choose"
)]
fn die_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let arrange = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // If we died before the line above, the program would get no signal.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(
                rustix::io::Errno::SRCH.raw_os_error(),
            ))
        }
    };
    // SAFETY: the closure runs in the forked child, where only what is safe in a
    // signal handler may be called. It makes two system calls and allocates
    // nothing, neither in success nor in failure.
    unsafe {
        command.pre_exec(arrange);
    }
}

/// Elsewhere a program learns of our end when its input closes.
#[cfg(not(target_os = "linux"))]
fn die_with_parent(_command: &mut Command) {}

/// Runs `start` on a thread that lives as long as the process.
///
/// Linux sends the parent-death signal when the *thread* ends that started the
/// program, not the process: a worker that hands a program on and ends would
/// kill it. So one thread starts them all.
fn on_spawner<T: Send + 'static>(
    start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    type Task = Box<dyn FnOnce() + Send>;
    static SPAWNER: OnceLock<Mutex<Option<mpsc::Sender<Task>>>> = OnceLock::new();

    let spawner = SPAWNER.get_or_init(|| {
        let (sender, tasks) = mpsc::channel::<Task>();
        let work = move || {
            for task in tasks {
                task();
            }
        };
        let thread = thread::Builder::new().name("spawner".into()).spawn(work);
        Mutex::new(thread.ok().map(|_| sender))
    });
    let lost = || io::Error::other("there is no thread to start programs from");
    let (done, result) = mpsc::sync_channel(1);
    let task = Box::new(move || {
        // If the caller has given up, the program is dropped here.
        let _ = done.send(start());
    });
    {
        let guard = spawner
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let sender = guard.as_ref().ok_or_else(lost)?;
        sender.send(task).map_err(|_| lost())?;
    }
    result.recv().map_err(|_| lost())?
}

impl Process {
    /// Whether it has ended. It is not reaped by this, so that its group cannot
    /// be reused before we have killed what is left of it.
    pub(super) fn has_ended(&self) -> bool {
        if self.child.is_none() {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(
            rustix::process::waitid(WaitId::Pid(self.group), options),
            Ok(None)
        )
    }

    /// Kills it and everything in its group, and reaps it. Its status, if it is
    /// known by now.
    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        let mut child = self.child.take()?;
        // While the leader is not reaped, the number of the group is its own.
        let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
        let until = Instant::now() + KILL_TIMEOUT;
        let mut pause = Duration::from_micros(50);
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Ok(None) => {
                    thread::spawn(move || child.wait());
                    return None;
                }
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
