//! `mendel match`: matches of two or more players.

mod experiment;
mod tables;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mendel_arena::statistics::EloModel;
use mendel_arena::{
    Adjudication, DrawRule, Entrant, Format, Kind, LengthRule, Match, MatchPlan, MaterialRule,
    OpeningSetting, Order, Patience, ResignRule, SprtPlan, SyzygyRule, Verdict,
};
use mendel_engine::{Options, memory};

use crate::choice::{Choice, choice};
use crate::exec_options::{ExecArgs, ExecOptions};
use crate::experiment::{NewExperiment, Session};
use crate::limits::LimitArgs;
use crate::request::UsageError;

/// Play two or more players against each other: score, Elo ± error, LOS, SPRT, PGN
#[derive(Args, Debug)]
#[command(after_help = "\
A player is a built-in name (`mendel players`), a player file, or another program:
`cmd:PROGRAM ARGUMENTS` (`uci:` and `xboard:` say what it speaks), with options
behind the last `?` as Name=Value&Name=Value. Options with a dot are for the
runner: .name .dir .env.NAME .tc .movetime .nodes .depth

Every finished game is in the folder before it is counted. Ctrl-C stops the match and
keeps its games; `mendel resume DIR` resumes it.

Examples:
  mendel match mendel material --games 100 --nodes 5000
  mendel match new.toml mendel --sprt 0,15 --nodes 5000 --games 6000 --openings book.epd --out test
  mendel match mendel 'cmd:stockfish?Hash=16&UCI_LimitStrength=true&UCI_Elo=2000' --tc 2+0.02
  mendel match mendel 'xboard:phalanx -b-?.tc=4+0.04' --tc 2+0.02 --games 20
  mendel match a.toml b.toml c.toml --format gauntlet --threads 2 --json
  mendel match mendel material --nodes 5000 --crew nats://127.0.0.1:4222
  mendel resume test")]
pub(super) struct MatchArgs {
    /// Who plays: two for a match, more for a tournament
    players: Vec<String>,
    /// Where games and result are kept; a folder of its own if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games for each two that meet, rounded up to pairs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Who meets whom
    #[arg(long, default_value = "round-robin", value_parser = choice(FORMATS))]
    format: Format,
    #[command(flatten)]
    limits: LimitArgs,
    /// Stop when a test is decided: Elo of the hypotheses, such as 0,5
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = bounds)]
    sprt: Option<(f64, f64)>,
    /// What the bounds of the test are measured in
    #[arg(long, default_value = "normalized", value_parser = choice(MODELS), requires = "sprt")]
    model: EloModel,
    /// The test's chance to accept a change that is none
    #[arg(long, value_name = "P", default_value_t = SprtPlan::ERROR, requires = "sprt")]
    alpha: f64,
    /// The test's chance to reject a change that is one
    #[arg(long, value_name = "P", default_value_t = SprtPlan::ERROR, requires = "sprt")]
    beta: f64,
    #[command(flatten)]
    openings: OpeningArgs,
    #[command(flatten)]
    early: AdjudicationArgs,
    /// Keep each of the games at once on a core of its own
    #[arg(long)]
    pin: bool,
    /// Milliseconds over its time that a player may take
    #[arg(long, value_name = "MS", default_value_t = Patience::default().margin.as_millis() as u64, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    time_margin: u64,
    /// Seconds a move may take where nothing else limits its time
    #[arg(long, value_name = "S", default_value_t = Patience::default().untimed.as_secs(), value_parser = clap::value_parser!(u64).range(1..=86_400))]
    deadline: u64,
    /// Stop the match when one player has more faults than this: crashes, stalls, illegal moves
    #[arg(long, value_name = "N", default_value_t = MatchPlan::MAX_FAULTS)]
    max_faults: u64,
    /// A player whose rating is known, for the ratings of a pool
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Option<(String, f64)>,
    /// Write the last position of each game to `final.epd`, too
    #[arg(long)]
    final_positions: bool,
    /// What PGN calls the event
    #[arg(long, value_name = "NAME", default_value = "Mendel match")]
    event: String,
    /// A table of opening names (columns eco, name, pgn) for the PGN
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    #[command(flatten)]
    exec: ExecArgs,
}

