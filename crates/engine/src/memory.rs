//! Checks whether a request fits into memory.
//!
//! A request that does not is refused with the estimate, before anything is made: a system
//! without memory ends a process, or another one, without a word.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

/// Requests below this are not looked at; what else a program needs is of that size.
const SMALL: u64 = 64 << 20;

/// Bytes that count as available instead of what the system says; 0 for none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Why a request is refused. Says what is needed and what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("needs about {} of memory, and {} are available", size(*needed), size(*available))]
pub struct MemoryShortage {
    /// Bytes, as estimated.
    pub needed: u64,
    /// Bytes, when it was asked.
    pub available: u64,
}

/// Sets how many bytes count as available, instead of what the system says.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Refuses a request that needs more bytes than are available. Where the system does not
/// say how many these are, nothing is refused.
///
/// # Errors
///
/// [`MemoryShortage`] has both numbers.
pub fn check(needed: u64) -> Result<(), MemoryShortage> {
    check_with(needed, || match LIMIT.load(Ordering::Relaxed) {
        0 => available(&|path| fs::read_to_string(path).ok()),
        limit => Some(limit),
    })
}

/// As [`check`], with another source of the bytes available.
fn check_with(needed: u64, available: impl FnOnce() -> Option<u64>) -> Result<(), MemoryShortage> {
    if needed < SMALL {
        return Ok(());
    }
    match available() {
        Some(available) if needed > available => Err(MemoryShortage { needed, available }),
        _ => Ok(()),
    }
}

/// The bytes that are left in the machine, or in a control group or for this process
/// (`ulimit -v`) if that has fewer; `read` gives the text of a file.
fn available(read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let machine = kibibytes(&read("/proc/meminfo")?, "MemAvailable:")? << 10;
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().filter_map(|line| left_in(line, read)).min();
    let least = group.into_iter().chain(left_for_process(read)).min();
    Some(machine.min(least.unwrap_or(u64::MAX)))
}

/// The number behind a name in a file such as `/proc/meminfo`.
fn kibibytes(told: &str, name: &str) -> Option<u64> {
    let rest = told.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// The bytes left of the address space of this process, if that is limited.
fn left_for_process(read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let limits = read("/proc/self/limits")?;
    let mut lines = limits.lines();
    let space = lines.find_map(|line| line.strip_prefix("Max address space"))?;
    // Without a limit it is `unlimited`.
    let limit: u64 = space.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&read("/proc/self/status")?, "VmSize:")?;
    Some(limit.saturating_sub(used << 10))
}

/// The bytes left in a control group and those around it; a line of `/proc/self/cgroup` is
/// `number:controllers:path`.
fn left_in(line: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, path) = (fields.next()?, fields.next()?);
    let [root, limit, used] = match controllers {
        "" => ["/sys/fs/cgroup", "memory.max", "memory.current"],
        _ if controllers.split(',').any(|it| it == "memory") => [
            "/sys/fs/cgroup/memory",
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
        ],
        _ => return None,
    };
    let mut least = None;
    let mut path = path.trim_end_matches('/');
    loop {
        let number = |name: &str| -> Option<u64> {
            read(&format!("{root}{path}/{name}"))?.trim().parse().ok()
        };
        // A group without a limit says `max`, or has no such file.
        if let (Some(limit), Some(used)) = (number(limit), number(used)) {
            let pages = read(&format!("{root}{path}/memory.stat")).unwrap_or_default();
            // The system gives pages of files back when memory is short.
            let idle = pages
                .lines()
                .find_map(|line| line.strip_prefix("inactive_file "))
                .and_then(|bytes| bytes.parse().ok())
                .unwrap_or(0);
            let left = limit.saturating_sub(used.saturating_sub(idle));
            least = Some(least.map_or(left, |least: u64| least.min(left)));
        }
        match path.rsplit_once('/') {
            Some((above, _)) => path = above,
            None => return least,
        }
    }
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut number = bytes as f64 / 1024.0;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    format!("{number:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::{available, check_with};

    const GIB: u64 = 1 << 30;

    fn reads(files: &[(&str, &str)]) -> Option<u64> {
        available(&|path| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    #[test]
    fn a_request_is_refused_with_both_numbers() {
        let told = |needed, has| check_with(needed, || has).map_err(|error| error.to_string());
        assert_eq!(told(2 * GIB, Some(2 * GIB)), Ok(()));
        assert_eq!(told(u64::MAX, None), Ok(()), "nobody knows");
        assert_eq!(told(1 << 20, Some(0)), Ok(()), "too small to ask");
        let refused = "needs about 3.0 TiB of memory, and 1.5 GiB are available";
        assert_eq!(told(3 * 1024 * GIB, Some(3 * GIB / 2)), Err(refused.into()));
    }

    #[test]
    fn a_control_group_may_have_less_than_the_machine() {
        let machine = (
            "/proc/meminfo",
            "MemTotal: 9 kB\nMemAvailable:   8388608 kB\n",
        );
        assert_eq!(reads(&[]), None);
        assert_eq!(reads(&[machine]), Some(8 * GIB));
        let group = ("/proc/self/cgroup", "0::/user/mendel\n");
        let without = ("/sys/fs/cgroup/user/mendel/memory.max", "max\n");
        assert_eq!(reads(&[machine, group, without]), Some(8 * GIB));
        let limited = [
            machine,
            group,
            without,
            ("/sys/fs/cgroup/user/mendel/memory.current", "1073741824\n"),
            ("/sys/fs/cgroup/user/memory.max", "4294967296\n"),
            ("/sys/fs/cgroup/user/memory.current", "3221225472\n"),
            (
                "/sys/fs/cgroup/user/memory.stat",
                "anon 1\ninactive_file 1073741824\n",
            ),
        ];
        assert_eq!(reads(&limited), Some(2 * GIB));
        let first = [
            machine,
            ("/proc/self/cgroup", "9:cpu:/\n4:memory:/box\n"),
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "1073741824\n",
            ),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n"),
        ];
        assert_eq!(reads(&first), Some(GIB));
    }

    #[test]
    fn a_process_may_have_less_than_the_machine() {
        let machine = ("/proc/meminfo", "MemAvailable:   8388608 kB\n");
        let used = ("/proc/self/status", "VmPeak: 9 kB\nVmSize:\t 1048576 kB\n");
        let limited = |limit: &str| {
            let line = format!("Max address space  {limit}  unlimited  bytes\n");
            reads(&[machine, used, ("/proc/self/limits", &line)])
        };
        assert_eq!(limited("unlimited"), Some(8 * GIB));
        assert_eq!(limited("4294967296"), Some(3 * GIB));
        assert_eq!(limited("1000000"), Some(0), "less than is used");
    }
}
