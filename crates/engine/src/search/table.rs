//! The transposition table: what was found out about positions before.

#![allow(
    unsafe_code,
    reason = "the prefetch hint has no safe form; it cannot fault, whatever the address"
)]

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use mendel_board::PackedMove;

use super::score::{from_table, to_table};
use crate::Bound;

/// A table shared by all threads without locks.
///
/// Each entry is two words, the data and the key mixed with the data, so that an
/// entry torn by two writers fits no key. The idea is Robert Hyatt's and Tim
/// Mann's, "A lock-less transposition-table implementation for parallel search",
/// ICGA Journal 25(2), 2002.
///
/// # Where this differs
///
/// Four entries share a cache line, and a new one replaces the one that is
/// shallowest, counting eight plies for each search since it was written.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([TtSlot; 4]);

#[derive(Debug, Default)]
struct TtSlot {
    mixed_key: AtomicU64,
    data: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TtEntry {
    pub(crate) m: PackedMove,
    pub(crate) score: i32,
    /// The static score before any correction, or [`NO_EVAL`].
    pub(crate) eval: i32,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
}

/// Stands for "not evaluated", as in check.
pub(crate) const NO_EVAL: i32 = i16::MIN as i32;

/// Searches are counted modulo 64; two bits hold the bound.
const AGES: u8 = 64;

impl Table {
    /// A table of `mebibytes` MiB; `None` if there is no such memory.
    pub(crate) fn new(mebibytes: usize) -> Option<Self> {
        let count = (mebibytes.max(1) << 20) / size_of::<Bucket>();
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        buckets.resize_with(count, Bucket::default);
        Some(Self {
            buckets,
            age: AtomicU8::new(0),
        })
    }

    /// Forgets everything. Alone with the table, the compiler makes this one
    /// sweep over the memory.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        *self.age.get_mut() = 0;
    }

    /// A new search begins: what is there ages.
    pub(crate) fn grow_older(&self) {
        let age = self.age.load(Ordering::Relaxed);
        self.age.store((age + 1) % AGES, Ordering::Relaxed);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        // The high half of the product spreads any number of buckets evenly.
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Asks the processor to fetch what [`probe`](Self::probe) will need.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = self.bucket(key);
            // SAFETY: a prefetch is a hint and reads nothing; the address is that
            // of a live bucket.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known about the position with `key`, `ply` plies from the root.
    #[inline]
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<TtEntry> {
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.mixed_key.load(Ordering::Relaxed) ^ data == key && data != 0 {
                return Some(unpack(data, ply));
            }
        }
        None
    }

    /// Remembers `entry` for the position with `key`, `ply` plies from the root.
    #[inline]
    pub(crate) fn store(&self, key: u64, ply: usize, mut entry: TtEntry) {
        let age = self.age.load(Ordering::Relaxed);
        let bucket = &self.bucket(key).0;

        // 1. The slot of the same position, or the one worth least.
        let mut chosen = &bucket[0];
        let mut least = i32::MAX;
        for slot in bucket {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.mixed_key.load(Ordering::Relaxed) ^ data == key && data != 0 {
                // A shallow search does not wipe out a deep one of today, unless
                // it is the exact truth, and no search wipes out a good move.
                let old = unpack(data, ply);
                let aged = age_of(data) != age;
                if entry.bound != Bound::Exact && !aged && entry.depth + 4 < old.depth {
                    return;
                }
                if entry.m.is_none() {
                    entry.m = old.m;
                }
                chosen = slot;
                break;
            }
            let years = i32::from((AGES + age - age_of(data)) % AGES);
            let worth = if data == 0 {
                i32::MIN
            } else {
                depth_of(data) - 8 * years
            };
            if worth < least {
                least = worth;
                chosen = slot;
            }
        }

        // 2. Write.
        let data = pack(&entry, ply, age);
        chosen.mixed_key.store(key ^ data, Ordering::Relaxed);
        chosen.data.store(data, Ordering::Relaxed);
    }

