//! Strings of bits, packed into words.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Change, Genome, Layout, diversity};
use crate::operators::{Crossover, Mutation, Piece};
use crate::settings::SettingsError;

const WORD: usize = 64;

/// The longest string of bits that is read from text.
const LONGEST: usize = 1 << 24;

/// A string of bits.
///
/// Bit 0 is the most significant one of the first word, so that the words read
/// from left to right; bits behind the last one are always 0. As text it is the
/// length, a colon and hexadecimal digits: `10:a3c`.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// So many bits, all 0.
    pub fn zeros(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(WORD)],
            len,
        }
    }

    /// So many bits, each 0 or 1 with equal chance.
    pub fn random(len: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut bits = Self::zeros(len);
        for word in &mut bits.words {
            *word = rng.next_u64();
        }
        bits.clear_tail();
        bits
    }

    /// So many bits, each 1 with probability `share`.
    ///
    /// The gaps between the ones are drawn, not the bits: a rare 1 costs one
    /// logarithm, a 0 nothing.
    ///
    /// # Source
    ///
    /// Devroye, *Non-Uniform Random Variate Generation*, 1986, chapter X.2: a
    /// geometric gap is ⌊ln U / ln(1 − p)⌋.
    ///
    /// # Where this differs
    ///
    /// At one half whole words are drawn instead.
    pub fn random_with(len: usize, share: f64, rng: &mut ChaCha8Rng) -> Self {
        if (share - 0.5).abs() < f64::EPSILON {
            return Self::random(len, rng);
        }
        let mut bits = Self::zeros(len);
        bits.flip_at_random(share, rng);
        bits
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn ones(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// One bit; `false` behind the last.
    pub fn get(&self, at: usize) -> bool {
        self.read(at, 1) == 1
    }

    /// Sets one bit; behind the last nothing happens.
    pub fn set(&mut self, at: usize, to: bool) {
        self.write(at, 1, u64::from(to));
    }

    /// Up to 64 bits as a number, the first one the most significant. Bits
    /// behind the last count as 0.
    pub fn read(&self, at: usize, count: usize) -> u64 {
        let count = count.min(WORD);
        if count == 0 {
            return 0;
        }
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let (index, shift) = (at / WORD, at % WORD);
        let mut window = word(index) << shift;
        if shift + count > WORD {
            window |= word(index + 1) >> (WORD - shift);
        }
        window >> (WORD - count)
    }

    /// Writes the lowest `count` bits of a number, up to 64, the most
    /// significant one first. What would lie behind the last bit is dropped.
    pub fn write(&mut self, at: usize, count: usize, number: u64) {
        let count = count.min(WORD);
        if count == 0 || at >= self.len {
            return;
        }
        let (index, shift) = (at / WORD, at % WORD);
        let mask = u64::MAX << (WORD - count);
        let window = number << (WORD - count);
        self.words[index] = self.words[index] & !(mask >> shift) | window >> shift;
        if shift + count > WORD
            && let Some(word) = self.words.get_mut(index + 1)
        {
            let rest = WORD - shift;
            *word = *word & !(mask << rest) | window << rest;
        }
        self.clear_tail();
    }

    /// Flips each bit with probability `rate`; returns how many were flipped.
    pub fn flip_at_random(&mut self, rate: f64, rng: &mut ChaCha8Rng) -> usize {
        if rate.is_nan() || rate <= 0.0 {
            return 0;
        }
        if rate >= 1.0 {
            for word in &mut self.words {
                *word = !*word;
            }
            self.clear_tail();
            return self.len;
        }
        let scale = 1.0 / libm::log1p(-rate);
        let (mut at, mut flipped) = (0, 0);
        loop {
            // 1 − U lies in (0, 1], where the logarithm is finite.
            let gap = libm::log(1.0 - rng.random::<f64>()) * scale;
            if gap >= (self.len - at) as f64 {
                return flipped;
            }
            at += gap as usize;
            self.words[at / WORD] ^= 1 << (WORD - 1 - at % WORD);
            flipped += 1;
            at += 1;
        }
    }

    /// Flips one bit of each gene with probability `rate`; returns how many.
    fn flip_in_genes(&mut self, layout: &Layout, rate: f64, rng: &mut ChaCha8Rng) -> usize {
        // Which genes are picked is drawn as which bits of a string are.
        let mut picked = Self::zeros(layout.genes().len());
        if picked.flip_at_random(rate, rng) == 0 {
            return 0;
        }
        let (mut start, mut flipped) = (0, 0);
        for (index, gene) in layout.genes().iter().enumerate() {
            let bits = gene.bits as usize;
            if bits > 0 && picked.get(index) {
                let at = start + rng.random_range(0..bits);
                self.set(at, !self.get(at));
                flipped += 1;
            }
            start += bits;
        }
        flipped
    }

    /// The words, the first bit on top of the first word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A string with ones in `range` and zeros elsewhere.
    fn with_ones(len: usize, range: std::ops::Range<usize>) -> Self {
        let mut mask = Self::zeros(len);
        mask.fill(range);
        mask
    }

    /// Sets the bits of a range, which ends at the last bit at the latest.
    pub(crate) fn fill(&mut self, range: std::ops::Range<usize>) {
        let end = range.end.min(self.len);
        let mut at = range.start;
        while at < end {
            let count = (end - at).min(WORD - at % WORD);
            self.words[at / WORD] |= u64::MAX << (WORD - count) >> (at % WORD);
            at += count;
        }
    }

    /// Two children: where the mask is 1 they swap what the parents hold.
    fn swapped(parents: [&Self; 2], mask: &Self) -> [Self; 2] {
        let [mut first, mut second] = parents.map(Self::clone);
        let pairs = first.words.iter_mut().zip(&mut second.words);
        for ((one, other), mask) in pairs.zip(&mask.words) {
            let differ = (*one ^ *other) & mask;
            *one ^= differ;
            *other ^= differ;
        }
        [first, second]
    }

    fn clear_tail(&mut self) {
        let used = self.len % WORD;
        if used > 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= u64::MAX << (WORD - used);
        }
    }
}

