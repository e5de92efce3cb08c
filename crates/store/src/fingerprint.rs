//! A short name for contents.

/// FNV-1a of 64 bits over all bytes that are added: fixed by definition, the same on every
/// machine; not a cryptographic hash.
///
/// # Source
///
/// Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm", IETF draft,
/// 1991.
///
/// # Where this differs
///
/// Nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fingerprint {
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    pub fn value(self) -> u64 {
        self.0
    }

    /// Sixteen hexadecimal digits.
    pub fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The fingerprint of some bytes: sixteen hexadecimal digits.
pub fn fingerprint(bytes: &[u8]) -> String {
    let mut print = Fingerprint::default();
    print.add(bytes);
    print.text()
}
