//! The data sets that ship with the program; `data/README.md` says how each was
//! made.

#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// What it is called where a file name could stand.
    pub name: &'static str,
    pub bytes: &'static [u8],
}

macro_rules! built_in {
    ($($name:literal),+ $(,)?) => {
        /// The data sets that ship with the program.
        pub const BUILT_IN: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            bytes: include_bytes!(concat!("../../../../data/", $name, ".mds")),
        }),+];
    };
}

built_in!("quiet", "quiet-nnue", "random", "moves", "selfplay");
