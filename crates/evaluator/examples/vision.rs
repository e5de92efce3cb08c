//! How long convolutional networks take.
//!
//! `cargo run --release -p mendel-evaluator --example vision` makes networks of several
//! shapes with random numbers and prints milliseconds a position on one thread, for all
//! kinds of instructions that the processor has. With the name of a folder it also
//! writes there `chessnet.net`, `inputs.f32` and `outputs.f32`, which
//! `tools/net_speed.py` compares with another program's; with `only` and sizes of
//! batches behind it, it measures just that network with the best instructions.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::path::Path;
use std::time::{Duration, Instant};

use mendel_board::sample::random_positions;
use mendel_evaluator::vision::{
    Activation, File, Head, MOST_BATCH, Net, Scene, Shape, View, Workspace, encode,
};
use rustix::time::{ClockId, clock_gettime};

/// How long each figure is looked for.
const PATIENCE: Duration = Duration::from_millis(400);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chessnet = made("chessnet", Shape::chessnet())?;
    if let Some(folder) = arguments.first() {
        write(&chessnet, Path::new(folder))?;
    }
    if arguments.get(1).is_some_and(|it| it == "only") {
        let net = Net::new(&chessnet)?;
        let batches: Result<Vec<usize>, _> = arguments[2..].iter().map(|it| it.parse()).collect();
        measure(&net, &mut Workspace::new(&net, MOST_BATCH), &batches?);
        return Ok(());
    }
    let small = |filters, blocks| Shape {
        view: View::Sides { plies: 2 },
        filters,
        blocks,
        activation: Activation::Relu,
        head: Head::Pairs {
            width: 64,
            value: 64,
        },
    };
    let files = [
        chessnet,
        made("chess-pos-eval-net", Shape::chess_pos_eval_net())?,
        made("teaching", Shape::teaching())?,
        made("pairs-64x6", small(64, 6))?,
        made("pairs-128x8", small(128, 8))?,
    ];
    for file in &files {
        let net = Net::new(file)?;
        for workspace in &mut Workspace::all(&net, MOST_BATCH) {
            measure(&net, workspace, &[1, 4, 16, 64]);
        }
    }
    Ok(())
}

fn measure(net: &Net, workspace: &mut Workspace, batches: &[usize]) {
    let inputs = inputs(net.shape().view);
    for batch in batches.iter().map(|it| (*it).clamp(1, MOST_BATCH)) {
        let inputs = &inputs[..batch * net.shape().view.inputs()];
        // The machine may be busy with other things: the processor's time counts, and
        // the best round, which was left alone.
        let mut best = Duration::MAX;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let start = processor_time();
            net.run(inputs, workspace);
            best = best.min(processor_time().saturating_sub(start));
        }
        let each = best.as_secs_f64() * 1e3 / batch as f64;
        let (name, kind) = (net.name(), workspace.instructions());
        println!("{name} {kind} batch {batch}: {each:.4} ms");
    }
}

/// What this thread has used of it.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn inputs(view: View) -> Vec<f32> {
    let mut all = vec![0.0; MOST_BATCH * view.inputs()];
    let positions: Vec<_> = random_positions(1, MOST_BATCH).collect();
    for (position, into) in positions.iter().zip(all.chunks_exact_mut(view.inputs())) {
        encode(view, &Scene::new(position), into);
    }
    all
}

/// Random numbers, of such a size that what comes out is neither nothing nor endless.
fn made(name: &str, shape: Shape) -> Result<File, mendel_evaluator::vision::NetFileError> {
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let file = File::new(shape, |tensor| {
        let inputs: usize = tensor.dims[1..].iter().product();
        let size = (3.0 / inputs as f32).sqrt();
        (0..tensor.count()).map(|_| size * noise()).collect()
    })?;
    let name = name.to_owned();
    Ok(File { name, ..file })
}

fn write(file: &File, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("chessnet.net"), file.write()?)?;
    let net = Net::new(file)?;
    let inputs = inputs(file.shape.view);
    let mut workspace = Workspace::new(&net, MOST_BATCH);
    let outputs = net.run(&inputs, &mut workspace);
    for (name, numbers) in [("inputs.f32", &inputs[..]), ("outputs.f32", outputs)] {
        let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
