//! Chance is an argument: generators seeded from what they are for.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What chance is needed for. Two purposes of the same member never see the
/// same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// Drawing the members of the first generation.
    Start,
    /// Choosing parents, crossing and mutating.
    Breed,
    /// The judging of a generation: games, orders, colours.
    Trial,
    /// Choosing what a generation is judged on.
    Sample,
    /// What comes after the last generation.
    Proof,
}

/// The generator for one purpose of one member in one generation of one run.
///
/// Its stream is fixed by definition, and no two of them are shared, so that
/// the order in which threads or machines do their work changes nothing.
///
/// # Source
///
/// The mixing is the output function of `SplitMix64`: Steele, Lea and Flood, "Fast
/// Splittable Pseudorandom Number Generators", OOPSLA 2014,
/// doi:10.1145/2660193.2660195.
///
/// # Where this differs
///
/// The four numbers are absorbed one after the other, each step mixed; a single
/// stream would not need that.
pub fn generator(run: u64, generation: u32, member: u32, purpose: Purpose) -> ChaCha8Rng {
    let purpose = match purpose {
        Purpose::Start => 1,
        Purpose::Breed => 2,
        Purpose::Trial => 3,
        Purpose::Sample => 4,
        Purpose::Proof => 5,
    };
    let mixed = [u64::from(generation), u64::from(member), purpose]
        .into_iter()
        .fold(mix(run), absorb);
    ChaCha8Rng::seed_from_u64(mixed)
}

/// The seed for the judging of one generation.
///
/// Mixed and not merely added: with `run + generation` the runs 7 and 8 would
/// meet the same games one generation apart, and three seeds would not be three
/// experiments.
pub fn generation_seed(run: u64, generation: u32) -> u64 {
    absorb(mix(run), u64::from(generation))
}

/// One more number into the state, which is mixed already: numbers alike in two
/// places do not cancel. For a given state this is one-to-one, so that neighbours
/// in any one number never collide.
fn absorb(state: u64, number: u64) -> u64 {
    mix(state ^ number)
}

/// The same function as `mendel_board::mix`, a second time because this crate depends
/// on no other crate of the workspace.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn the_numbers_are_those_of_every_machine_and_version() {
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF, "the first of SplitMix64");
        assert_eq!(generation_seed(7, 0), 0xB8B4_C297_7EAB_CE45);
        assert_eq!(
            generator(7, 1, 2, Purpose::Breed).next_u64(),
            0xCB36_DADC_5502_A1F4
        );
    }
}
