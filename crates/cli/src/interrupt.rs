//! Ctrl-C: asked once, work ends at the next good place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

/// Two steps to an end.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlags {
    /// Begin nothing new.
    pub(crate) stop: Arc<AtomicBool>,
    /// Drop what is at hand, too.
    pub(crate) drop: Arc<AtomicBool>,
}

/// The first Ctrl-C asks to stop, the second to drop what is at hand, and the third does
/// not ask. Called once in a process.
pub(crate) fn stop_flags_on_ctrl_c() -> anyhow::Result<StopFlags> {
    let stops = StopFlags::default();
    let asked = stops.clone();
    ctrlc::set_handler(move || {
        if !asked.stop.swap(true, Ordering::Relaxed) {
            return;
        }
        if asked.drop.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, reason = "the third Ctrl-C means it")]
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stops)
}

/// Becomes true at the first Ctrl-C, which asks; the second does not ask and ends
/// the program. Called once in a process.
pub(crate) fn stop_on_ctrl_c() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, reason = "the second Ctrl-C means it")]
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}
