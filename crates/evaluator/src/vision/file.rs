//! Networks as files.
//!
//! ```text
//! MENDELNT   8 bytes
//! version    4 bytes, little-endian: 1
//! length     4 bytes, of the header
//! header     TOML: name, about, [shape], [training]
//! numbers    2 bytes each, little-endian IEEE half precision, in the order of
//!            Shape::tensors
//! checksum   8 bytes, of all before
//! ```

use half::f16;
use serde::{Deserialize, Serialize};

use super::shape::{MOST_NUMBERS, Shape, Tensor};
use mendel_board::mix;

const MAGIC: &[u8; 8] = b"MENDELNT";
const VERSION: u32 = 1;
const MOST_HEADER: usize = 1 << 20;
const CHECKSUM: usize = 8;

/// Why bytes are no network, or not one for the purpose.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetFileError {
    #[error("the view `row` and the head `dense` go together, and with no other")]
    Unfit,
    #[error("this is no network: it does not begin with MENDELNT; write one with `mendel train`")]
    NotANet,
    #[error(
        "a network of version {found} cannot be read, only {VERSION}; take the program it was written by"
    )]
    Version { found: u32 },
    #[error(
        "a network of {found} bytes should have {wanted}; it was cut off or mixed up, copy it again"
    )]
    Length { found: usize, wanted: usize },
    #[error("the checksum of the network is wrong; it was damaged, copy it again")]
    Checksum,
    #[error("the header of the network cannot be read: {reason}")]
    Header { reason: String },
    #[error("the network's size is out of bounds: {what} = {found}; it may be {least} to {most}")]
    Size {
        what: &'static str,
        found: usize,
        least: usize,
        most: usize,
    },
    /// Not a number, infinite, or too large.
    #[error(
        "the network has a number that half precision cannot hold: {value} in `{tensor}`; train it again with a lower learning rate"
    )]
    Number { tensor: String, value: f32 },
    #[error("the tensor `{tensor}` has {found} numbers; its shape has {wanted}")]
    Tensor {
        tensor: String,
        found: usize,
        wanted: usize,
    },
    /// A policy needs another head.
    #[error(
        "the network `{name}` judges positions and names no moves; take one with the head `from-to` or `pairs`"
    )]
    NoMoves { name: String },
}

/// A network with its description, as it stands in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct File {
    pub name: String,
    pub about: String,
    pub shape: Shape,
    /// How it was made: recipe, data, metrics. Nothing here reads it.
    #[serde(default)]
    pub training: toml::Table,
    /// All numbers, in the order of [`Shape::tensors`].
    #[serde(skip)]
    pub numbers: Vec<f16>,
}

