//! What a file is.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use mendel_board::Position;
use mendel_board::epd::Epd;

use super::{ImportError, ImportFormat};

const ZSTANDARD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// So much of a file is looked at to tell what it is.
const HEAD_BYTES: u64 = 16 << 10;

/// Archives that are not read here: first bytes, name, what unpacks them.
const ARCHIVES: [(&[u8], &str, &str); 5] = [
    (b"PK\x03\x04", "zip", "unzip"),
    (b"\x1F\x8B", "gzip", "gunzip"),
    (b"BZh", "bzip2", "bunzip2"),
    (b"\xFD7zXZ\0", "xz", "unxz"),
    (b"7z\xBC\xAF\x27\x1C", "7-Zip", "7z x"),
];

/// Opens a file, through a decompressor if it is compressed with Zstandard.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, ImportError> {
    let failed = |source| ImportError::Read {
        name: path.display().to_string(),
        source,
    };
    let mut file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let mut head = Vec::new();
    file.by_ref()
        .take(ZSTANDARD.len() as u64)
        .read_to_end(&mut head)
        .map_err(failed)?;
    let is_squeezed = head == ZSTANDARD;
    let whole = Cursor::new(head).chain(file);
    Ok(if is_squeezed {
        let decoder = zstd::Decoder::new(whole).map_err(failed)?;
        Box::new(BufReader::with_capacity(1 << 16, decoder))
    } else {
        Box::new(BufReader::with_capacity(1 << 16, whole))
    })
}

/// What the file is, by what was said, by its name, or by how it begins.
pub(super) fn format(path: &Path, said: Option<ImportFormat>) -> Result<ImportFormat, ImportError> {
    let name = path.display().to_string();
    let mut head = Vec::new();
    open(path)?
        .take(HEAD_BYTES)
        .read_to_end(&mut head)
        .map_err(|source| ImportError::Read {
            name: name.clone(),
            source,
        })?;
    if let Some(format) = said {
        return Ok(format);
    }
    for (magic, kind, program) in ARCHIVES {
        if head.starts_with(magic) {
            return Err(ImportError::Packed {
                remedy: format!("{program} {name}"),
                name,
                kind,
            });
        }
    }
    let unknown = |reason: &str| ImportError::Unknown {
        name: name.clone(),
        reason: reason.to_owned(),
    };
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let first = first.ok_or_else(|| unknown("it is empty"))?;

    // 1. How it begins tells more than a name does.
    if first.starts_with('{') {
        return Ok(ImportFormat::PuzzleTrees);
    }
    if first.starts_with("PuzzleId,") {
        return Ok(ImportFormat::Puzzles);
    }
    // 2. The name, without what says that it is compressed.
    let bare = name.strip_suffix(".zst").unwrap_or(&name).to_lowercase();
    let (_, ending) = bare.rsplit_once('.').unwrap_or_default();
    match ending {
        "pgn" => return Ok(ImportFormat::Pgn),
        "epd" | "fen" => return Ok(ImportFormat::Epd),
        "csv" => return Ok(ImportFormat::Csv),
        _ => {}
    }
    // 3. The first line, or the one below a heading. Some lists of positions end
    //    their lines with a zero; by their names they are known as text.
    if head.contains(&0) {
        return Err(unknown("it is not text"));
    }
    if first.starts_with('[') && first.contains('"') {
        return Ok(ImportFormat::Pgn);
    }
    for line in std::iter::once(first).chain(lines.next()) {
        let is_fen = |field: &str| Position::from_fen(field.trim_matches(['"', ' '])).is_ok();
        let has_column = [',', ';', '\t'].iter().any(|&mark| {
            line.split_once(mark)
                .is_some_and(|(field, _)| is_fen(field))
        });
        if has_column && !line.contains("; ") {
            return Ok(ImportFormat::Csv);
        }
        if line.parse::<Epd>().is_ok() || has_column {
            return Ok(ImportFormat::Epd);
        }
    }
    Err(unknown(&format!(
        "it begins with `{}`",
        first.chars().take(60).collect::<String>()
    )))
}
