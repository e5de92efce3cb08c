//! A hash of one number.

/// Spreads a number over all 64 bits: equal numbers give equal values, on every machine
/// and in every version, and every input bit reaches every output bit.
///
/// # Source
///
/// The output function of `SplitMix64`: Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014, doi:10.1145/2660193.2660195.
#[inline]
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
