//! The index of the runs, damaged.

use std::fs;

use super::Inputs;
use crate::support::Said;

fn runs(inputs: &Inputs) -> Said {
    let said = inputs.run(["runs", "--json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    said
}

#[test]
fn a_damaged_index_is_rebuilt_and_said_to_be() {
    let inputs = Inputs::new("index-damaged");
    let kept = inputs.at("home/runs/aaa111");
    fs::create_dir_all(inputs.at("home/runs")).expect("writable");
    fs::rename(inputs.at("run"), &kept).expect("both are folders for tests");
    let whole = runs(&inputs);
    assert!(
        whole.out.contains("aaa111") && whole.err.is_empty(),
        "{}",
        whole.err
    );
    let before = inputs.names("home/runs/aaa111");

    // A whole database that is not ours, and a torn file.
    let path = inputs.at("home/index.sqlite");
    let bytes = fs::read(&path).expect("it was made");
    let text = b"TABLE folders";
    let at = bytes.windows(text.len()).position(|it| it == text);
    let mut renamed = bytes.clone();
    renamed[at.expect("the schema") + text.len() - 1] = b'z';
    for damaged in [
        renamed,
        bytes[..bytes.len() / 2].to_vec(),
        b"nonsense".repeat(700),
    ] {
        fs::write(&path, damaged).expect("writable");
        let said = runs(&inputs);
        assert_eq!(said.out, whole.out);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        assert!(
            said.err.contains("has been rebuilt from the folders"),
            "{}",
            said.err
        );
        assert_eq!(said.err.matches("index.sqlite").count(), 1, "{}", said.err);
        assert_eq!(runs(&inputs).err, "", "it is whole again");
    }
    assert_eq!(inputs.names("home/runs/aaa111"), before);
}
