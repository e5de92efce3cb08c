//! A middle-game and an end-game number in one register.

use std::ops::{AddAssign, SubAssign};

/// A pair of numbers that are always added together.
///
/// The usual trick is two 16-bit halves of an `i32`. Here they are 32-bit halves
/// of an `i64`, which adds just as fast on the machines we build for and cannot
/// overflow with any weights a player file may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed(i64);

impl Packed {
    #[inline]
    pub(crate) const fn new(middle_game: i32, end_game: i32) -> Self {
        Self(((end_game as i64) << 32) + middle_game as i64)
    }

    #[inline]
    pub(crate) const fn middle_game(self) -> i32 {
        self.0 as i32
    }

    /// A negative lower half has borrowed one from the upper; give it back.
    #[inline]
    pub(crate) const fn end_game(self) -> i32 {
        ((self.0 + 0x8000_0000) >> 32) as i32
    }

    #[inline]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    #[inline]
    pub(crate) const fn times(self, count: i32) -> Self {
        Self(self.0 * count as i64)
    }
}

impl AddAssign for Packed {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for Packed {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Packed;

    const HALF: std::ops::Range<i32> = -1_000_000_000..1_000_000_000;

    proptest! {
        #[test]
        fn both_halves_come_back(mg in HALF, eg in HALF) {
            let packed = Packed::new(mg, eg);
            prop_assert_eq!((packed.middle_game(), packed.end_game()), (mg, eg));
        }

        #[test]
        fn the_halves_do_not_disturb_each_other(
            a in (-9000..9000, -9000..9000), b in (-9000..9000, -9000..9000), count in -99..99
        ) {
            let mut sum = Packed::new(a.0, a.1);
            sum += Packed::new(b.0, b.1).times(count);
            prop_assert_eq!(sum.middle_game(), a.0 + count * b.0);
            prop_assert_eq!(sum.end_game(), a.1 + count * b.1);
            sum -= Packed::new(b.0, b.1).times(count);
            prop_assert_eq!(sum, Packed::new(a.0, a.1));
        }
    }
}
