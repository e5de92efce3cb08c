//! Hashes are those that were published.

use std::fs;

use mendel_store::{InputHashes, fingerprint};

use crate::fresh_folder;

/// Values published with the hash.
#[test]
fn the_fingerprint_is_the_published_hash() {
    assert_eq!(fingerprint(b""), "cbf29ce484222325");
    assert_eq!(fingerprint(b"foobar"), "85944171f73967e8");
}

/// The example of FIPS 180-4.
#[test]
fn the_hash_is_the_published_one() {
    let folder = fresh_folder("hashes");
    let path = folder.join("abc");
    fs::write(&path, "abc").expect("there is room");
    let mut inputs = InputHashes::default();
    inputs.add_file(&path).expect("it can be read");
    inputs
        .add_file(&folder.join("missing"))
        .expect("a missing file has no effect");
    inputs.start(&folder).expect("there is room");
    let text = fs::read_to_string(folder.join(InputHashes::FILE)).expect("it was written");
    let published = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert!(text.contains(published), "{text}");
    assert!(!text.contains("missing"), "{text}");
}