impl File {
    /// A network of the numbers that `numbers` gives for each tensor.
    ///
    /// # Errors
    ///
    /// If a size is out of bounds, a tensor has another one, or a number does not fit
    /// half precision.
    pub fn new(
        shape: Shape,
        mut numbers: impl FnMut(&Tensor) -> Vec<f32>,
    ) -> Result<Self, NetFileError> {
        shape.check()?;
        let mut all = Vec::with_capacity(shape.count());
        for tensor in shape.tensors() {
            let values = numbers(&tensor);
            if values.len() != tensor.count() {
                return Err(NetFileError::Tensor {
                    found: values.len(),
                    wanted: tensor.count(),
                    tensor: tensor.name,
                });
            }
            for value in values {
                let rounded = f16::from_f32(value);
                if !rounded.is_finite() {
                    return Err(NetFileError::Number {
                        tensor: tensor.name,
                        value,
                    });
                }
                all.push(rounded);
            }
        }
        Ok(Self {
            name: String::new(),
            about: String::new(),
            shape,
            training: toml::Table::new(),
            numbers: all,
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If these are not the bytes of a network.
    pub fn read(bytes: &[u8]) -> Result<Self, NetFileError> {
        // 1. What it is.
        if !bytes.starts_with(MAGIC) {
            return Err(NetFileError::NotANet);
        }
        let cut_off = |wanted: usize| NetFileError::Length {
            found: bytes.len(),
            wanted,
        };
        let begin = MAGIC.len() + 8;
        let sizes = bytes[MAGIC.len()..].first_chunk::<8>();
        let sizes = u64::from_le_bytes(*sizes.ok_or(cut_off(begin))?);
        let (version, length) = (sizes as u32, (sizes >> 32) as usize);
        if version != VERSION {
            return Err(NetFileError::Version { found: version });
        }
        if length > MOST_HEADER {
            return Err(NetFileError::Size {
                what: "bytes of the header",
                found: length,
                least: 0,
                most: MOST_HEADER,
            });
        }

        // 2. Whether it is whole; the checksum first, for a damaged header says less.
        let body = bytes.len().checked_sub(CHECKSUM);
        let body = body.filter(|body| *body >= begin + length);
        let (body, sum) = bytes.split_at(body.ok_or(cut_off(begin + length + CHECKSUM))?);
        if checksum(body).to_le_bytes() != sum {
            return Err(NetFileError::Checksum);
        }

        // 3. What it says.
        let refused = |reason: String| NetFileError::Header { reason };
        let header = std::str::from_utf8(&body[begin..begin + length]);
        let header = header.map_err(|error| refused(error.to_string()))?;
        let mut file: Self = toml::from_str(header).map_err(|error| refused(error.to_string()))?;
        file.shape.check()?;
        let numbers = &body[begin + length..];
        let wanted = 2 * file.shape.count();
        if numbers.len() != wanted {
            return Err(cut_off(begin + length + wanted + CHECKSUM));
        }
        let numbers = numbers.as_chunks().0.iter();
        file.numbers = numbers.map(|pair| f16::from_le_bytes(*pair)).collect();
        file.check()?;
        Ok(file)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// If a size is out of bounds or a number is not finite.
    pub fn write(&self) -> Result<Vec<u8>, NetFileError> {
        self.check()?;
        let header = toml::to_string(self).map_err(|error| NetFileError::Header {
            reason: error.to_string(),
        })?;
        if header.len() > MOST_HEADER {
            return Err(NetFileError::Size {
                what: "bytes of the header",
                found: header.len(),
                least: 0,
                most: MOST_HEADER,
            });
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(checksum(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// The numbers of all tensors, one after the other.
    pub fn tensors(&self) -> impl Iterator<Item = (Tensor, &[f16])> {
        let mut rest = self.numbers.as_slice();
        self.shape.tensors().into_iter().map(move |tensor| {
            let numbers;
            (numbers, rest) = rest.split_at(tensor.count().min(rest.len()));
            (tensor, numbers)
        })
    }

    /// Whether the numbers are those of the shape, and numbers.
    pub(super) fn check(&self) -> Result<(), NetFileError> {
        self.shape.check()?;
        if self.numbers.len() != self.shape.count() {
            return Err(NetFileError::Size {
                what: "numbers of this shape",
                found: self.numbers.len(),
                least: self.shape.count(),
                most: self.shape.count(),
            });
        }
        for (tensor, numbers) in self.tensors() {
            if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
                return Err(NetFileError::Number {
                    tensor: tensor.name,
                    value: number.to_f32(),
                });
            }
        }
        Ok(())
    }
}

/// Words of eight bytes, each mixed into what came before; the last one is filled up
/// with zeros.
fn checksum(bytes: &[u8]) -> u64 {
    let start = mix(bytes.len() as u64);
    bytes.chunks(8).fold(start, |mixed, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(mixed ^ u64::from_le_bytes(word))
    })
}

const _: () = assert!(MOST_NUMBERS < u32::MAX as usize / 2);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vision::{Activation, Head, View};

    fn small() -> File {
        let shape = Shape {
            view: View::Sides { plies: 1 },
            filters: 3,
            blocks: 1,
            activation: Activation::Relu,
            head: Head::Pairs { width: 2, value: 4 },
        };
        let file = File::new(shape, |tensor| {
            (0..tensor.count())
                .map(|at| at as f32 / 8.0 - 2.0)
                .collect()
        });
        let mut training = toml::Table::new();
        training.insert("steps".to_owned(), toml::Value::Integer(7));
        File {
            name: "small".to_owned(),
            about: "for tests".to_owned(),
            training,
            ..file.expect("all numbers fit")
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let file = small();
        assert_eq!(File::read(&file.write().expect("it is whole")), Ok(file));
    }

    #[test]
    fn broken_files_say_what_is_wrong() {
        let bytes = small().write().expect("it is whole");
        assert_eq!(File::read(b"PNG"), Err(NetFileError::NotANet));
        assert_eq!(File::read(&[]), Err(NetFileError::NotANet));
        let mut newer = bytes.clone();
        newer[8] = 2;
        assert_eq!(File::read(&newer), Err(NetFileError::Version { found: 2 }));
        let mut damaged = bytes.clone();
        damaged[200] ^= 1;
        assert_eq!(File::read(&damaged), Err(NetFileError::Checksum));
        let endless = File {
            numbers: vec![f16::INFINITY; small().numbers.len()],
            ..small()
        };
        assert!(matches!(endless.write(), Err(NetFileError::Number { .. })));
        let mut huge = small();
        huge.shape.filters = usize::MAX / 2;
        assert!(matches!(
            huge.write(),
            Err(NetFileError::Size {
                what: "filters",
                ..
            })
        ));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(cut in 0usize..900, at in 0usize..900, bits in 1u8..) {
            let mut bytes = small().write().expect("it is whole");
            bytes.truncate(cut);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= bits;
            }
            prop_assert!(File::read(&bytes).is_err());
        }

        /// With a checksum that is right, too: headers of all kinds.
        #[test]
        fn no_header_makes_the_reader_panic(at in 16usize..200, byte in 0u8..) {
            let mut bytes = small().write().expect("it is whole");
            bytes[at] = byte;
            let body = bytes.len() - CHECKSUM;
            let sum = checksum(&bytes[..body]).to_le_bytes();
            bytes[body..].copy_from_slice(&sum);
            if let Ok(file) = File::read(&bytes) {
                prop_assert_eq!(file.numbers.len(), file.shape.count());
            }
        }
    }
}
