//! All numbers of a network that training changes, as one vector.
//!
//! One vector instead of one tensor a layer: the optimiser is then a handful of
//! operations whatever the depth, the gradient's length is one sum, the change to
//! half precision one copy, and a checkpoint three vectors.

use std::collections::BTreeMap;

use mendel_evaluator::vision::Shape;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tch::{Device, Kind, Tensor};

/// Where every part of a network lies in the vector.
///
/// The parts bear the names that [`Shape::tensors`] gives them, but for the biases
/// of blocks: these become part of the batch normalisation, a `gain` and a `shift`.
/// Kernels come first, since these are what is multiplied in half precision and what
/// decays.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    kernels: Vec<Piece>,
    plain: Vec<Piece>,
    names: BTreeMap<String, Place>,
    /// The names of what is normalised, such as `block.0.first`, and the channels.
    pub(crate) norms: Vec<(String, i64)>,
}

#[derive(Clone, Debug)]
struct Piece {
    /// `[out, in, 3, 3]` for a convolution, `[out, in]` for a layer that sees
    /// everything.
    sizes: Vec<i64>,
    start: Start,
}

#[derive(Clone, Copy, Debug)]
enum Start {
    /// Even between ±1/√n for `n` inputs, as the framework of the papers does.
    Even(usize),
    Same(f32),
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Kernel(usize),
    Plain(usize),
}

impl Piece {
    fn len(&self) -> i64 {
        self.sizes.iter().product()
    }
}

impl Layout {
    pub(crate) fn of(shape: &Shape) -> Self {
        let mut layout = Self {
            kernels: Vec::new(),
            plain: Vec::new(),
            names: BTreeMap::new(),
            norms: Vec::new(),
        };
        let mut inputs = 1;
        for tensor in shape.tensors() {
            let sizes: Vec<i64> = tensor.dims.iter().map(|&size| size as i64).collect();
            let (stem, part) = tensor.name.rsplit_once('.').unwrap_or_default();
            if tensor.dims.len() > 1 {
                inputs = tensor.dims[1..].iter().product();
                layout.add(&tensor.name, sizes, Start::Even(inputs));
            } else if stem.starts_with("block.") {
                layout.norms.push((stem.to_owned(), sizes[0]));
                layout.add(&format!("{stem}.gain"), sizes.clone(), Start::Same(1.0));
                layout.add(&format!("{stem}.shift"), sizes, Start::Same(0.0));
            } else if part == "bias" {
                layout.add(&tensor.name, sizes, Start::Even(inputs));
            } else {
                layout.add(&tensor.name, sizes, Start::Same(0.0));
            }
        }
        layout
    }

    fn add(&mut self, name: &str, sizes: Vec<i64>, start: Start) {
        let is_kernel = sizes.len() > 1;
        let (pieces, place): (_, fn(usize) -> Place) = if is_kernel {
            (&mut self.kernels, Place::Kernel)
        } else {
            (&mut self.plain, Place::Plain)
        };
        self.names.insert(name.to_owned(), place(pieces.len()));
        pieces.push(Piece { sizes, start });
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// How many numbers are kernels', and how many there are.
    pub(crate) fn counts(&self) -> (i64, i64) {
        let sum = |pieces: &[Piece]| pieces.iter().map(Piece::len).sum::<i64>();
        let kernels = sum(&self.kernels);
        (kernels, kernels + sum(&self.plain))
    }

    /// The numbers to begin with.
    pub(crate) fn start(&self, seed: u64) -> Vec<f32> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut numbers = Vec::with_capacity(self.counts().1 as usize);
        for piece in self.kernels.iter().chain(&self.plain) {
            for _ in 0..piece.len() {
                numbers.push(match piece.start {
                    Start::Even(inputs) => {
                        let bound = 1.0 / (inputs as f32).sqrt();
                        random.random_range(-bound..=bound)
                    }
                    Start::Same(number) => number,
                });
            }
        }
        numbers
    }

    /// The pieces of a vector, ready to be worked with: kernels as `precision`,
    /// everything else in full.
    pub(crate) fn cut(&self, vector: &Tensor, precision: Kind) -> Pieces<'_> {
        let (kernels, all) = self.counts();
        let mut halves = vector.split_with_sizes([kernels, all - kernels], 0);
        let plain = halves.pop().expect("two were asked for");
        let whole = halves.pop().expect("two were asked for");
        let lengths = |pieces: &[Piece]| pieces.iter().map(Piece::len).collect::<Vec<_>>();
        let kernels = whole
            .to_kind(precision)
            .split_with_sizes(lengths(&self.kernels), 0)
            .iter()
            .zip(&self.kernels)
            .map(|(numbers, piece)| shaped(numbers, &piece.sizes))
            .collect();
        let plain = plain.split_with_sizes(lengths(&self.plain), 0);
        Pieces {
            layout: self,
            kernels,
            plain,
        }
    }
}

/// A convolution's numbers lie in the vector as `[out, height, width, in]`: channels
/// last, which is what the fast kernels want.
fn shaped(numbers: &Tensor, sizes: &[i64]) -> Tensor {
    match *sizes {
        [out, into, height, width] => numbers
            .view([out, height, width, into])
            .permute([0, 3, 1, 2]),
        _ => numbers.view(sizes),
    }
}

#[derive(Debug)]
pub(crate) struct Pieces<'a> {
    layout: &'a Layout,
    kernels: Vec<Tensor>,
    plain: Vec<Tensor>,
}

impl Pieces<'_> {
    pub(crate) fn find(&self, name: &str) -> Option<&Tensor> {
        self.layout.names.get(name).map(|place| match place {
            Place::Kernel(index) => &self.kernels[*index],
            Place::Plain(index) => &self.plain[*index],
        })
    }

    /// The piece of this name; the shape says which there are.
    pub(crate) fn get(&self, name: &str) -> &Tensor {
        self.find(name)
            .unwrap_or_else(|| panic!("the shape has no `{name}`"))
    }

    pub(crate) fn layer(&self, name: &str) -> (&Tensor, &Tensor) {
        (
            self.get(&format!("{name}.weight")),
            self.get(&format!("{name}.bias")),
        )
    }
}

/// A tensor's numbers in the framework's order, in this machine's memory.
pub(crate) fn numbers(tensor: &Tensor) -> Vec<f32> {
    let tensor = tensor
        .detach()
        .to_device(Device::Cpu)
        .to_kind(Kind::Float)
        .contiguous();
    let mut numbers = vec![0.0; tensor.numel()];
    let count = numbers.len();
    tensor.copy_data(&mut numbers, count);
    numbers
}
