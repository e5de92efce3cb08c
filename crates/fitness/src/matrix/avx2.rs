//! The kernels for processors with AVX2.
//!
//! One instruction multiplies sixteen pairs of 16-bit numbers and adds the two
//! products of each pair, so that a pair of slots costs two instructions for eight
//! scores.

#![allow(
    unsafe_code,
    reason = "vector loads and stores take pointers, and only the caller knows the processor"
)]

use std::arch::x86_64::{
    __m256, __m256i, _mm256_add_epi32, _mm256_castps256_ps128, _mm256_castsi256_si128,
    _mm256_cvtepi32_pd, _mm256_cvtepi32_ps, _mm256_cvtps_pd, _mm256_cvttpd_epi32,
    _mm256_cvttps_epi32, _mm256_div_pd, _mm256_div_ps, _mm256_extractf128_ps,
    _mm256_extracti128_si256, _mm256_load_ps, _mm256_load_si256, _mm256_madd_epi16,
    _mm256_max_epi32, _mm256_min_epi32, _mm256_set_m128i, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setzero_si256, _mm256_store_si256,
};

use super::dense::Block;
use super::members::FEW;
use super::sparse::Entries;
use super::{Division, Kernel, LANES, LIMIT, Lanes, packed};

/// Lanes in a register.
const REGISTER: usize = 8;

/// Like [`portable`](super::dense::portable).
#[inline]
pub(super) fn dense(
    block: Block<'_>,
    weights: &[[i32; FEW]],
    division: Division,
) -> [Lanes<i32>; FEW] {
    debug_assert_eq!(Kernel::Avx2.or_portable(), Kernel::Avx2);
    // SAFETY: `Kernel::or_portable` and `Kernel::best` give `Kernel::Avx2`, which
    // alone leads here, only where the processor has AVX2.
    unsafe { dense_tile(block, weights, division) }
}

/// Like [`portable`](super::sparse::portable).
#[inline]
pub(super) fn sparse(row: Entries<'_>, weights: &[Lanes<i32>], division: Division) -> Lanes<i32> {
    debug_assert_eq!(Kernel::Avx2.or_portable(), Kernel::Avx2);
    // SAFETY: as above.
    unsafe { sparse_row(row, weights, division) }
}

#[target_feature(enable = "avx2")]
fn dense_tile(block: Block<'_>, weights: &[[i32; FEW]], division: Division) -> [Lanes<i32>; FEW] {
    let mut sums = [[_mm256_setzero_si256(); 2]; FEW];
    for (lanes, weights) in block.coefficients.iter().zip(weights) {
        let halves = [load(lanes, 0), load(lanes, 1)];
        for (sums, &weight) in sums.iter_mut().zip(weights) {
            let weight = _mm256_set1_epi32(weight);
            for (sum, half) in sums.iter_mut().zip(halves) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(half, weight));
            }
        }
    }
    let divisors = [
        load_single(block.divisors, 0),
        load_single(block.divisors, 1),
    ];
    sums.map(|sums| finish(sums, divisors, division))
}

#[target_feature(enable = "avx2")]
fn sparse_row(row: Entries<'_>, weights: &[Lanes<i32>], division: Division) -> Lanes<i32> {
    let mut sums = [_mm256_setzero_si256(); 2];
    for (&pair, &value) in row.pairs.iter().zip(row.values) {
        let value = _mm256_set1_epi32(packed(value));
        let weights = &weights[usize::from(pair)];
        for (half, sum) in sums.iter_mut().enumerate() {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(load(weights, half), value));
        }
    }
    finish(sums, [_mm256_set1_ps(row.divisor as f32); 2], division)
}

/// Divides, cuts off the fraction and keeps within the limit; see [`Division`].
#[target_feature(enable = "avx2")]
#[inline]
fn finish(sums: [__m256i; 2], divisors: [__m256; 2], division: Division) -> Lanes<i32> {
    let limit = _mm256_set1_epi32(LIMIT);
    let lowest = _mm256_set1_epi32(-LIMIT);
    let mut scores = Lanes([0; LANES]);
    for (half, (sum, divisor)) in sums.into_iter().zip(divisors).enumerate() {
        let quotient = match division {
            Division::None => sum,
            Division::Single => {
                _mm256_cvttps_epi32(_mm256_div_ps(_mm256_cvtepi32_ps(sum), divisor))
            }
            Division::Double => divide_double(sum, divisor),
        };
        let score = _mm256_max_epi32(_mm256_min_epi32(quotient, limit), lowest);
        store(&mut scores, half, score);
    }
    scores
}

#[target_feature(enable = "avx2")]
#[inline]
fn divide_double(sum: __m256i, divisor: __m256) -> __m256i {
    let low = _mm256_div_pd(
        _mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)),
        _mm256_cvtps_pd(_mm256_castps256_ps128(divisor)),
    );
    let high = _mm256_div_pd(
        _mm256_cvtepi32_pd(_mm256_extracti128_si256::<1>(sum)),
        _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(divisor)),
    );
    _mm256_set_m128i(_mm256_cvttpd_epi32(high), _mm256_cvttpd_epi32(low))
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(lanes: &Lanes<i32>, half: usize) -> __m256i {
    let part = &lanes.0[half * REGISTER..(half + 1) * REGISTER];
    // SAFETY: `part` is eight numbers, and `Lanes` are aligned to 64 bytes, so
    // either half is to 32.
    unsafe { _mm256_load_si256(part.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_single(lanes: &Lanes<f32>, half: usize) -> __m256 {
    let part = &lanes.0[half * REGISTER..(half + 1) * REGISTER];
    // SAFETY: as for `load`.
    unsafe { _mm256_load_ps(part.as_ptr()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(lanes: &mut Lanes<i32>, half: usize, value: __m256i) {
    let part = &mut lanes.0[half * REGISTER..(half + 1) * REGISTER];
    // SAFETY: as for `load`.
    unsafe { _mm256_store_si256(part.as_mut_ptr().cast(), value) }
}
