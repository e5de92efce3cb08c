//! Pages made from folders: of runs that were written down by hand, and of experiments that the
//! tests run themselves, small.

#[expect(dead_code, reason = "these tests need the lists only")]
#[path = "../../lab/tests/absent.rs"]
mod absent;
mod cwu;
mod exam;
#[path = "../../lab/tests/experiment.rs"]
mod experiment;
mod games;
mod hybrids;
mod imports;
mod learning;
mod lineage;
#[expect(dead_code, reason = "these tests need the folders only")]
#[path = "../../lab/tests/made_data.rs"]
mod made_data;
mod made_up;
mod metrics;
mod networks;
mod pictures;
mod pipelines;
mod plots;
mod population;
mod published;
mod reports;
mod species;
mod squares;
mod sweeps;
mod training;
mod welch;
