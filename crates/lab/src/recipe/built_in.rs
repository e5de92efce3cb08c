//! The recipes that ship with the program.

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        pub const BUILT_IN: &[(&str, &str)] = &[
            $( ($name, include_str!(concat!("../../../../recipes/", $name, ".toml"))), )*
        ];
    };
}

built_in![
    "first-steps",
    "gerald-eval",
    "gerald-eval-ours",
    "gerald-search",
    "gerald-search-ours",
    "lambda-ga",
    "lambda-ga-ours",
    "evol-star-eval",
    "evol-star-search",
    "classic-eval",
    "lambda-coevolution",
    "evol-star-coevolution",
    "champion",
    "gerald-tournament",
    "lambda-games",
    "lambda-tournament",
    "lambda-moves",
    "lambda-ladder",
    "chessnet-metrics",
    "chessnet-games",
    "human-agreement",
    "teacher-ablation",
    "teacher-data",
    "cosyne-1hidden",
    "cosyne-2hidden",
    "neat",
    "cosyne-ours",
    "cosyne-games",
    "cosyne-two-stages",
    "neat-ours",
    "hyperneat-ours",
    "es-hyperneat-ours",
    "neuroevolution",
    "cwu-selfplay",
    "cwu-selfplay-ours",
    "cwu-wins",
    "cwu-online",
    "sweep-coding",
    "sweep-positions",
    "sweep-expert",
    "sweep-fitness",
];
