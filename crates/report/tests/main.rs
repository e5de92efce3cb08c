//! Pages made from folders: of runs that were written down by hand, and of experiments that the
//! tests run themselves, small.

#[expect(dead_code, reason = "these tests need the lists only")]
#[path = "../../lab/tests/absent.rs"]
mod absent;
mod cwu;
#[path = "../../lab/tests/experiment.rs"]
mod experiment;
mod hybrids;
mod imports;
mod learning;
#[expect(dead_code, reason = "these tests need the folders only")]
#[path = "../../lab/tests/made_data.rs"]
mod made_data;
mod made_up;
mod pictures;
mod pipelines;
mod published;
mod reports;
mod training;
