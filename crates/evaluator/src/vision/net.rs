//! A network that answers.

use super::convolution::{ConvKernel, ConvScratch, Convolution};
use super::dense::{Dense, DenseKernel};
use super::file::{File, NetFileError};
use super::head::{HeadLayers, TensorReader};
use super::scene::{Scene, encode};
use super::shape::{Activation, SQUARES, Shape};
use crate::simd::{Aligned16, LANES, SimdLevel, blocks};

/// Positions that go through the network together: as many as leave what lies between
/// two layers in the second cache.
const TOGETHER: usize = 8;

pub const MOST_BATCH: usize = 64;

/// A network that answers, on one thread.
///
/// The answer to a position depends on nothing but the position: not on the processor,
/// nor on the others of the batch.
#[derive(Debug)]
pub struct Net {
    name: String,
    shape: Shape,
    /// None where there is no board.
    input: Option<Convolution>,
    blocks: Vec<[Convolution; 2]>,
    answer: HeadLayers,
}

/// All that running a network needs besides its numbers, made once.
#[derive(Debug)]
pub struct Workspace {
    level: SimdLevel,
    batch: usize,
    shape: Shape,
    /// What is seen, for those who bring scenes.
    seen: Vec<f32>,
    boards: [Vec<Aligned16>; 2],
    scratch: ConvScratch,
    /// What dense layers see and answer.
    columns: [Vec<Aligned16>; 2],
    answers: Vec<f32>,
}

/// Where layers are worked out for some positions.
#[derive(Debug)]
pub(super) struct LayerRunner<'a> {
    pub(super) level: SimdLevel,
    pub(super) positions: usize,
    scratch: &'a mut ConvScratch,
}

impl LayerRunner<'_> {
    pub(super) fn convolve(
        &mut self,
        convolution: &Convolution,
        from: &[Aligned16],
        into: &mut [Aligned16],
        is_residual: bool,
        activation: Option<Activation>,
    ) {
        self.level.run(ConvKernel {
            convolution,
            positions: self.positions,
            from,
            into,
            is_residual,
            activation,
            scratch: self.scratch,
        });
    }

    pub(super) fn apply(
        &self,
        dense: &Dense,
        columns: usize,
        from: &[Aligned16],
        into: &mut [Aligned16],
        activation: Option<Activation>,
    ) {
        self.level.run(DenseKernel {
            dense,
            columns,
            from,
            into,
            activation,
        });
    }
}

impl Net {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If these are not the bytes of a network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetFileError> {
        Self::new(&File::read(bytes)?)
    }

