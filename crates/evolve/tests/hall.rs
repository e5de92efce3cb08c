//! The hall of fame.

#![allow(clippy::float_cmp, reason = "a score is kept as it is")]

use mendel_evolve::{Famous, Hall, MemberId};

fn famous(genome: u8, score: f64, generation: u32) -> Famous<u8> {
    let id = MemberId {
        generation,
        member: 0,
    };
    Famous { genome, score, id }
}

fn genomes(hall: &Hall<u8>) -> Vec<u8> {
    hall.members().iter().map(|member| member.genome).collect()
}

#[test]
fn a_full_hall_loses_its_worst() {
    let mut hall = Hall::new(2);
    for (generation, score) in [5.0, 7.0, 6.0, 1.0].into_iter().enumerate() {
        hall.admit(famous(generation as u8, score, generation as u32));
    }
    assert_eq!(genomes(&hall), [1, 2]);
}

#[test]
fn of_equals_the_older_stands_first() {
    let mut hall = Hall::new(2);
    for generation in [3, 1, 2] {
        hall.admit(famous(generation, 5.0, generation.into()));
    }
    assert_eq!(genomes(&hall), [1, 2]);
}

#[test]
fn nobody_is_in_twice_and_the_last_score_counts() {
    let mut hall = Hall::new(3);
    hall.admit(famous(1, 9.0, 0));
    hall.admit(famous(2, 8.0, 1));
    hall.admit(famous(1, 3.0, 2));
    assert_eq!(genomes(&hall), [2, 1]);
    assert_eq!(hall.members()[1].score, 3.0);
    assert!(hall.renew(&1, 8.5) && genomes(&hall) == [1, 2]);
    assert!(!hall.renew(&7, 1.0));
}

#[test]
fn a_hall_without_room_stays_empty() {
    let mut hall = Hall::new(0);
    hall.admit(famous(1, 9.0, 0));
    assert!(hall.members().is_empty() && !hall.knows(&1));
}