    /// Thousandths of the table that this search has written.
    pub(crate) fn permille_full(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let sample = self.buckets.len().min(250);
        let used = self.buckets[..sample]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .map(|slot| slot.data.load(Ordering::Relaxed))
            .filter(|&data| data != 0 && age_of(data) == age)
            .count();
        (used * 1000 / (sample * 4)) as u32
    }
}

// Layout of the data, from the low end: move 16, score 16, eval 16, depth 8,
// bound 2, age 6. The depth is stored plus one, so that no entry is all zero.
fn pack(entry: &TtEntry, ply: usize, age: u8) -> u64 {
    let bound = match entry.bound {
        Bound::Exact => 3u64,
        Bound::Lower => 2,
        Bound::Upper => 1,
    };
    let score = to_table(entry.score, ply) as i16 as u16;
    let eval = entry.eval as i16 as u16;
    let depth = (entry.depth + 1).clamp(0, 255) as u64;
    u64::from(entry.m.bits())
        | u64::from(score) << 16
        | u64::from(eval) << 32
        | depth << 48
        | bound << 56
        | u64::from(age) << 58
}

fn unpack(data: u64, ply: usize) -> TtEntry {
    TtEntry {
        m: PackedMove::from_bits(data as u16),
        score: from_table(i32::from((data >> 16) as i16), ply),
        eval: i32::from((data >> 32) as i16),
        depth: depth_of(data),
        bound: match (data >> 56) & 3 {
            3 => Bound::Exact,
            2 => Bound::Lower,
            _ => Bound::Upper,
        },
    }
}

fn depth_of(data: u64) -> i32 {
    ((data >> 48) & 255) as i32 - 1
}

fn age_of(data: u64) -> u8 {
    (data >> 58) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::MATE;

    fn table() -> Table {
        Table::new(1).expect("a mebibyte")
    }

    fn entry(score: i32, depth: i32) -> TtEntry {
        TtEntry {
            m: PackedMove::from_bits(0x1234),
            score,
            eval: -37,
            depth,
            bound: Bound::Lower,
        }
    }

    #[test]
    fn what_was_stored_is_found_again() {
        let mut table = table();
        assert_eq!(table.probe(42, 0), None);
        table.store(42, 3, entry(-250, 9));
        assert_eq!(table.probe(42, 3), Some(entry(-250, 9)));
        assert_eq!(table.probe(43, 3), None);
        table.clear();
        assert_eq!(table.probe(42, 3), None);
    }

    #[test]
    fn a_mate_is_stored_as_its_distance_from_the_position() {
        let table = table();
        table.store(42, 5, entry(MATE - 9, 9));
        assert_eq!(table.probe(42, 5).map(|found| found.score), Some(MATE - 9));
        assert_eq!(table.probe(42, 1).map(|found| found.score), Some(MATE - 5));
    }

    #[test]
    fn a_result_without_a_move_keeps_the_move_known_before() {
        let table = table();
        table.store(42, 0, entry(10, 5));
        table.store(
            42,
            0,
            TtEntry {
                m: PackedMove::NONE,
                ..entry(20, 6)
            },
        );
        assert_eq!(table.probe(42, 0), Some(entry(20, 6)));
    }

    #[test]
    fn old_results_make_room_before_deep_new_ones() {
        let table = table();
        // Keys that share a bucket: the high bits choose it.
        for key in 1..=4 {
            table.store(key, 0, entry(0, 10));
        }
        table.grow_older();
        table.store(5, 0, entry(0, 9));
        table.store(6, 0, entry(0, 9));
        assert!(table.probe(5, 0).is_some() && table.probe(6, 0).is_some());
        assert_eq!(
            (1..=4).filter(|&key| table.probe(key, 0).is_some()).count(),
            2
        );
    }

    #[test]
    fn the_table_is_as_large_as_asked() {
        let table = Table::new(3).expect("three mebibytes");
        assert_eq!(table.buckets.len() * size_of::<Bucket>(), 3 << 20);
    }
}