    /// From a file that was read.
    ///
    /// # Errors
    ///
    /// If its numbers are not those of its shape.
    pub fn new(file: &File) -> Result<Self, NetFileError> {
        file.check()?;
        let shape = file.shape.clone();
        let mut layers = TensorReader::new(file.tensors().map(|it| it.1).collect());
        let planes = shape.view.planes();
        let input = shape.has_planes().then(|| layers.convolution(planes));
        let mut half = || layers.convolution(shape.filters);
        let blocks = (0..shape.blocks).map(|_| [half(), half()]).collect();
        Ok(Self {
            name: file.name.clone(),
            input,
            blocks,
            answer: HeadLayers::new(&shape, &mut layers),
            shape,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Looks at some scenes; see [`run`](Self::run) for the answers.
    ///
    /// # Panics
    ///
    /// If there are more than the workspace was made for, or it was made for another
    /// shape.
    pub fn look<'a>(&self, scenes: &[Scene], workspace: &'a mut Workspace) -> &'a [f32] {
        assert!(scenes.len() <= workspace.batch, "{TOO_MANY}");
        let view = self.shape.view;
        let mut seen = std::mem::take(&mut workspace.seen);
        for (scene, into) in scenes.iter().zip(seen.chunks_exact_mut(view.inputs())) {
            encode(view, scene, into);
        }
        self.fill(&seen[..scenes.len() * view.inputs()], workspace);
        workspace.seen = seen;
        &workspace.answers[..scenes.len() * self.shape.head.outputs()]
    }

    /// The answers to some inputs, position after position, each as
    /// [`encode`](super::encode) writes it. They are, for each position,
    ///
    /// * of [`Head::FromTo`](super::Head::FromTo) 64 logits of *from*, then 64 of *to*;
    /// * of [`Head::Value`](super::Head::Value),
    ///   [`Head::Teaching`](super::Head::Teaching) and
    ///   [`Head::Dense`](super::Head::Dense) one number;
    /// * of [`Head::Pairs`](super::Head::Pairs) 64 · 64 logits, those of one *from*
    ///   together; what promotion to a knight, a bishop and a rook adds to them; logits
    ///   of win, draw and loss.
    ///
    /// # Panics
    ///
    /// If there are more than the workspace was made for, or it was made for another
    /// shape.
    pub fn run<'a>(&self, inputs: &[f32], workspace: &'a mut Workspace) -> &'a [f32] {
        let positions = self.fill(inputs, workspace);
        &workspace.answers[..positions * self.shape.head.outputs()]
    }

    /// Returns how many positions there are.
    fn fill(&self, inputs: &[f32], workspace: &mut Workspace) -> usize {
        assert!(workspace.shape == self.shape, "a workspace of this shape");
        let each = self.shape.view.inputs();
        let positions = inputs.len() / each;
        assert!(inputs.len() == positions * each, "whole positions");
        assert!(positions <= workspace.batch, "{TOO_MANY}");
        for first in (0..positions).step_by(TOGETHER) {
            let count = (positions - first).min(TOGETHER);
            let inputs = &inputs[first * each..][..count * each];
            self.answer(inputs, first, count, workspace);
        }
        positions
    }

    fn answer(&self, inputs: &[f32], first: usize, count: usize, workspace: &mut Workspace) {
        let [one, other] = &mut workspace.boards;
        let [wide, narrow] = &mut workspace.columns;
        let mut runner = LayerRunner {
            level: workspace.level,
            positions: count,
            scratch: &mut workspace.scratch,
        };
        if let Some(input) = &self.input {
            spread(inputs, &self.shape, other);
            runner.convolve(input, other, one, false, Some(Activation::Relu));
        }
        let activation = Some(self.shape.activation);
        for [begin, end] in &self.blocks {
            runner.convolve(begin, one, other, false, activation);
            runner.convolve(end, other, one, true, activation);
        }
        let outputs = self.shape.head.outputs();
        let answers = &mut workspace.answers[first * outputs..][..count * outputs];
        let (boards, columns) = (
            [&mut one[..], &mut other[..]],
            [&mut wide[..], &mut narrow[..]],
        );
        self.answer
            .fill(&self.shape, inputs, boards, columns, &mut runner, answers);
    }
}

const TOO_MANY: &str = "no more positions than the workspace was made for";

impl Workspace {
    /// For up to `batch` positions at once, which is cut to 1…[`MOST_BATCH`]. Nothing is
    /// allocated after this.
    pub fn new(net: &Net, batch: usize) -> Self {
        Self::with_level(net, batch, SimdLevel::best())
    }

    /// The same without the instructions that only some processors have; it is there to
    /// be compared with.
    pub fn portable(net: &Net, batch: usize) -> Self {
        Self::with_level(net, batch, SimdLevel::PORTABLE)
    }

    /// One for each kind of instructions that this processor has, the best last.
    pub fn all(net: &Net, batch: usize) -> Vec<Self> {
        let each = SimdLevel::all().map(|level| Self::with_level(net, batch, level));
        each.collect()
    }

    fn with_level(net: &Net, batch: usize, level: SimdLevel) -> Self {
        let shape = net.shape.clone();
        let batch = batch.clamp(1, MOST_BATCH);
        let together = batch.min(TOGETHER);
        let sides = [shape.view.planes(), shape.filters].map(blocks);
        let most = sides[0].max(sides[1]).max(HeadLayers::channels(&shape));
        let boards = || vec![Aligned16::default(); together * most * SQUARES];
        let columns = || vec![Aligned16::default(); together * HeadLayers::columns(&shape)];
        Self {
            level,
            batch,
            seen: vec![0.0; batch * shape.view.inputs()],
            boards: [boards(), boards()],
            scratch: ConvScratch::new(together, most),
            columns: [columns(), columns()],
            answers: vec![0.0; batch * shape.head.outputs()],
            shape,
        }
    }

    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The instructions it uses: `portable`, `AVX2` or `AVX-512`.
    pub fn instructions(&self) -> &'static str {
        self.level.name()
    }
}

/// Planes to blocks of channels.
fn spread(inputs: &[f32], shape: &Shape, into: &mut [Aligned16]) {
    let planes = shape.view.planes();
    let boards = into.chunks_exact_mut(blocks(planes) * SQUARES);
    for (input, board) in inputs.chunks_exact(shape.view.inputs()).zip(boards) {
        board.fill(Aligned16::default());
        for (plane, squares) in input.chunks_exact(SQUARES).take(planes).enumerate() {
            let block = &mut board[plane / LANES * SQUARES..];
            for (value, place) in squares.iter().zip(block) {
                place.0[plane % LANES] = *value;
            }
        }
    }
}
