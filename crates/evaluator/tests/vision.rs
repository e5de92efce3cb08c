//! Convolutional networks: the kernels against plain sums, and their laws.

#![allow(unsafe_code, reason = "an allocator that counts is one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;

use mendel_board::sample::random_positions;
use mendel_evaluator::policy::{Draw, Policy};
use mendel_evaluator::vision::{
    Activation, File, Head, Net, Scene, Shape, View, Workspace, encode,
};

/// A number in −1…1 for a seed and a place.
fn noise(seed: u64, at: usize) -> f32 {
    let mut mixed = (seed << 32 ^ at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 31).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// Numbers of such a size that what comes out is neither nothing nor endless.
fn file(shape: Shape) -> File {
    let mut seed = 0;
    let made = File::new(shape, |tensor| {
        seed += 1;
        let inputs: usize = tensor.dims[1..].iter().product();
        let size = (3.0 / inputs as f32).sqrt();
        (0..tensor.count())
            .map(|at| size * noise(seed, at))
            .collect()
    });
    made.expect("small numbers fit")
}

fn shapes() -> Vec<Shape> {
    let shape = |view, filters, blocks, activation, head| Shape {
        view,
        filters,
        blocks,
        activation,
        head,
    };
    let pairs = Head::Pairs {
        width: 20,
        value: 24,
    };
    let teaching = Head::Teaching {
        channels: 40,
        hidden: 70,
    };
    vec![
        shape(View::Signed, 24, 2, Activation::Selu, Head::FromTo),
        shape(View::Absolute, 33, 1, Activation::Selu, Head::Value),
        shape(View::Teaching, 12, 0, Activation::Relu, teaching),
        shape(
            View::Row,
            1,
            0,
            Activation::Relu,
            Head::Dense { hidden: 50 },
        ),
        shape(View::Sides { plies: 2 }, 40, 2, Activation::Relu, pairs),
    ]
}

fn inputs(view: View, count: usize) -> Vec<f32> {
    let mut all = vec![0.0; count * view.inputs()];
    let positions: Vec<_> = random_positions(3, count).collect();
    for (position, into) in positions.iter().zip(all.chunks_exact_mut(view.inputs())) {
        encode(view, &Scene::new(position), into);
    }
    all
}

/// A network as its definition reads, one sum after the other.
struct Plain {
    tensors: BTreeMap<String, Vec<f64>>,
}

impl Plain {
    fn new(file: &File) -> Self {
        let numbers = |it: &[half::f16]| it.iter().map(|number| number.to_f64()).collect();
        let tensors = file
            .tensors()
            .map(|(tensor, it)| (tensor.name, numbers(it)));
        Self {
            tensors: tensors.collect(),
        }
    }

    fn layer(&self, name: &str) -> (&[f64], &[f64]) {
        let part = |part: &str| &self.tensors[&format!("{name}.{part}")][..];
        (part("weight"), part("bias"))
    }

    fn convolution(&self, name: &str, from: &[f64]) -> Vec<f64> {
        let (weights, bias) = self.layer(name);
        let inputs = from.len() / 64;
        let at = |input: usize, rank: usize, file: usize| {
            let inside = (1..9).contains(&rank) && (1..9).contains(&file);
            if inside {
                from[input * 64 + (rank - 1) * 8 + file - 1]
            } else {
                0.0
            }
        };
        let mut into = Vec::new();
        for (output, bias) in bias.iter().enumerate() {
            for square in 0..64 {
                let mut sum = *bias;
                for input in 0..inputs {
                    for tap in 0..9 {
                        let weight = weights[(output * inputs + input) * 9 + tap];
                        sum += weight * at(input, square / 8 + tap / 3, square % 8 + tap % 3);
                    }
                }
                into.push(sum);
            }
        }
        into
    }

    fn dense(&self, name: &str, from: &[f64]) -> Vec<f64> {
        let (weights, bias) = self.layer(name);
        let rows = weights.chunks_exact(from.len()).zip(bias);
        rows.map(|(row, bias)| {
            bias + row
                .iter()
                .zip(from)
                .map(|(weight, value)| weight * value)
                .sum::<f64>()
        })
        .collect()
    }

    /// A 1×1 convolution.
    fn squares(&self, name: &str, from: &[f64]) -> Vec<f64> {
        let columns: Vec<Vec<f64>> = (0..64)
            .map(|square| {
                let column: Vec<f64> = from.iter().skip(square).step_by(64).copied().collect();
                self.dense(name, &column)
            })
            .collect();
        (0..columns[0].len() * 64)
            .map(|at| columns[at % 64][at / 64])
            .collect()
    }

    fn run(&self, shape: &Shape, input: &[f32]) -> Vec<f64> {
        let input: Vec<f64> = input.iter().map(|it| f64::from(*it)).collect();
        let (planes, scalars) = input.split_at(shape.view.planes() * 64);
        let mut now = Vec::new();
        if shape.has_planes() {
            now = relu(self.convolution("input", planes));
        }
        for block in 0..shape.blocks {
            let act = |it: Vec<f64>| match shape.activation {
                Activation::Relu => relu(it),
                Activation::Selu => selu(it),
            };
            let first = act(self.convolution(&format!("block.{block}.first"), &now));
            let second = self.convolution(&format!("block.{block}.second"), &first);
            now = act(second
                .iter()
                .zip(&now)
                .map(|(one, other)| one + other)
                .collect());
        }
        match shape.head {
            Head::FromTo => self.convolution("squares", &now),
            Head::Value => self.dense("value", &now),
            Head::Teaching { .. } => {
                let mut seen = relu(self.convolution("second", &now));
                seen.extend(scalars);
                self.dense("value", &relu(self.dense("hidden", &seen)))
            }
            Head::Dense { .. } => {
                let second = relu(self.dense("second", &relu(self.dense("hidden", scalars))));
                self.dense("value", &second)
            }
            Head::Pairs { width, .. } => {
                let (from, to) = (self.squares("from", &now), self.squares("to", &now));
                let mut answer = Vec::new();
                for pair in 0..64 * 64 {
                    let products =
                        (0..width).map(|at| from[at * 64 + pair / 64] * to[at * 64 + pair % 64]);
                    answer.push(products.sum::<f64>() / (width as f64).sqrt());
                }
                answer.extend(&self.tensors["promotion.offset"]);
                let planes = relu(self.squares("value.planes", &now));
                let hidden = relu(self.dense("value.hidden", &planes));
                answer.extend(self.dense("value.out", &hidden));
                answer
            }
        }
    }
}

fn relu(mut values: Vec<f64>) -> Vec<f64> {
    for value in &mut values {
        *value = value.max(0.0);
    }
    values
}

fn selu(mut values: Vec<f64>) -> Vec<f64> {
    let (scale, alpha) = (1.050_700_987_355_480_5, 1.673_263_242_354_377_2);
    for value in &mut values {
        let below = alpha * (libm::exp(value.min(0.0)) - 1.0);
        *value = scale * if *value > 0.0 { *value } else { below };
    }
    values
}

#[test]
fn kernels_agree_with_plain_sums() {
    for shape in shapes() {
        let file = file(shape.clone());
        let net = Net::new(&file).expect("it is whole");
        let plain = Plain::new(&file);
        let inputs = inputs(shape.view, 11);
        let mut workspace = Workspace::new(&net, 11);
        let answers = net.run(&inputs, &mut workspace);
        let each = answers.chunks_exact(shape.head.outputs());
        let mut size = 0.0;
        for (input, answer) in inputs.chunks_exact(shape.view.inputs()).zip(each) {
            for (one, other) in answer.iter().zip(plain.run(&shape, input)) {
                let difference = (f64::from(*one) - other).abs();
                assert!(difference < 1e-4, "{one} and {other} in {shape:?}");
                size = f64::max(size, other.abs());
            }
        }
        assert!(size > 0.1, "something to compare: {size} in {shape:?}");
    }
}

/// Also whatever the batch, and whatever is left from before.
#[test]
fn all_processors_give_the_same_bits() {
    for shape in shapes() {
        let net = Net::new(&file(shape.clone())).expect("it is whole");
        let inputs = inputs(shape.view, 19);
        let bits = |values: &[f32]| values.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
        let mut alone = Workspace::portable(&net, 1);
        let mut one_by_one = Vec::new();
        for input in inputs.chunks_exact(shape.view.inputs()) {
            one_by_one.extend(bits(net.run(input, &mut alone)));
        }
        for mut workspace in Workspace::all(&net, 19) {
            for _ in 0..2 {
                let together = bits(net.run(&inputs, &mut workspace));
                assert!(
                    together == one_by_one,
                    "{} in {shape:?}",
                    workspace.instructions()
                );
            }
        }
    }
}

/// Counts what its thread allocates.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `alloc` above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn asking_allocates_nothing() {
    let positions: Vec<_> = random_positions(5, 10).collect();
    let scenes: Vec<Scene> = positions.iter().map(Scene::new).collect();
    for shape in shapes() {
        let net = Net::new(&file(shape)).expect("it is whole");
        let before = ALLOCATIONS.get();
        let mut workspace = Workspace::new(&net, 10);
        let made = ALLOCATIONS.get();
        assert!(made > before, "the counting counts");
        for count in [1, 10] {
            net.look(&scenes[..count], &mut workspace);
        }
        assert_eq!(ALLOCATIONS.get(), made);
        if let Ok(policy) = Policy::from_net(net) {
            let made = ALLOCATIONS.get();
            for scene in &scenes {
                policy.choose(scene, Draw::Seed(1), &mut workspace);
                policy.outlook(scene, 1.0, &mut workspace);
            }
            assert_eq!(ALLOCATIONS.get(), made);
        }
    }
}
