//! The minimal filtering of 4×4 outputs by 3×3 taps, along one line.
//!
//! Of a board four tiles of 6×6 squares are seen, each of which gives 4×4 outputs. In
//! the transformed space a convolution is 36 products of matrices and takes 36 · 4
//! multiplications a pair of channels where the plain sum takes 484.
//!
//! # Source
//!
//! A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016,
//! arXiv:1509.09308, section 4.3, after S. Winograd, "Arithmetic Complexity of
//! Computations", 1980.
//!
//! # Where this differs
//!
//! The factors 1/4, −1/6 and 1/24 of the taps' transform are moved to that of the
//! inputs. What is left for the taps are sums and small powers of two; it is cheap
//! enough to be done whenever they are used, from half precision, which spares reading
//! four times as much memory.

use crate::simd::Lanes;

/// Along one line, from six inputs.
#[inline(always)]
pub(super) fn inputs<L: Lanes>(d: [L; 6]) -> [L; 6] {
    let of = L::splat;
    let sixth = of(-1.0 / 6.0);
    let even = of(-4.0).mul_add(d[2], d[4]).mul(sixth);
    let odd = of(-4.0).mul_add(d[1], d[3]).mul(sixth);
    let far_even = d[4].sub(d[2]).mul(of(1.0 / 24.0));
    let far_odd = d[3].sub(d[1]).mul(of(1.0 / 12.0));
    [
        of(0.25).mul_add(d[4], of(-1.25).mul_add(d[2], d[0])),
        even.add(odd),
        even.sub(odd),
        far_even.add(far_odd),
        far_even.sub(far_odd),
        of(4.0).mul_add(d[1], of(-5.0).mul_add(d[3], d[5])),
    ]
}

/// Along one line, from three taps.
#[inline(always)]
pub(super) fn taps<L: Lanes>(g: [L; 3]) -> [L; 6] {
    let even = g[0].add(g[2]);
    let far = L::splat(4.0).mul_add(g[2], g[0]);
    [
        g[0],
        even.add(g[1]),
        even.sub(g[1]),
        L::splat(2.0).mul_add(g[1], far),
        L::splat(-2.0).mul_add(g[1], far),
        g[2],
    ]
}

/// Along one line, to four outputs.
#[inline(always)]
pub(super) fn outputs<L: Lanes>(m: [L; 6]) -> [L; 4] {
    let of = L::splat;
    let (near, far) = (m[1].add(m[2]), m[3].add(m[4]));
    let (near_odd, far_odd) = (m[1].sub(m[2]), m[3].sub(m[4]));
    [
        m[0].add(near).add(far),
        of(2.0).mul_add(far_odd, near_odd),
        of(4.0).mul_add(far, near),
        of(8.0).mul_add(far_odd, near_odd).add(m[5]),
    ]
}
