//! Ctrl-C: work stops at the next state that can be resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

/// Sets one flag at each Ctrl-C, in their order; one more Ctrl-C ends the program. Called once
/// in a process.
pub(crate) fn flags_on_ctrl_c<const N: usize>() -> anyhow::Result<[Arc<AtomicBool>; N]> {
    let flags: [Arc<AtomicBool>; N] = std::array::from_fn(|_| Arc::default());
    let set = flags.clone();
    ctrlc::set_handler(move || {
        if set.iter().all(|flag| flag.swap(true, Ordering::Relaxed)) {
            #[expect(clippy::exit, reason = "the work was asked to stop and did not")]
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flags)
}

/// The flag that the first Ctrl-C sets; the second ends the program. Called once in a process.
pub(crate) fn stop_on_ctrl_c() -> anyhow::Result<Arc<AtomicBool>> {
    flags_on_ctrl_c().map(|[stop]| stop)
}
