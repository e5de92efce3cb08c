//! `mendel data draw`: positions out of games, by the part they have in a training.

use std::path::{Path, PathBuf};

use clap::Args;
use mendel_board::{Move, Position};
use mendel_data::shard::{GameBlock, Shard, ShardGame, move_at};
use mendel_data::{Collector, Context, DataError, DataSetHeader, Kind, Sample, result_for};
use mendel_nets::stream::Part;
use mendel_nets::train::recipe::Recipe;
use rand::SeedableRng as _;
use rand::seq::{SliceRandom as _, index};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::import::command;
use crate::choice::{Choice, choice};
use crate::commands::train::TRAIN_RECIPES;
use crate::output;
use crate::request::{OrUsageError as _, UsageError, writable};

/// Draw positions from games, those that a training never learns from or the others
#[derive(Args, Debug)]
#[command(after_help = "\
Which games are tested on is decided by their moves and the recipe's `data.split`, so
that a network trained by that recipe has seen none of them, whatever files it learnt
from. Every ply of a game has the same chance; the move that was played is the best move,
and ratings and the moves before are kept.

Examples:
  mendel data draw strong.games --recipe human --positions 5000 --out unseen.mds
  mendel data draw all.games --recipe human --max-rating 1999 --out club.mds
  mendel breed human-agreement --data unseen.mds,club.mds
  mendel data draw all.games --part train --per-game 8 --history 0 --out learn.mds
  mendel data make quiet --from learn.mds --expert-depth 6 --out labelled.mds")]
pub(super) struct DataDrawArgs {
    /// Files of `mendel data games`
    #[arg(value_name = "FILE", required = true)]
    sources: Vec<PathBuf>,
    /// The data set to write, by convention NAME.mds
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Whose training: a built-in recipe of `mendel train` or a file
    #[arg(long, value_name = "RECIPE", default_value = "human")]
    recipe: String,
    /// Which games
    #[arg(long, default_value = "test", value_parser = choice(PARTS))]
    part: Part,
    /// Positions of each game, at most
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    per_game: u16,
    /// So many positions, drawn from all of these
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    positions: usize,
    /// The lower of the two ratings is at least this
    #[arg(long, value_name = "ELO", default_value_t = 0)]
    min_rating: u16,
    /// The lower of the two ratings is at most this
    #[arg(long, value_name = "ELO", default_value_t = u16::MAX, hide_default_value = true)]
    max_rating: u16,
    /// Moves before each position that are kept
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = history)]
    history: usize,
    /// Decides what is left to chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const VALIDATION: &str = "Those that tell when to stop";
const PARTS: &[Choice<Part>] = &[
    ("train", "Those that are learnt from", Part::Train),
    ("validation", VALIDATION, Part::Validation),
    ("test", "Those that nothing is ever decided by", Part::Test),
];

fn history(text: &str) -> Result<usize, String> {
    let most = Context::MOST_MOVES;
    let count = text.parse().ok().filter(|count| *count <= most);
    count.ok_or_else(|| format!("it is a number from 0 to {most}"))
}

/// File, block, game and ply of a position.
type PlyRef = (usize, usize, usize, usize);

