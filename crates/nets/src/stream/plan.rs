//! Which games are streamed, in what order: all that is decided by the settings
//! and not by who asks when.

use std::sync::Arc;

use mendel_data::shard::{Shard, ShardGame};
use mendel_store::Fingerprint;
use rand::seq::{SliceRandom, index};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::replay::{Fault, replay};
use super::{Cursor, Part, Pick, Sample, Settings, Split, StreamError};

/// Shards and settings: what can be streamed. Nothing in it changes, so that any
/// number of streams and threads may share it.
#[derive(Debug)]
pub struct Plan {
    shards: Vec<Shard>,
    settings: Settings,
    /// All blocks: shard and block in it.
    blocks: Vec<(u32, u32)>,
}

/// Some blocks whose samples are mixed.
#[derive(Debug)]
pub(crate) struct Mixture {
    /// The samples of each block, in the order of the games.
    parts: Vec<Vec<Sample>>,
    /// The order in which they are given: part and sample in it.
    order: Vec<(u32, u32)>,
}

/// What a generator decides; each purpose has a stream of its own.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Blocks = 1,
    Positions = 2,
    Order = 3,
    Part = 4,
    #[cfg(feature = "train")]
    Mirror = 5,
}

/// A generator of its own for each purpose, seed and place.
pub(crate) fn generator(
    purpose: Purpose,
    seed: u64,
    numbers: [u64; 2],
    bytes: &[u8],
) -> ChaCha8Rng {
    let mut print = Fingerprint::default();
    for number in [purpose as u64, seed, numbers[0], numbers[1]] {
        print.add(&number.to_le_bytes());
    }
    print.add(bytes);
    ChaCha8Rng::seed_from_u64(print.value())
}

impl Split {
    /// The part a game belongs to, by its moves.
    pub fn part_of(&self, game: &ShardGame) -> Part {
        self.part_for(game.moves)
    }

    pub(crate) fn part_for(&self, bytes: &[u8]) -> Part {
        let mut chance = generator(Purpose::Part, self.seed, [0; 2], bytes);
        let place: f64 = chance.random();
        if place < self.test {
            Part::Test
        } else if place < self.test + self.validation {
            Part::Validation
        } else {
            Part::Train
        }
    }
}

impl Plan {
    /// What `settings` take from `shards`.
    ///
    /// # Errors
    ///
    /// If the settings make no sense or there are no games at all.
    pub fn new(shards: Vec<Shard>, settings: Settings) -> Result<Arc<Self>, StreamError> {
        settings.check()?;
        let mut blocks = Vec::new();
        for (number, shard) in shards.iter().enumerate() {
            blocks.extend((0..shard.blocks()).map(|block| (number as u32, block as u32)));
        }
        if blocks.is_empty() {
            return Err(StreamError::NoGames);
        }
        Ok(Arc::new(Self {
            shards,
            settings,
            blocks,
        }))
    }

    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many samples an epoch has; every block is read for it, but no game
    /// replayed.
    ///
    /// # Errors
    ///
    /// If a shard cannot be read.
    pub fn count(&self) -> Result<u64, StreamError> {
        let mut count = 0;
        for &(shard, block) in &self.blocks {
            let block = self.shards[shard as usize].block(block as usize)?;
            let games = block.games().filter(|game| self.takes(game));
            count += games.map(|game| self.samples_of(&game) as u64).sum::<u64>();
        }
        Ok(count)
    }

    pub fn takes(&self, game: &ShardGame) -> bool {
        let settings = &self.settings;
        let ratings = settings.min_rating..=settings.max_rating;
        ratings.contains(&game.lower_rating())
            && game.full_moves() >= usize::from(settings.min_moves)
            && (settings.part == Part::All || settings.split.part_of(game) == settings.part)
    }

    fn samples_of(&self, game: &ShardGame) -> usize {
        let skipped = usize::from(self.settings.skip_plies);
        let there = game.moves.len().saturating_sub(skipped);
        match self.settings.pick {
            Pick::All => there,
            Pick::PerGame(most) => there.min(usize::from(most)),
        }
    }

    /// Mixtures of an epoch.
    pub(crate) fn mixtures(&self) -> u64 {
        self.blocks.len().div_ceil(self.settings.mixed_blocks) as u64
    }

