//! One sample as bytes.

use std::io::{self, Read};

use mendel_board::{PackedMove, PackedPosition, Position};

use super::{Context, GameResult, Sample};

const HAS_SCORE: u8 = 1;
const HAS_BEST: u8 = 2;
const RESULT_SHIFT: u8 = 2;
const RESULT: u8 = 0b1100;
const HAS_CONTEXT: u8 = 16;
const KNOWN: u8 = 0b1_1111;

pub(super) enum RecordFault {
    Read(io::Error),
    Wrong(&'static str),
}

impl From<io::Error> for RecordFault {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

/// Appends a sample; `before` is the game of the sample before it.
pub(super) fn write(sample: &Sample, before: u32, to: &mut Vec<u8>) {
    // 1. The game as the step from the last one, its sign in the lowest bit and
    //    seven bits a byte: one byte in nearly all cases.
    let step = i64::from(sample.game) - i64::from(before);
    let mut rest = ((step << 1) ^ (step >> 63)) as u64;
    while rest >= 128 {
        to.push(rest as u8 | 128);
        rest >>= 7;
    }
    to.push(rest as u8);

    // 2. What there is.
    let result = match sample.result {
        None => 0,
        Some(GameResult::Loss) => 1,
        Some(GameResult::Draw) => 2,
        Some(GameResult::Win) => 3,
    };
    let mut has = result << RESULT_SHIFT;
    if sample.score.is_some() {
        has |= HAS_SCORE;
    }
    if sample.best.is_some() {
        has |= HAS_BEST;
    }
    if sample.context.is_some() {
        has |= HAS_CONTEXT;
    }
    to.push(has);

    // 3. The position and its labels.
    PackedPosition::from(&sample.position)
        .write(to)
        .expect("a vector takes everything");
    if let Some(score) = sample.score {
        to.extend(score.to_le_bytes());
    }
    if let Some(best) = sample.best {
        to.extend(PackedMove::from(best).bits().to_le_bytes());
    }

    // 4. Its game: both ratings, zero where they are not known, and the last moves.
    if let Some(context) = &sample.context {
        for rating in context.ratings.unwrap_or_default() {
            to.extend(rating.to_le_bytes());
        }
        let kept = context.before.len().min(Context::MOST_MOVES);
        let fits = kept == context.before.len();
        to.push(if fits { kept as u8 } else { 0 });
        if fits && kept > 0 {
            PackedPosition::from(&context.start)
                .write(to)
                .expect("a vector takes everything");
            for m in &context.before {
                to.extend(PackedMove::from(*m).bits().to_le_bytes());
            }
        }
    }
}

/// Reads the next sample; `before` is the game of the sample before it.
pub(super) fn read(from: &mut impl Read, before: u32) -> Result<Sample, RecordFault> {
    let step = read_step(from)?;
    let game = i64::from(before)
        .checked_add(step)
        .and_then(|game| u32::try_from(game).ok())
        .ok_or(RecordFault::Wrong("its game has an impossible number"))?;
    let [has] = read_bytes(from)?;
    if has & !KNOWN != 0 {
        return Err(RecordFault::Wrong("it has labels of an unknown kind"));
    }
    let position = PackedPosition::read(from)?
        .unpack()
        .ok_or(RecordFault::Wrong("its position is not legal"))?;
    let mut score = None;
    if has & HAS_SCORE != 0 {
        score = Some(i16::from_le_bytes(read_bytes(from)?));
    }
    let mut best = None;
    if has & HAS_BEST != 0 {
        let packed = PackedMove::from_bits(u16::from_le_bytes(read_bytes(from)?));
        let legal = packed.unpack(&position);
        best = Some(legal.ok_or(RecordFault::Wrong("its best move is not legal"))?);
    }
    let context = if has & HAS_CONTEXT == 0 {
        None
    } else {
        Some(Box::new(read_context(from, &position)?))
    };
    let result = match (has & RESULT) >> RESULT_SHIFT {
        0 => None,
        1 => Some(GameResult::Loss),
        2 => Some(GameResult::Draw),
        _ => Some(GameResult::Win),
    };
    Ok(Sample {
        position,
        game,
        score,
        best,
        result,
        context,
    })
}

fn read_context(from: &mut impl Read, position: &Position) -> Result<Context, RecordFault> {
    let own = u16::from_le_bytes(read_bytes(from)?);
    let other = u16::from_le_bytes(read_bytes(from)?);
    let ratings = (own > 0 && other > 0).then_some([own, other]);
    let [count] = read_bytes(from)?;
    let mut before = Vec::new();
    let mut start = position.clone();
    if count > 0 {
        if usize::from(count) > Context::MOST_MOVES {
            return Err(RecordFault::Wrong("too many moves stand before it"));
        }
        let illegal = RecordFault::Wrong("the moves before it are not legal");
        let Some(unpacked) = PackedPosition::read(from)?.unpack() else {
            return Err(illegal);
        };
        start = unpacked;
        let mut here = start.clone();
        for _ in 0..count {
            let packed = PackedMove::from_bits(u16::from_le_bytes(read_bytes(from)?));
            let Some(m) = packed.unpack(&here) else {
                return Err(illegal);
            };
            here.play(m);
            before.push(m);
        }
        if here.key() != position.key() {
            return Err(RecordFault::Wrong("the moves before it lead elsewhere"));
        }
    }
    Ok(Context {
        ratings,
        start,
        before,
    })
}

fn read_step(from: &mut impl Read) -> Result<i64, RecordFault> {
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let [byte] = read_bytes(from)?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Ok((number >> 1) as i64 ^ -((number & 1) as i64));
        }
    }
    Err(RecordFault::Wrong("its game has an impossible number"))
}

fn read_bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}
