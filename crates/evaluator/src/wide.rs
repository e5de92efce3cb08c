//! Code compiled twice: for any processor, and for one with AVX2.
//!
//! The kernels of the networks are plain loops in a fixed order of additions. Rust
//! neither reorders nor fuses floating-point numbers, so both copies give the same
//! bits, and there is one text to read.

#![allow(
    unsafe_code,
    reason = "only the caller of a function for AVX2 knows the processor"
)]

/// Does the work with vectors of eight where the processor has them. What `work`
/// calls must be `inline(always)`, or it stays compiled for any processor.
#[inline]
pub(crate) fn widely<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just said that it has AVX2.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;
    use mendel_board::{Color, Position};

    use super::widely;
    use crate::first::{Boards, First};
    use crate::seen::Seen;
    use crate::{Function, Input};

    fn numbers(count: usize) -> impl Iterator<Item = i32> {
        (0..count as u64).map(|at| (mendel_board::mix(at) % 16_001) as i32 - 8_000)
    }

    #[test]
    fn functions_are_the_same_with_and_without_vectors() {
        for function in Function::ALL {
            let mut plain: Vec<f32> = numbers(1003).map(|it| it as f32 / 700.0).collect();
            let mut wide = plain.clone();
            function.apply(&mut plain);
            widely(|| function.apply(&mut wide));
            let bits = |values: &[f32]| values.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&plain), bits(&wide), "{function:?}");
        }
    }

    #[test]
    fn sums_over_squares_are_the_same_with_and_without_vectors() {
        for (input, width) in [(Input::Paper, 72), (Input::Sides, 40)] {
            let first = First {
                input,
                rows: numbers(input.count() * width).collect(),
                bias: numbers(width).map(|it| it as f32).collect(),
            };
            let [mut plain, mut wide] = [Boards::default(), Boards::default()];
            let mut values = [vec![0.0; width], vec![0.0; width]];
            let positions: Vec<Position> = random_positions(5, 60).collect();
            for position in &positions {
                let now = Seen::new(position.board());
                let plain = plain.sums(&first, 1, now, &[Color::Black], false);
                let wide = widely(|| wide.sums(&first, 1, now, &[Color::Black], false));
                first.values(plain, &mut values[0]);
                widely(|| first.values(wide, &mut values[1]));
                assert_eq!(plain, wide);
                assert_eq!(values[0], values[1]);
            }
        }
    }
}
