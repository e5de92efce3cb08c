//! Names `libtorch_cuda` to the linker where `mendel train` is built; the reasons are
//! in the build script of `nets`, which tells where the library lies.
//!
//! And tells this build from others of its version, for crews: `MENDEL_BUILD` is a hash of
//! all that makes a game or a label what it is.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// What is hashed, from the root of the project.
const SOURCES: [&str; 3] = ["crates", "players", "Cargo.lock"];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo:rerun-if-changed={}", root.join(source).display());
        collect(&root.join(source), &mut files)?;
    }
    println!("cargo:rustc-env=MENDEL_BUILD={:016x}", hash(&root, files)?);
    link_torch();
    Ok(())
}

/// The files at and below `path`, without tests and benchmarks, which are in no program.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !["tests", "benches", "target"]
            .iter()
            .any(|it| entry.file_name() == *it)
        {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

/// FNV-1a over names and contents, in the order of the names: the same on every machine.
fn hash(root: &Path, mut files: Vec<PathBuf>) -> io::Result<u64> {
    files.sort();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file);
        add(name.to_string_lossy().as_bytes());
        add(&fs::read(&file)?);
    }
    Ok(hash)
}

fn link_torch() {
    let Ok(folder) = std::env::var("DEP_MENDEL_NETS_LIBTORCH_LIB") else {
        return;
    };
    println!("cargo:rustc-link-arg=-Wl,--enable-new-dtags,-rpath,{folder}");
    if std::path::Path::new(&folder)
        .join("libtorch_cuda.so")
        .exists()
    {
        for argument in ["-Wl,--no-as-needed", "-ltorch_cuda", "-Wl,--as-needed"] {
            println!("cargo:rustc-link-arg={argument}");
        }
    }
}
