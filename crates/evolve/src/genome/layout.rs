//! Which bits are which gene.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::Bits;
use crate::settings::SettingsError;

/// The most bits a gene can have.
const WIDEST: u32 = 32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// The binary reflected Gray code: neighbouring numbers differ in one bit.
    ///
    /// # Source
    ///
    /// Gray, "Pulse Code Communication", US patent 2,632,058, 1953; for genomes
    /// Chakraborty and Janikow, "An analysis of Gray versus binary encoding in
    /// genetic search", *Information Sciences* 156, 2003, p. 253–269.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    #[default]
    Gray,
    /// Plain binary: 7 and 8 differ in four bits.
    Binary,
}

impl Coding {
    pub fn code(self, number: u64) -> u64 {
        match self {
            Self::Gray => number ^ number >> 1,
            Self::Binary => number,
        }
    }

    pub fn number(self, code: u64) -> u64 {
        match self {
            Self::Gray => {
                // Each bit is the parity of the code's bits from the top down.
                let mut number = code;
                for shift in [1, 2, 4, 8, 16, 32] {
                    number ^= number >> shift;
                }
                number
            }
            Self::Binary => code,
        }
    }
}

/// A whole number that is bred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Gene {
    pub name: String,
    /// How many bits it has, at most 32; with none it is always `offset`.
    pub bits: u32,
    /// The value of code 0.
    #[serde(default)]
    pub offset: i64,
    /// How much the value changes with each code.
    #[serde(default = "one")]
    pub step: i64,
}

fn one() -> i64 {
    1
}

impl Gene {
    /// A gene with values 0, 1, 2 … 2^bits − 1.
    pub fn new(name: impl Into<String>, bits: u32) -> Self {
        Self {
            name: name.into(),
            bits,
            offset: 0,
            step: 1,
        }
    }

    fn last(&self) -> i128 {
        let codes = 1_i128 << self.bits.min(WIDEST);
        i128::from(self.offset) + i128::from(self.step) * (codes - 1)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let reason = if self.bits > WIDEST {
            format!("it has {} bits, and {WIDEST} is the most", self.bits)
        } else if self.bits > 0 && self.step == 0 {
            "its step is 0, so all codes mean the same: give it 0 bits instead".to_owned()
        } else if i64::try_from(self.last()).is_err() {
            "its largest value does not fit into 64 bits".to_owned()
        } else {
            return Ok(());
        };
        let name = &self.name;
        let reason = format!("the gene `{name}` cannot be bred: {reason}");
        Err(SettingsError::genome(reason))
    }

    fn value(&self, number: u64) -> i64 {
        // Cannot overflow: the largest value was checked.
        self.offset
            .wrapping_add(self.step.wrapping_mul(number as i64))
    }

    fn number(&self, value: i64) -> Option<u64> {
        let above = i128::from(value) - i128::from(self.offset);
        if self.bits == 0 {
            return (above == 0).then_some(0);
        }
        let step = i128::from(self.step);
        let number = above / step;
        let fits = number * step == above && (0..1 << self.bits).contains(&number);
        fits.then_some(number as u64)
    }
}

/// How a string of bits is read as a list of whole numbers: gene after gene.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Plan", into = "Plan")]
pub struct Layout {
    genes: Vec<Gene>,
    coding: Coding,
    starts: Vec<usize>,
    bits: usize,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Plan {
    genes: Vec<Gene>,
    #[serde(default)]
    coding: Coding,
}

impl Layout {
    /// A layout of genes in this order.
    ///
    /// # Errors
    ///
    /// If one has more than 32 bits, a step of 0 or
    /// values beyond 64 bits.
    pub fn new(genes: Vec<Gene>, coding: Coding) -> Result<Self, SettingsError> {
        let mut starts = Vec::with_capacity(genes.len());
        let mut bits = 0;
        for gene in &genes {
            gene.check()?;
            starts.push(bits);
            bits += gene.bits as usize;
        }
        Ok(Self {
            genes,
            coding,
            starts,
            bits,
        })
    }

    /// The genes, in the order of their bits.
    pub fn genes(&self) -> &[Gene] {
        &self.genes
    }

    pub fn coding(&self) -> Coding {
        self.coding
    }

    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The values of all genes. Bits that are missing count as 0.
    pub fn decode(&self, bits: &Bits) -> Vec<i64> {
        self.values(bits).collect()
    }

    pub fn values<'a>(&'a self, bits: &'a Bits) -> impl ExactSizeIterator<Item = i64> + 'a {
        self.genes.iter().zip(&self.starts).map(|(gene, &start)| {
            let code = bits.read(start, gene.bits as usize);
            gene.value(self.coding.number(code))
        })
    }

    /// The bits that stand for these values.
    ///
    /// # Errors
    ///
    /// If there is not one for each gene, or a gene cannot hold its value.
    pub fn encode(&self, values: &[i64]) -> Result<Bits, SettingsError> {
        if values.len() != self.genes.len() {
            let (found, needed) = (values.len(), self.genes.len());
            let reason = format!("{found} values were given for {needed} genes: give one for each");
            return Err(SettingsError::genome(reason));
        }
        let mut bits = Bits::zeros(self.bits);
        for ((gene, &start), &value) in self.genes.iter().zip(&self.starts).zip(values) {
            let number = gene.number(value).ok_or_else(|| {
                let (name, first, last) = (&gene.name, gene.offset, gene.last());
                SettingsError::genome(format!(
                    "the gene `{name}` cannot hold {value}: it has values from {first} to {last} \
                     in steps of {}",
                    gene.step
                ))
            })?;
            bits.write(start, gene.bits as usize, self.coding.code(number));
        }
        Ok(bits)
    }

    /// A mask over whole genes, each chosen with probability `share`.
    pub(crate) fn random_genes(&self, share: f64, rng: &mut ChaCha8Rng) -> Bits {
        let mut mask = Bits::zeros(self.bits);
        for (gene, &start) in self.genes.iter().zip(&self.starts) {
            if rng.random::<f64>() < share {
                mask.fill(start..start + gene.bits as usize);
            }
        }
        mask
    }
}

impl TryFrom<Plan> for Layout {
    type Error = SettingsError;

    fn try_from(plan: Plan) -> Result<Self, SettingsError> {
        Self::new(plan.genes, plan.coding)
    }
}

impl From<Layout> for Plan {
    fn from(layout: Layout) -> Self {
        Self {
            genes: layout.genes,
            coding: layout.coding,
        }
    }
}