/// A place to cut between two bits or numbers, all equally likely.
pub(crate) fn cut(len: usize, rng: &mut ChaCha8Rng) -> usize {
    rng.random_range(1..len)
}

/// Two different places to cut, in order, all pairs equally likely.
pub(crate) fn two_cuts(len: usize, rng: &mut ChaCha8Rng) -> std::ops::Range<usize> {
    let one = cut(len, rng);
    // The second is drawn from the places that are left.
    let mut other = rng.random_range(1..len - 1);
    if other >= one {
        other += 1;
    }
    one.min(other)..one.max(other)
}

impl Genome for Bits {
    type Space = Layout;

    fn check_space(space: &Layout) -> Result<(), SettingsError> {
        if space.bits() == 0 {
            return Err(SettingsError::Empty);
        }
        Ok(())
    }

    fn check(crossover: Option<&Crossover>, mutation: &Mutation) -> Result<(), SettingsError> {
        if let Some(crossover) = crossover {
            crossover.check()?;
            if *crossover == Crossover::Arithmetic {
                return Err(SettingsError::Unsuited {
                    key: "crossover",
                    value: "arithmetic",
                    genomes: "strings of bits",
                    instead: "`single-point`, `two-point` or `uniform`".to_owned(),
                });
            }
        }
        mutation.check()?;
        if matches!(mutation, Mutation::BitFlip | Mutation::GeneBit) {
            return Ok(());
        }
        Err(SettingsError::Unsuited {
            key: "mutation",
            value: mutation.name(),
            genomes: "strings of bits",
            instead: "`bit-flip` or `gene-bit`".to_owned(),
        })
    }

    fn belongs(&self, space: &Layout) -> Result<(), SettingsError> {
        if self.len == space.bits() {
            return Ok(());
        }
        Err(SettingsError::Start {
            reason: format!(
                "it has {} bits, and the genes take {}",
                self.len,
                space.bits()
            ),
        })
    }

    fn random(space: &Layout, rng: &mut ChaCha8Rng) -> Self {
        Self::random(space.bits(), rng)
    }

    fn cross(
        crossover: &Crossover,
        space: &Layout,
        parents: [&Self; 2],
        rng: &mut ChaCha8Rng,
    ) -> [Self; 2] {
        let len = parents[0].len.min(parents[1].len);
        let mask = match crossover {
            Crossover::SinglePoint if len >= 2 => Self::with_ones(len, cut(len, rng)..len),
            Crossover::TwoPoint if len >= 3 => Self::with_ones(len, two_cuts(len, rng)),
            Crossover::Uniform { by, swap } => match by {
                Piece::Bit => Self::random_with(len, *swap, rng),
                Piece::Gene => space.random_genes(*swap, rng),
            },
            // Too short to be cut, or refused by `check`.
            _ => Self::zeros(len),
        };
        Self::swapped(parents, &mask)
    }

    fn mutate(&mut self, change: &Change<'_, Layout>, rng: &mut ChaCha8Rng) -> bool {
        match change.mutation {
            Mutation::BitFlip => self.flip_at_random(change.rate, rng) > 0,
            Mutation::GeneBit => self.flip_in_genes(change.space, change.rate, rng) > 0,
            // Refused by `check`.
            Mutation::Gaussian { .. } | Mutation::NonUniform { .. } => false,
        }
    }

    fn diversity<'a>(space: &Layout, members: impl IntoIterator<Item = &'a Self>) -> f64 {
        diversity::of_bits(space.bits(), members)
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(self.len / 4 + 9);
        text.push_str(&self.len.to_string());
        text.push(':');
        for digit in 0..self.len.div_ceil(4) {
            let value = self.words[digit / 16] >> (60 - 4 * (digit % 16)) & 0xF;
            text.push(char::from(DIGITS[value as usize]));
        }
        f.write_str(&text)
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits({self})")
    }
}

impl FromStr for Bits {
    type Err = SettingsError;

    fn from_str(text: &str) -> Result<Self, SettingsError> {
        parse(text).ok_or_else(|| {
            let text: String = text.chars().take(80).collect();
            SettingsError::genome(format!(
                "`{text}` is no string of bits: write the number of bits, a colon and one \
                 hexadecimal digit for each four bits, such as `10:a3c`"
            ))
        })
    }
}

fn parse(text: &str) -> Option<Bits> {
    let (len, digits) = text.split_once(':')?;
    let len: usize = len.parse().ok().filter(|&len| len <= LONGEST)?;
    if digits.len() != len.div_ceil(4) {
        return None;
    }
    let mut bits = Bits::zeros(len);
    for (index, digit) in digits.chars().enumerate() {
        let value = u64::from(digit.to_digit(16)?);
        bits.words[index / 16] |= value << (60 - 4 * (index % 16));
    }
    // A last digit with more bits than there are was not written by us.
    let kept = bits.words.last().copied();
    bits.clear_tail();
    (bits.words.last().copied() == kept).then_some(bits)
}

impl TryFrom<String> for Bits {
    type Error = SettingsError;

    fn try_from(text: String) -> Result<Self, SettingsError> {
        text.parse()
    }
}

impl From<Bits> for String {
    fn from(bits: Bits) -> Self {
        bits.to_string()
    }
}