pub(super) fn run(args: &DataDrawArgs) -> anyhow::Result<()> {
    // 1. Which games.
    writable(&args.out)?;
    let recipe = Recipe::find(&args.recipe, &[]).or_hint(TRAIN_RECIPES)?;
    let unreadable =
        |error: DataError| UsageError::new(error, "`mendel data games` makes such files");
    let shards: Vec<Shard> = args
        .sources
        .iter()
        .map(|path| Shard::open(path).map_err(unreadable))
        .collect::<Result<_, _>>()?;
    let takes = |game: &ShardGame<'_>| {
        let rating = game.lower_rating();
        recipe.data.split.part_of(game) == args.part
            && (args.min_rating..=args.max_rating).contains(&rating)
            && (recipe.data.min_rating..=recipe.data.max_rating).contains(&rating)
            && game.full_moves() >= usize::from(recipe.data.min_moves)
    };

    // 2. The places of the positions.
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let mut places: Vec<PlyRef> = Vec::new();
    let mut games = 0_u64;
    for (shard, file) in shards.iter().enumerate() {
        for block in 0..file.blocks() {
            let content = file.block(block).map_err(unreadable)?;
            for (number, game) in content.games().enumerate() {
                if takes(&game) && !game.moves.is_empty() {
                    let plies = game.moves.len();
                    let most = usize::from(args.per_game).min(plies);
                    let drawn = index::sample(&mut rng, plies, most);
                    places.extend(drawn.iter().map(|ply| (shard, block, number, ply)));
                    games += 1;
                }
            }
        }
    }
    if games == 0 {
        let reason = format!(
            "no game of these files is of this part by `{}` and has such ratings",
            args.recipe
        );
        return UsageError::bail(reason, "loosen the ratings, or give more files");
    }
    places.shuffle(&mut rng);
    places.truncate(args.positions);
    // Block by block, so that each is read once.
    places.sort_unstable();

    // 3. The positions.
    let part = PARTS
        .iter()
        .find(|it| it.2 == args.part)
        .map_or("", |it| it.0);
    let about = format!(
        "Positions of games of people, the part `{part}` of the recipe {}",
        recipe.name
    );
    let mut header = DataSetHeader::new(Kind::Moves, about);
    header.seed = args.seed;
    header.made_by = command();
    let mut set = Collector::new(header);
    let mut open: Option<(usize, usize, GameBlock)> = None;
    let mut number = 0;
    for (at, &(shard, block, game, ply)) in places.iter().enumerate() {
        let same = |it: &PlyRef| (it.0, it.1, it.2) == (shard, block, game);
        number += u32::from(at > 0 && !same(&places[at - 1]));
        let at_hand = open.take_if(|it| (it.0, it.1) == (shard, block));
        let games = match at_hand {
            Some((_, _, games)) => games,
            None => shards[shard].block(block).map_err(unreadable)?,
        };
        let sample = sample(&games.game(game), ply, args.history, number);
        set.add(&sample.ok_or_else(|| broken(&args.sources[shard]))?);
        open = Some((shard, block, games));
    }
    let positions = set.positions();
    set.write(&args.out)?;

    // 4. What was done.
    let file = args.out.display();
    output::print(
        args.json,
        || json!({ "file": args.out, "positions": positions, "games": games }),
        || format!("{positions} positions drawn from {games} games: {file}\n"),
    )
}

fn broken(path: &Path) -> UsageError {
    let reason = format!("`{}` has a game with an impossible move", path.display());
    UsageError::new(reason, "make it again with `mendel data games`")
}

/// The position before a ply with the moves that led to it; `None` if a move is impossible.
fn sample(game: &ShardGame<'_>, ply: usize, history: usize, number: u32) -> Option<Sample> {
    let first = ply.saturating_sub(history);
    let mut position = Position::initial();
    let mut start = position.clone();
    let mut before: Vec<Move> = Vec::new();
    for (at, &place) in game.moves.iter().enumerate().take(ply) {
        let m = move_at(&position, place)?;
        if at >= first {
            before.push(m);
        }
        position.play(m);
        if at + 1 == first {
            start = position.clone();
        }
    }
    let played = move_at(&position, *game.moves.get(ply)?)?;
    let turn = position.turn();
    let [white, black] = game.ratings;
    let ratings = if turn.is_white() {
        [white, black]
    } else {
        [black, white]
    };
    Some(Sample {
        game: number,
        score: None,
        best: Some(played),
        result: result_for(game.result, turn),
        context: Some(Box::new(Context {
            ratings: (!ratings.contains(&0)).then_some(ratings),
            start,
            before,
        })),
        position,
    })
}
