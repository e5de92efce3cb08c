//! Every number of the search, declared once.
//!
//! One row of the table below is the default, the range and the step; the UCI
//! option and the gene follow from it. A switch is a number
//! from 0 to 1, so that evolution can throw it too.

use std::fmt;

use crate::uci::OptionLine;

/// One number that a search can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Its name in player files, in recipes and as a UCI option.
    pub name: &'static str,
    /// The value of the profile `full`.
    pub default: i32,
    /// The smallest value that makes sense.
    pub low: i32,
    /// The largest value that makes sense.
    pub high: i32,
    /// A change that is worth trying.
    pub step: i32,
}

/// A setting of a player that does not exist or cannot have a value; says what is possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(pub(crate) String);

/// The name that shares the longest start with a mistyped one.
fn did_you_mean(name: &str) -> String {
    let shared = |tunable: &&Tunable| {
        tunable
            .name
            .bytes()
            .zip(name.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    match SearchParams::TUNABLES.iter().max_by_key(shared) {
        Some(nearest) if shared(&nearest) >= 3 => format!("; did you mean `{}`?", nearest.name),
        _ => String::new(),
    }
}

macro_rules! tunables {
    ($( $(#[doc = $doc:literal])+
        $name:ident = $default:literal in $low:literal ..= $high:literal step $step:literal; )*) => {
        /// All numbers of a search.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct SearchParams {
            $( $(#[doc = $doc])+ pub $name: i32, )*
        }

        impl Default for SearchParams {
            fn default() -> Self {
                Self { $( $name: $default, )* }
            }
        }

        impl SearchParams {
            /// The table: one row a number, in the order of the search.
            pub const TUNABLES: &'static [Tunable] = &[
                $( Tunable {
                    name: stringify!($name),
                    default: $default,
                    low: $low,
                    high: $high,
                    step: $step,
                }, )*
            ];

            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $( stringify!($name) => Some(self.$name), )*
                    _ => None,
                }
            }

            fn slot(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $( stringify!($name) => Some(&mut self.$name), )*
                    _ => None,
                }
            }
        }
    };
}