#[derive(Args, Debug)]
struct OpeningArgs {
    /// Openings from an EPD, PGN or Polyglot file; else a small book of our own
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Half-moves to take from each game of a PGN or Polyglot file
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
    /// Take the openings as they stand in the file instead of shuffled
    #[arg(long)]
    sequential: bool,
    /// Play Chess960, also from positions that would do for both
    #[arg(long)]
    chess960: bool,
    /// Chance: the order of openings, the walks through a book
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Ends of games before the rules end them; none by default.
#[derive(Args, Debug)]
struct AdjudicationArgs {
    /// A draw if both stay within SCORE centipawns for MOVES moves from FROM on
    #[arg(long, value_name = "FROM,MOVES,SCORE", value_parser = numbers::<3>)]
    draw: Option<[u32; 3]>,
    /// A loss for the side that stays SCORE centipawns down for MOVES moves
    #[arg(long, value_name = "MOVES,SCORE", value_parser = numbers::<2>)]
    resign: Option<[u32; 2]>,
    /// The opponent must have seen it, too
    #[arg(long, requires = "resign")]
    two_sided: bool,
    /// The game ends after so many half-moves behind the opening
    #[arg(long, value_name = "N")]
    max_plies: Option<u32>,
    /// At that length more material wins, instead of a draw
    #[arg(long, requires = "max_plies")]
    by_material: bool,
    /// The game ends when one side is so many centipawns of material ahead
    #[arg(long, value_name = "CP")]
    material_lead: Option<u32>,
    /// Syzygy tables that decide the rest of a game
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
}

const LADDER: &str = "Each meets the next two: for players in the order of their strength";
const ALL: &str = "Everybody meets everybody";
const FORMATS: &[Choice<Format>] = &[
    ("round-robin", ALL, Format::RoundRobin),
    ("gauntlet", "The first meets all others", Format::Gauntlet),
    ("ladder", LADDER, Format::Ladder),
];

const NORMALIZED: &str = "Elo divided by the spread of the games; the default of the field";
const MODELS: &[Choice<EloModel>] = &[
    ("normalized", NORMALIZED, EloModel::Normalized),
    ("logistic", "Elo as ratings use it", EloModel::Logistic),
];

fn numbers<const N: usize>(text: &str) -> Result<[u32; N], String> {
    let parsed: Option<Vec<u32>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    let array = parsed.and_then(|numbers| numbers.try_into().ok());
    array.ok_or_else(|| format!("{N} whole numbers with commas between them are wanted"))
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    text.rsplit_once('=')
        .and_then(|(name, elo)| Some((name.to_owned(), elo.trim().parse().ok()?)))
        .filter(|(_, elo): &(String, f64)| elo.is_finite())
        .ok_or_else(|| "a name and a rating are wanted, such as toga2=2800".to_owned())
}

fn bounds(text: &str) -> Result<(f64, f64), String> {
    let read = |part: &str| part.trim().parse().ok().filter(|elo: &f64| elo.is_finite());
    text.split_once(',')
        .and_then(|(low, high)| Some((read(low)?, read(high)?)))
        .ok_or_else(|| "two numbers with a comma between them are wanted, such as 0,5".to_owned())
}

impl MatchArgs {
    fn plan(&self) -> Result<MatchPlan, UsageError> {
        if self.players.len() < 2 {
            return Err(UsageError::new(
                format!(
                    "a match needs at least two players, and there are {}",
                    self.players.len()
                ),
                "such as `mendel match mendel material --nodes 5000`; `mendel resume` resumes a match",
            ));
        }
        Ok(MatchPlan {
            format: self.format,
            openings: self.openings.openings.clone(),
            names: self.names.clone(),
            anchor: self.anchor.clone(),
            max_faults: self.max_faults,
            final_positions: self.final_positions,
            pace: self.limits.pace(),
            opening: OpeningSetting {
                plies: self.openings.plies,
                order: if self.openings.sequential {
                    Order::InOrder
                } else {
                    Order::Shuffled
                },
                seed: self.openings.seed,
                chess960: self.openings.chess960,
                ..OpeningSetting::default()
            },
            patience: Patience {
                margin: Duration::from_millis(self.time_margin),
                untimed: Duration::from_secs(self.deadline),
                ..Patience::default()
            },
            adjudication: self.early.rules(),
            sprt: self.sprt.map(|(elo0, elo1)| SprtPlan {
                elo0,
                elo1,
                alpha: self.alpha,
                beta: self.beta,
                model: self.model,
            }),
            ..MatchPlan::new(&self.event, self.players.clone(), self.games)
        })
    }
}

impl AdjudicationArgs {
    fn rules(&self) -> Adjudication {
        Adjudication {
            draw: self.draw.map(|[from_move, moves, score]| DrawRule {
                from_move,
                moves,
                score,
            }),
            resign: self.resign.map(|[moves, score]| ResignRule {
                moves,
                score,
                two_sided: self.two_sided,
            }),
            length: self.max_plies.map(|plies| LengthRule {
                plies,
                verdict: if self.by_material {
                    Verdict::Material
                } else {
                    Verdict::Draw
                },
            }),
            material: self.material_lead.map(|centipawns| MaterialRule {
                centipawns,
                values: MaterialRule::USUAL,
            }),
            syzygy: self.syzygy.clone().map(|path| SyzygyRule {
                path,
                pieces: None,
                ignore_fifty_moves: false,
            }),
        }
    }
}

pub(super) fn run(args: &MatchArgs) -> anyhow::Result<()> {
    // 1. The crew and the whole plan are checked before anything is written or played.
    let options = ExecOptions {
        pin: args.pin,
        ..args.exec.options()?
    };
    let plan = args.plan()?;
    let entrants = plan.players.iter().map(|text| Entrant::parse(text));
    let entrants: Vec<Entrant> = entrants.filter_map(Result::ok).collect();
    if !options.crew.is_remote() {
        check_tables(&entrants, options.threads.unwrap_or(1) as u64)?;
    }
    // 2. The match.
    let names: Vec<&str> = entrants.iter().map(|it| it.name.as_str()).take(3).collect();
    let new = NewExperiment {
        seed: plan.seed(),
        plan,
        folder: args.out.as_deref(),
        names: &names,
    };
    Session::new(options, args.exec.output)?.start::<Match>(new)
}

/// Refuses tables of bred players that do not fit into memory in `games` games at once.
fn check_tables(entrants: &[Entrant], games: u64) -> Result<(), UsageError> {
    let bred = entrants
        .iter()
        .filter(|it| matches!(it.kind, Kind::Bred(_)));
    let mut tables: Vec<u64> = bred.map(hash_of).collect();
    tables.sort_unstable_by(|one, other| other.cmp(one));
    let most: u64 = tables.iter().take(2).sum();
    // A table that does not fit alone is refused by its player, in other words.
    let largest = tables.first().copied().unwrap_or(0);
    if memory::check(largest << 20).is_err() {
        return Ok(());
    }
    memory::check((most << 20).saturating_mul(games)).map_err(|shortage| {
        let message =
            format!("tables of {most} MiB in each of {games} games at once: this {shortage}");
        UsageError::new(
            message,
            "ask for a smaller `?Hash=MIB`, or a lower `--threads`",
        )
    })
}

/// MiB of a player's table.
fn hash_of(entrant: &Entrant) -> u64 {
    let mut options = entrant.options.iter();
    let given = options.find(|(name, _)| name.eq_ignore_ascii_case("Hash"));
    let given = given.and_then(|(_, value)| value.parse().ok());
    given.unwrap_or(Options::default().hash as u64)
}
