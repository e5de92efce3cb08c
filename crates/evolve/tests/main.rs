//! What `evolve` promises, seen from outside.

mod breeders;
mod climbs;
mod genomes;
mod rates;
mod refusals;
mod reproducible;
mod spsa;