tunables! {
    /// Half-width of the first aspiration window in centipawns.
    aspiration_window = 18 in 1..=255 step 4;
    /// The window opens from this depth on; above the highest depth it never does.
    aspiration_depth = 4 in 0..=200 step 1;
    /// A failed window grows by this many hundredths of itself; 0 opens it fully at once.
    aspiration_growth = 60 in 0..=400 step 20;
    /// Moves after the first are searched with a closed window and again only if they surprise.
    use_pvs = 1 in 0..=1 step 1;
    /// Results are remembered in the transposition table and cut the search.
    use_table = 1 in 0..=1 step 1;
    /// The window is closed where no mate found later could be shorter.
    use_mate_distance = 1 in 0..=1 step 1;
    /// Static pruning looks at material alone, which is quick and crude.
    use_lazy_evaluation = 0 in 0..=1 step 1;
    /// The static score is corrected by what searches of the same pawn structure found.
    use_correction = 1 in 0..=1 step 1;
    /// Margins grow with the square of the depth and not with the depth.
    use_square_margins = 0 in 0..=1 step 1;
    /// Pruning is milder where the side to move stands better than two plies ago.
    use_improving = 1 in 0..=1 step 1;

    /// Captures are split by static exchange into those tried first and those tried last.
    use_exchange_ordering = 1 in 0..=1 step 1;
    /// Captures are ordered also by how often such captures cut the search.
    use_capture_history = 1 in 0..=1 step 1;
    /// Quiet moves are ordered by how often they cut the search.
    use_history = 1 in 0..=1 step 1;
    /// Quiet moves are ordered also by how they did after the moves before them.
    use_continuation = 1 in 0..=1 step 1;
    /// Added to the order of a killer: a quiet move that cut a sister node; 0 switches killers off.
    killer_bonus = 18000 in 0..=40000 step 1000;
    /// Added to the order of the move that last refuted the opponent's move; 0 switches it off.
    counter_bonus = 9000 in 0..=40000 step 1000;
    /// History gained by a cut, per ply of depth.
    history_slope = 170 in 10..=600 step 20;
    /// Taken off the history a cut gains.
    history_offset = 100 in 0..=600 step 20;
    /// The most history one cut can give.
    history_limit = 1700 in 100..=4000 step 100;

    /// Behind the last ply captures are searched until it is quiet; 0 judges the position as it stands.
    use_quiescence = 1 in 0..=1 step 1;
    /// In quiescence, captures that cannot lift the score near alpha are skipped.
    use_delta = 1 in 0..=1 step 1;
    /// What a capture may win beyond the captured piece before delta pruning skips it.
    delta_margin = 180 in 0..=1023 step 20;
    /// In quiescence, captures that lose material by static exchange are skipped.
    use_exchange_in_quiescence = 1 in 0..=1 step 1;

    /// Giving the opponent a free move proves that a position is good enough.
    use_null_move = 1 in 0..=1 step 1;
    /// The least depth at which a null move is tried.
    null_depth = 3 in 1..=10 step 1;
    /// Depth taken off for the null move.
    null_reduction = 4 in 0..=7 step 1;
    /// One more ply is taken off for each this many plies of depth; 0 counts as 1.
    null_depth_factor = 4 in 0..=31 step 1;
    /// One more ply is taken off for each this many centipawns above beta, at most three; 0 for none.
    null_score_factor = 200 in 0..=1000 step 20;
    /// The reduction is a ply smaller at low depth.
    use_null_adaptivity = 0 in 0..=1 step 1;
    /// The depth up to which the reduction is a ply smaller.
    null_adaptive_depth = 6 in 0..=7 step 1;
    /// From this depth on, and with a single piece left, a null move's proof is checked; 200 for never.
    null_verify_depth = 12 in 1..=200 step 1;

    /// A node far above beta is cut without search.
    use_reverse_futility = 1 in 0..=1 step 1;
    /// The greatest depth of reverse futility pruning.
    reverse_futility_depth = 8 in 1..=20 step 1;
    /// How far above beta a node must stand, per ply of depth, to be cut.
    reverse_futility_margin = 75 in 0..=255 step 5;

    /// A node far below alpha is handed to quiescence.
    use_razoring = 1 in 0..=1 step 1;
    /// The greatest depth of razoring.
    razoring_depth = 3 in 1..=10 step 1;
    /// How far below alpha a node must stand, per ply of depth, to be razored.
    razoring_margin = 220 in 0..=500 step 10;

    /// A capture that beats beta by a margin in a shallow search cuts the node.
    use_probcut = 1 in 0..=1 step 1;
    /// The least depth of probcut.
    probcut_depth = 5 in 3..=20 step 1;
    /// How far above beta the shallow search must come.
    probcut_margin = 160 in 20..=500 step 10;
    /// Depth taken off for the shallow search.
    probcut_reduction = 4 in 1..=8 step 1;

    /// A node without a move from the table is searched less deep, from this depth on; 200 for never.
    internal_reduction_depth = 4 in 1..=200 step 1;

    /// A node where several of the first moves beat beta in shallow searches is cut.
    use_multi_cut = 0 in 0..=1 step 1;
    /// Depth taken off for the shallow searches of multi-cut.
    multi_cut_reduction = 4 in 0..=7 step 1;
    /// The least depth of multi-cut.
    multi_cut_depth = 6 in 0..=7 step 1;
    /// How many moves multi-cut tries.
    multi_cut_moves = 15 in 0..=31 step 1;
    /// How many of them must beat beta.
    multi_cut_cuts = 3 in 0..=7 step 1;

    /// Late quiet moves of shallow nodes are skipped.
    use_late_move_pruning = 1 in 0..=1 step 1;
    /// The greatest depth of late-move pruning.
    late_move_depth = 8 in 1..=20 step 1;
    /// Moves searched before late-move pruning begins.
    late_move_count = 3 in 0..=31 step 1;
    /// Sixteenths of a move more for each square of the depth.
    late_move_growth = 16 in 0..=64 step 2;

    /// The greatest depth at which quiet moves that cannot reach alpha are skipped; 0 for never.
    futility_depth = 7 in 0..=12 step 1;
    /// What a quiet move may gain at depth 1 before it is skipped.
    futility_margin_1 = 160 in 0..=1023 step 10;
    /// What a quiet move may gain at depth 2 before it is skipped.
    futility_margin_2 = 240 in 0..=1023 step 10;
    /// What a quiet move may gain at depth 3 before it is skipped.
    futility_margin_3 = 320 in 0..=1023 step 10;
    /// What it may gain more for each ply beyond depth 3.
    futility_margin_more = 90 in 0..=400 step 10;

    /// The greatest depth at which quiet moves with a bad history are skipped; 0 for never.
    history_pruning_depth = 5 in 0..=12 step 1;
    /// How bad the history must be, per ply of depth.
    history_pruning_margin = 3500 in 500..=12000 step 250;

    /// Moves that lose material by static exchange are skipped at low depth.
    use_exchange_pruning = 1 in 0..=1 step 1;
    /// The greatest depth of exchange pruning.
    exchange_depth = 9 in 1..=20 step 1;
    /// What a quiet move may lose, per square of the depth.
    exchange_quiet_margin = 20 in 0..=200 step 5;
    /// What a capture may lose, per ply of depth.
    exchange_capture_margin = 95 in 0..=300 step 5;

    /// Late moves are searched less deep, and again only if they surprise.
    use_late_move_reductions = 1 in 0..=1 step 1;
    /// The least depth of late-move reductions.
    reduction_depth = 3 in 0..=7 step 1;
    /// Moves searched in full before reductions begin.
    reduction_count = 2 in 0..=7 step 1;
    /// Hundredths of a ply that every late move loses.
    reduction_base = 70 in 0..=300 step 10;
    /// Hundredths of a ply lost for each unit of ln(depth) × ln(move number).
    reduction_scale = 42 in 0..=100 step 2;
    /// Hundredths of a ply given back on the principal variation.
    reduction_pv = 100 in 0..=300 step 10;
    /// Hundredths of a ply lost where a cut is expected.
    reduction_cut = 120 in 0..=300 step 10;
    /// Hundredths of a ply lost where the side to move does not improve.
    reduction_worsening = 60 in 0..=300 step 10;
    /// Hundredths of a ply given back for killers and counter moves.
    reduction_killer = 100 in 0..=300 step 10;
    /// Hundredths of a ply given back for checks.
    reduction_check = 80 in 0..=300 step 10;
    /// History that is worth a ply; 0 for none.
    reduction_history = 8000 in 0..=30000 step 500;

    /// Quarters of a ply for a check that loses nothing.
    extension_check = 4 in 0..=4 step 1;
    /// Quarters of a ply for the only way out of check.
    extension_one_reply = 0 in 0..=4 step 1;
    /// Quarters of a ply for taking back on the same square.
    extension_recapture = 0 in 0..=4 step 1;
    /// Quarters of a ply for a passed pawn's step to the seventh rank.
    extension_passed_pawn = 0 in 0..=4 step 1;
    /// Quarters of a ply where a null move would be mated.
    extension_mate_threat = 0 in 0..=4 step 1;
    /// A move that is better than all others by a margin is searched deeper; multi-cut where it is not alone.
    use_singular = 1 in 0..=1 step 1;
    /// The least depth of singular extensions.
    singular_depth = 7 in 4..=20 step 1;
    /// The margin, in sixteenths of a centipawn per ply of depth.
    singular_margin = 24 in 1..=100 step 4;
    /// A singular move better still by this margin is extended twice; 2000 for never.
    singular_double_margin = 20 in 0..=2000 step 5;

    /// Tablebases are asked inside the tree where they are at hand.
    use_tablebases = 1 in 0..=1 step 1;

    /// How many more moves a game is planned to last.
    clock_moves = 38 in 5..=100 step 2;
    /// Hundredths of the increment that a move may use.
    clock_increment = 80 in 0..=100 step 5;
    /// Hundredths of the planned time that a move may take at most.
    clock_most = 480 in 100..=1000 step 20;
    /// Time depends on how settled the best move is.
    use_clock_stability = 1 in 0..=1 step 1;
}

