//! Time controls as text.

use mendel_engine::TimeControl;

#[test]
fn a_time_control_is_read_as_it_is_written() {
    for text in ["8+0.08", "40/60+0.5", "2+0", "0+1"] {
        let control: TimeControl = text.parse().expect(text);
        assert_eq!(control.to_string(), text);
    }
    assert_eq!(
        "60".parse::<TimeControl>().map(|tc| tc.to_string()),
        Ok("60+0".to_owned())
    );
}

#[test]
fn an_invalid_time_control_is_refused() {
    for text in [
        "", "x", "-1+1", "1+-1", "0/5+1", "inf", "NaN+1", "0+0", "1e30", "4/", "1+1+1",
    ] {
        assert!(text.parse::<TimeControl>().is_err(), "{text}");
    }
}
