//! Ctrl-C: asked once, work ends at the next good place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

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