impl SearchParams {
    /// Sets the number called `name`.
    ///
    /// # Errors
    ///
    /// If there is no such number or `value` is out of its range; nothing is
    /// changed then.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), SettingError> {
        let tunable = Self::TUNABLES
            .iter()
            .find(|tunable| tunable.name == name)
            .ok_or_else(|| {
                let hint = did_you_mean(name);
                SettingError(format!("there is no search number `{name}`{hint}"))
            })?;
        let Tunable {
            name, low, high, ..
        } = *tunable;
        if value < i64::from(low) || value > i64::from(high) {
            return Err(SettingError(format!(
                "{name} = {value} is out of range: it must be from {low} to {high}"
            )));
        }
        *self.slot(name).expect("a name of the table") = value as i32;
        Ok(())
    }

    /// The numbers as UCI options, with their present values as defaults.
    pub fn options(&self) -> impl Iterator<Item = OptionLine> {
        Self::TUNABLES.iter().map(|tunable| {
            let now = self.get(tunable.name).unwrap_or(tunable.default);
            let (low, high) = (tunable.low.into(), tunable.high.into());
            OptionLine::spin(tunable.name, now.into(), low, high)
        })
    }

    /// The numbers of a profile.
    pub fn of(profile: Profile) -> Self {
        let mut params = Self::default();
        for &(name, value) in profile.changes() {
            params
                .set(name, value)
                .expect("a profile's own row is in range");
        }
        params
    }
}

