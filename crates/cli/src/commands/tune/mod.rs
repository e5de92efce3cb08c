//! `mendel tune`: better values for the options of any UCI engine, with a proof.

mod bench;
mod engine;
mod experiment;
mod output;

use clap::Args;

/// Tune the options of any UCI engine, and prove that it is better
#[derive(Args, Debug)]
#[command(after_help = "\
The engine is a program (`uci:PROGRAM ARGUMENTS`), a built-in player or a player file;
what it is set to behind the last `?` is where it starts. Its options are read from
itself, a few searches find out which do anything and how far a step should reach, and
a tuner plays settings against each other in pairs. Now and then, on openings held
out, what it would propose meets the start; at the end a sequential test proves it or
does not. Settings at which the engine crashes are set down, not scored.

Every finished pair is in the folder before it is counted. Ctrl-C stops cleanly;
`mendel resume RUN` goes on exactly, `mendel report RUN` writes the page.

Examples:
  mendel tune uci:toga2 --games 4000 --depth 5
  mendel tune uci:toga2 --options 'Toga*,*Margin' --write params.toml --depth 5
  mendel tune uci:toga2 --params params.toml --games 4000 --movetime 20 --threads 4
  mendel tune 'uci:glaurung?Space=20' --options Space,Mobility* --games 2000 --depth 5
  mendel tune mendel --options '*futility*' --games 2000 --nodes 2000 --tuner spsa --json
  mendel tune --bench --games 2000            which tuner wastes least, on synthetic engines
  mendel tune --bench --sizes 10,20 --seeds 20 --tuner surface,spsa")]
pub(super) struct TuneArgs {
    #[command(flatten)]
    bench: bench::TunerBenchArgs,
    #[command(flatten)]
    engine: engine::TuneEngineArgs,
}

pub(super) fn run(args: &TuneArgs) -> anyhow::Result<()> {
    if args.bench.bench {
        return bench::run(&args.bench, &args.engine);
    }
    args.bench.only_bench()?;
    engine::run(&args.engine)
}
