//! The hash of one number.

use mendel_board::mix;

#[test]
fn the_numbers_are_those_of_the_paper() {
    // The first three outputs of the generator with the seed 0.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
    assert_eq!(mix(STEP), 0x6E78_9E6A_A1B9_65F4);
    assert_eq!(mix(STEP.wrapping_mul(2)), 0x06C4_5D18_8009_454F);
}