/// Sets of numbers that stand for a kind of search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Alpha-beta and quiescence only.
    Plain,
    /// The sixteen techniques of GERALD, with its base numbers and their meaning.
    Gerald,
    /// Everything.
    #[default]
    Full,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Gerald, Self::Full];

    /// What the profile is called in a player file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gerald => "gerald",
            Self::Full => "full",
        }
    }

    /// Where the profile differs from `full`.
    fn changes(self) -> &'static [(&'static str, i64)] {
        match self {
            Self::Full => &[],
            Self::Plain => PLAIN,
            Self::Gerald => GERALD,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|profile| profile.name() == text)
            .ok_or_else(|| format!("`{text}` is not a search profile; there are {names}"))
    }
}

const PLAIN: &[(&str, i64)] = &[
    ("aspiration_depth", 200),
    ("use_pvs", 0),
    ("use_table", 0),
    ("use_mate_distance", 0),
    ("use_correction", 0),
    ("use_improving", 0),
    ("use_exchange_ordering", 0),
    ("use_capture_history", 0),
    ("use_history", 0),
    ("use_continuation", 0),
    ("killer_bonus", 0),
    ("counter_bonus", 0),
    ("use_delta", 0),
    ("use_exchange_in_quiescence", 0),
    ("use_null_move", 0),
    ("use_reverse_futility", 0),
    ("use_razoring", 0),
    ("use_probcut", 0),
    ("internal_reduction_depth", 200),
    ("use_late_move_pruning", 0),
    ("futility_depth", 0),
    ("history_pruning_depth", 0),
    ("use_exchange_pruning", 0),
    ("use_late_move_reductions", 0),
    ("extension_check", 0),
    ("use_singular", 0),
    ("use_tablebases", 0),
    ("use_clock_stability", 0),
];

/// The base values are those of the thesis's Figure 3.3.2; where it prints no
/// number (the greatest depths of the three static prunings, the size of a
/// reduction) the plainest reading is taken.
const GERALD: &[(&str, i64)] = &[
    ("aspiration_window", 25),
    ("aspiration_depth", 5),
    ("aspiration_growth", 0),
    ("use_mate_distance", 0),
    ("use_lazy_evaluation", 1),
    ("use_correction", 0),
    ("use_square_margins", 1),
    ("use_improving", 0),
    ("use_exchange_ordering", 0),
    ("use_capture_history", 0),
    ("use_continuation", 0),
    ("killer_bonus", 100),
    ("counter_bonus", 0),
    ("delta_margin", 300),
    ("use_exchange_in_quiescence", 0),
    ("null_depth", 3),
    ("null_reduction", 2),
    ("null_depth_factor", 10),
    ("null_score_factor", 0),
    ("null_verify_depth", 200),
    ("reverse_futility_depth", 4),
    ("reverse_futility_margin", 100),
    ("razoring_depth", 3),
    ("razoring_margin", 150),
    ("use_probcut", 0),
    ("internal_reduction_depth", 200),
    ("late_move_depth", 3),
    ("late_move_count", 10),
    ("late_move_growth", 0),
    ("futility_depth", 0),
    ("history_pruning_depth", 0),
    ("use_exchange_pruning", 0),
    ("reduction_depth", 3),
    ("reduction_count", 3),
    ("reduction_base", 100),
    ("reduction_scale", 0),
    ("reduction_pv", 0),
    ("reduction_cut", 0),
    ("reduction_worsening", 0),
    ("reduction_killer", 0),
    ("reduction_check", 0),
    ("reduction_history", 0),
    ("use_singular", 0),
    ("use_tablebases", 0),
    ("use_clock_stability", 0),
];
