//! `mendel play`: a game in the terminal.

mod input;
mod terminal_game;

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use mendel_board::Color;
use mendel_board::lines::BoundedLines;
use mendel_engine::play::HumanSides;
use mendel_engine::{Engine, Guidance, Options, Player, Setting, Strength, StrengthTable};
use mendel_lab::learning::OpponentKind;

use crate::crew::ServerArgs;
use crate::draw::BoardStyle;
use crate::limits::LimitArgs;
use crate::output;
use crate::population_learner::PopulationLearner;
use crate::request::{self, OrUsageError as _, UsageError};
use input::PlayInput;
use terminal_game::TerminalGame;

const THINKING_TIME: Duration = Duration::from_secs(1);

/// Play a game in the terminal
#[derive(Args, Debug)]
#[command(after_help = "\
Moves are typed as Nf3 or g1f3. Besides moves:
  undo  hint  flip  fen  pgn  new  resign  help  quit

Examples:
  mendel play                               you have White
  mendel play --side black --tc 300+3       with clocks
  mendel play --elo 1200                    an opponent of your strength
  mendel play --elo 1200 --seed 2           another one: the same seed, the same answers
  mendel play --player 'human?Rating=1200'  a network that plays like people
  mendel play --learn                       an opponent that learns from each game
  mendel play --side both                   two people, one board; `hint` still works
  mendel play --side none --nodes 20000     watch it play itself
  echo 'e4 e5 pgn' | tr ' ' '\\n' | mendel play --side both")]
pub(super) struct PlayArgs {
    /// A built-in player or a player file
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// The side or sides that you play
    #[arg(long, default_value = "white")]
    side: SideArg,
    /// Watch the player play itself; the same as `--side none`
    #[arg(long, conflicts_with = "side")]
    self_play: bool,
    /// End a game that nobody types in after this many half-moves
    #[arg(long, value_name = "N", default_value = "400")]
    plies: usize,
    /// The position to start from [default: the initial position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// How strong it plays; without it, as strong as it can
    #[arg(long, value_name = "ELO", value_parser = elo, allow_negative_numbers = true)]
    elo: Option<i32>,
    /// Chance in its moves, where they are drawn or its strength is limited
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Learn from each game: the sets of `cwu-online` play, two plies deep unless
    /// something else is said
    #[arg(long, conflicts_with_all = ["elo", "self_play"])]
    learn: bool,
    #[command(flatten)]
    crew: ServerArgs,
    /// Size of the engine's table in MiB
    #[arg(long, value_name = "MIB", default_value = "16", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SideArg {
    White,
    Black,
    Both,
    None,
}

fn elo(text: &str) -> Result<i32, String> {
    let table = StrengthTable::built_in();
    let known = table.min()..=table.max();
    text.parse().ok().filter(|elo| known.contains(elo)).ok_or_else(|| {
        format!(
            "a whole number from {} to {} is wanted; without `--elo` it plays as strong as it can",
            table.min(),
            table.max()
        )
    })
}

/// The player, with the seed of the request.
fn opponent(args: &PlayArgs) -> Result<Player, UsageError> {
    let mut player = request::player(args.player.as_deref())?;
    let of_people = |policy: &Guidance| policy.way.is_of_people();
    if args.elo.is_some() && player.policy.as_ref().is_some_and(of_people) {
        let name = &player.name;
        return Err(UsageError::new(
            format!("`--elo` limits a search, and `{name}` plays as strong as its network expects"),
            format!("leave it out; a rating is set by `--player '{name}?Rating=1500'`"),
        ));
    }
    match (args.seed, args.elo, &player.policy) {
        (None, _, _) | (_, Some(_), None) => {}
        (Some(seed), _, Some(_)) => {
            let seed = i64::try_from(seed).unwrap_or(i64::MAX);
            // A network that draws nothing has no seed.
            let _ = player.set(Setting::Seed.option(), seed);
        }
        (Some(_), None, None) => {
            return Err(UsageError::new(
                format!(
                    "`--seed` means nothing to `{}`, which leaves nothing to chance",
                    player.name
                ),
                "add `--elo`, or leave it out",
            ));
        }
    }
    Ok(player)
}

