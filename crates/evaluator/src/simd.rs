//! Vector instructions of the processor at hand.
//!
//! [`with_simd`] compiles plain loops in a fixed order of additions twice: for any
//! processor, and for one with AVX2. Rust neither reorders nor fuses floating-point
//! numbers, so both copies give the same bits.
//!
//! [`SimdLevel::run`] runs kernels that are written once over [`Lanes`], sixteen numbers.
//! Each lane is a channel of its own, so a sum is made of the same numbers in the same
//! order however many lanes a register holds, and all levels fuse the same products into
//! the same sums: they give the same bits.

#![allow(
    unsafe_code,
    reason = "only the caller of a function for a kind of processor knows which one it is"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "counted loops over arrays are unrolled and kept in registers, iterators not always"
)]
#![allow(
    clippy::cast_ptr_alignment,
    reason = "the loads of half precision need no alignment"
)]

use half::f16;

/// How many channels go together.
pub(crate) const LANES: usize = 16;

/// Sixteen numbers in memory, aligned for registers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Aligned16(pub(crate) [f32; LANES]);

/// The number of blocks of sixteen for these channels.
pub(crate) fn blocks(channels: usize) -> usize {
    channels.div_ceil(LANES)
}

/// Sixteen numbers in registers.
pub(crate) trait Lanes: Copy {
    /// How many of them fit the registers as sums, with room for what is added.
    const SUMS: usize;