    /// The cursor behind a mixture.
    pub(crate) fn behind(&self, cursor: Cursor) -> Cursor {
        // A cursor of another stream is refused later and must do no harm here.
        let is_last = cursor.mixture >= self.mixtures() - 1;
        Cursor {
            epoch: cursor.epoch.saturating_add(u64::from(is_last)),
            mixture: if is_last { 0 } else { cursor.mixture + 1 },
            taken: 0,
        }
    }

    /// The blocks of the mixture at `cursor`.
    pub(crate) fn blocks_at(&self, cursor: Cursor) -> Result<Vec<(u32, u32)>, StreamError> {
        if cursor.mixture >= self.mixtures() {
            return Err(StreamError::Cursor { cursor });
        }
        let mut blocks = self.blocks.clone();
        let seed = self.settings.seed;
        let mut chance = generator(Purpose::Blocks, seed, [cursor.epoch, 0], &[]);
        blocks.shuffle(&mut chance);
        let first = cursor.mixture as usize * self.settings.mixed_blocks;
        let mixed = blocks.iter().skip(first).take(self.settings.mixed_blocks);
        Ok(mixed.copied().collect())
    }

    /// All samples that `epoch` takes of a block, game by game.
    pub(crate) fn expand(
        &self,
        epoch: u64,
        (shard, number): (u32, u32),
    ) -> Result<Vec<Sample>, StreamError> {
        let shard_number = u64::from(shard);
        let shard = &self.shards[shard as usize];
        let block = shard.block(number as usize)?;
        let mut wanted = Vec::new();
        let mut samples = Vec::new();
        for (place, game) in block.games().enumerate() {
            if !self.takes(&game) {
                continue;
            }
            let whose = [shard_number, u64::from(number), place as u64];
            self.choose(&mut wanted, epoch, whose, &game);
            replay(&game, &wanted, &mut samples).map_err(|Fault { ply }| {
                let what = "is not a legal move";
                let whose = format!("ply {ply} of game {place} in block {number}");
                shard.damaged(format!("{whose} {what}"))
            })?;
        }
        Ok(samples)
    }

    /// The plies of a game before which this epoch takes a sample, in order.
    fn choose(&self, wanted: &mut Vec<u16>, epoch: u64, whose: [u64; 3], game: &ShardGame) {
        let skipped = self.settings.skip_plies;
        let there = (game.moves.len() as u16).saturating_sub(skipped);
        wanted.clear();
        match self.settings.pick {
            Pick::PerGame(most) if most < there => {
                let seed = self.settings.seed;
                let game = whose.map(u64::to_le_bytes);
                let numbers = [epoch, 0];
                let mut chance = generator(Purpose::Positions, seed, numbers, game.as_flattened());
                let drawn = index::sample(&mut chance, usize::from(there), usize::from(most));
                wanted.extend(drawn.into_iter().map(|index| skipped + index as u16));
                wanted.sort_unstable();
            }
            Pick::All | Pick::PerGame(_) => wanted.extend(skipped..skipped + there),
        }
    }

    /// Puts the expanded blocks of the mixture at `cursor` into their order.
    pub(crate) fn mix(
        &self,
        cursor: Cursor,
        parts: Vec<Vec<Sample>>,
    ) -> Result<Mixture, StreamError> {
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        for (part, samples) in parts.iter().enumerate() {
            order.extend((0..samples.len()).map(|index| (part as u32, index as u32)));
        }
        let numbers = [cursor.epoch, cursor.mixture];
        let mut chance = generator(Purpose::Order, self.settings.seed, numbers, &[]);
        order.shuffle(&mut chance);
        if cursor.taken > order.len() as u64 {
            return Err(StreamError::Cursor { cursor });
        }
        Ok(Mixture { parts, order })
    }

    pub(crate) fn nothing(&self) -> StreamError {
        let names = self
            .shards
            .iter()
            .map(|shard| format!("`{}`", shard.name()));
        StreamError::Empty {
            names: names.collect::<Vec<_>>().join(", "),
            games: self.shards.iter().map(|shard| shard.header().games).sum(),
        }
    }
}

impl Mixture {
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Sample> {
        let &(part, index) = self.order.get(place)?;
        self.parts.get(part as usize)?.get(index as usize)
    }
}