pub(super) fn run(args: &PlayArgs) -> anyhow::Result<()> {
    let mut learner = None;
    let player = if args.learn {
        if !matches!(args.side, SideArg::White | SideArg::Black) {
            return UsageError::bail(
                "`--learn` needs one side for you and one for the sets that learn",
                "take `--side white` or `--side black`",
            );
        }
        let name = args.player.as_deref();
        let new = PopulationLearner::new(name, OpponentKind::Person, args.seed, &args.crew)?;
        Arc::new(learner.insert(new).next()?)
    } else {
        Arc::new(opponent(args)?)
    };
    let mut limits = args.limits.clone();
    if args.learn && limits.depth.is_none() && limits.nodes.is_none() {
        // As in the paper; a clock or a time for each move may end the search earlier.
        limits.depth = Some(mendel_lab::learning::DEPTH);
    }
    let start = request::position(args.fen.as_slice())?;
    let side = if args.self_play {
        SideArg::None
    } else {
        args.side
    };
    let options = Options {
        hash: args.hash as usize,
        strength: args.elo.map(|elo| Strength {
            level: StrengthTable::built_in().level(elo),
            seed: args.seed.unwrap_or(0),
        }),
        ..Options::default()
    };
    let mut game = TerminalGame::new(
        start,
        Engine::new(player, options).or_hint("`--hash MIB` says how large it is")?,
        HumanSides {
            white: matches!(side, SideArg::White | SideArg::Both),
            black: matches!(side, SideArg::Black | SideArg::Both),
        },
        &limits,
        BoardStyle::for_stream(&io::stdout()),
        output::stdout(),
    );
    if side == SideArg::None {
        game.watch(args.plies)?;
        return Ok(());
    }
    if side == SideArg::Black {
        game.view = Color::Black;
    }
    converse(&mut game, learner.as_mut())
}

/// Plays a game with people until the input ends.
fn converse<W: Write>(
    game: &mut TerminalGame<W>,
    mut learner: Option<&mut PopulationLearner>,
) -> anyhow::Result<()> {
    let stdin = io::stdin();
    let asks = stdin.is_terminal();
    let mut lines = BoundedLines::new(stdin.lock(), MAX_LINE_LEN);
    game.show()?;
    loop {
        if let Some(learner) = learner.as_deref_mut() {
            game.learn(learner)?;
        }
        if !game.is_over() && !game.is_human_turn() {
            game.engine_moves()?;
            game.show()?;
            continue;
        }
        if asks {
            game.ask()?;
        }
        let Some(line) = read_line(&mut lines)? else {
            return Ok(());
        };
        match PlayInput::read(&line) {
            PlayInput::Nothing => {}
            PlayInput::Quit => return Ok(()),
            input => game.handle_input(&input)?,
        }
    }
}

/// Maximum length of a typed line, in bytes; the rest is ignored.
const MAX_LINE_LEN: usize = 4096;

/// The next typed line without blanks around it; `None` at the end of the input.
fn read_line(lines: &mut BoundedLines<impl BufRead>) -> io::Result<Option<String>> {
    let line = lines.next_line()?;
    Ok(line.map(|line| line.text().trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_and_broken_text_is_replaced() {
        let mut typed = vec![b'x'; 1 << 20];
        typed.extend_from_slice(b"\n\xff\xfe\ne4");
        let mut lines = BoundedLines::new(typed.as_slice(), MAX_LINE_LEN);
        let long = read_line(&mut lines).unwrap().unwrap();
        assert_eq!(long.len(), 4096);
        assert_eq!(read_line(&mut lines).unwrap().unwrap(), "\u{fffd}\u{fffd}");
        assert_eq!(read_line(&mut lines).unwrap().unwrap(), "e4");
        assert_eq!(read_line(&mut lines).unwrap(), None);
    }
}