    fn splat(value: f32) -> Self;
    fn load(from: &Aligned16) -> Self;
    /// From half precision, exactly.
    fn widen(from: &[f16; LANES]) -> Self;
    fn store(self, into: &mut Aligned16);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self · factor + sum`, rounded once.
    fn mul_add(self, factor: Self, sum: Self) -> Self;
}

/// Code to run with the lanes of the processor at hand. `run` must be `inline(always)`,
/// and so must all that it calls.
pub(crate) trait SimdKernel {
    fn run<L: Lanes>(self);
}

/// The vector instructions that kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SimdLevel(SimdBackend);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SimdBackend {
    Any,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl SimdLevel {
    /// Supported by every processor.
    pub(crate) const PORTABLE: Self = Self(SimdBackend::Any);

    pub(crate) fn all() -> impl DoubleEndedIterator<Item = Self> {
        let any = Some(SimdBackend::Any);
        #[cfg(target_arch = "x86_64")]
        let (wide, widest) = {
            let avx2 = std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
                && std::arch::is_x86_feature_detected!("f16c");
            let avx512 = avx2 && std::arch::is_x86_feature_detected!("avx512f");
            (
                avx2.then_some(SimdBackend::Avx2),
                avx512.then_some(SimdBackend::Avx512),
            )
        };
        #[cfg(not(target_arch = "x86_64"))]
        let (wide, widest) = (None, None);
        [any, wide, widest].into_iter().flatten().map(Self)
    }

    pub(crate) fn best() -> Self {
        Self::all().next_back().unwrap_or(Self::PORTABLE)
    }

    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            SimdBackend::Any => "portable",
            #[cfg(target_arch = "x86_64")]
            SimdBackend::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            SimdBackend::Avx512 => "AVX-512",
        }
    }

    #[inline]
    pub(crate) fn run(self, kernel: impl SimdKernel) {
        match self.0 {
            SimdBackend::Any => kernel.run::<ScalarLanes>(),
            // SAFETY: `all` makes this backend only where the processor has it.
            #[cfg(target_arch = "x86_64")]
            SimdBackend::Avx2 => unsafe { x86::run_with_avx2(kernel) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            SimdBackend::Avx512 => unsafe { x86::run_with_avx512(kernel) },
        }
    }
}

/// Runs `work`, compiled for AVX2 where the processor has it. What `work` calls must be
/// `inline(always)`, or it stays compiled for any processor.
#[inline]
pub(crate) fn with_simd<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { x86::with_avx2(work) };
    }
    work()
}

/// Lanes of any processor.
#[derive(Clone, Copy)]
struct ScalarLanes([f32; LANES]);

impl ScalarLanes {
    #[inline(always)]
    fn each(self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
        let mut all = self.0;
        for at in 0..LANES {
            all[at] = function(self.0[at], other.0[at]);
        }
        Self(all)
    }
}

impl Lanes for ScalarLanes {
    const SUMS: usize = 4;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load(from: &Aligned16) -> Self {
        Self(from.0)
    }

    #[inline(always)]
    fn widen(from: &[f16; LANES]) -> Self {
        let mut all = [0.0; LANES];
        for at in 0..LANES {
            all[at] = from[at].to_f32();
        }
        Self(all)
    }

    #[inline(always)]
    fn store(self, into: &mut Aligned16) {
        into.0 = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| a * b)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, sum: Self) -> Self {
        let mut all = self.0;
        for at in 0..LANES {
            all[at] = self.0[at].mul_add(factor.0[at], sum.0[at]);
        }
        Self(all)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256, __m256i, __m512, _mm_loadu_si128, _mm256_add_ps, _mm256_cvtph_ps,
        _mm256_fmadd_ps, _mm256_load_ps, _mm256_loadu_si256, _mm256_mul_ps, _mm256_set1_ps,
        _mm256_store_ps, _mm256_sub_ps, _mm512_add_ps, _mm512_cvtph_ps, _mm512_fmadd_ps,
        _mm512_load_ps, _mm512_mul_ps, _mm512_set1_ps, _mm512_store_ps, _mm512_sub_ps,
    };

    use half::f16;

    use super::{Aligned16, LANES, Lanes, SimdKernel};

    #[target_feature(enable = "avx2")]
    pub(super) fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    pub(super) fn run_with_avx2(kernel: impl SimdKernel) {
        kernel.run::<Ymm>();
    }

    #[target_feature(enable = "avx2,fma,f16c,avx512f")]
    pub(super) fn run_with_avx512(kernel: impl SimdKernel) {
        kernel.run::<Zmm>();
    }

    // SAFETY of all below: the two kinds of lanes are private and used only by the two
    // functions `run_with_…`, so the instructions are there; what is read and written are
    // sixteen numbers behind a reference, aligned as their type says.

    macro_rules! operation {
        ($name:ident: $intrinsic:ident, $($register:tt),+) => {
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see above.
                unsafe { Self($($intrinsic(self.$register, other.$register)),+) }
            }
        };
    }

    #[derive(Clone, Copy)]
    struct Ymm(__m256, __m256);

    impl Lanes for Ymm {
        const SUMS: usize = 4;

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: see above.
            let all = unsafe { _mm256_set1_ps(value) };
            Self(all, all)
        }

        #[inline(always)]
        fn load(from: &Aligned16) -> Self {
            let from = from.0.as_ptr();
            // SAFETY: see above.
            unsafe { Self(_mm256_load_ps(from), _mm256_load_ps(from.add(8))) }
        }

        #[inline(always)]
        fn widen(from: &[f16; LANES]) -> Self {
            let from = from.as_ptr().cast::<__m128i>();
            // SAFETY: see above; these loads need no alignment.
            unsafe {
                let (low, high) = (_mm_loadu_si128(from), _mm_loadu_si128(from.add(1)));
                Self(_mm256_cvtph_ps(low), _mm256_cvtph_ps(high))
            }
        }

        #[inline(always)]
        fn store(self, into: &mut Aligned16) {
            let into = into.0.as_mut_ptr();
            // SAFETY: see above.
            unsafe {
                _mm256_store_ps(into, self.0);
                _mm256_store_ps(into.add(8), self.1);
            }
        }

        operation!(add: _mm256_add_ps, 0, 1);
        operation!(sub: _mm256_sub_ps, 0, 1);
        operation!(mul: _mm256_mul_ps, 0, 1);

        #[inline(always)]
        fn mul_add(self, factor: Self, sum: Self) -> Self {
            // SAFETY: see above.
            unsafe {
                Self(
                    _mm256_fmadd_ps(self.0, factor.0, sum.0),
                    _mm256_fmadd_ps(self.1, factor.1, sum.1),
                )
            }
        }
    }

    #[derive(Clone, Copy)]
    struct Zmm(__m512);

    impl Lanes for Zmm {
        const SUMS: usize = 16;

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_set1_ps(value) })
        }

        #[inline(always)]
        fn load(from: &Aligned16) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_load_ps(from.0.as_ptr()) })
        }

        #[inline(always)]
        fn widen(from: &[f16; LANES]) -> Self {
            // SAFETY: see above; this load needs no alignment.
            Self(unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast::<__m256i>())) })
        }

        #[inline(always)]
        fn store(self, into: &mut Aligned16) {
            // SAFETY: see above.
            unsafe { _mm512_store_ps(into.0.as_mut_ptr(), self.0) }
        }

        operation!(add: _mm512_add_ps, 0);
        operation!(sub: _mm512_sub_ps, 0);
        operation!(mul: _mm512_mul_ps, 0);

        #[inline(always)]
        fn mul_add(self, factor: Self, sum: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, sum.0) })
        }
    }
}
