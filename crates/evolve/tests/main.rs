//! What `evolve` promises, seen from outside.

mod breeders;
mod climbs;
mod cosyne;
mod cosyne_settings;
mod genomes;
mod hall;
mod hyperneat;
mod neat;
mod networks;
mod rates;
mod refusals;
mod reproducible;
mod spsa;
mod stop;
mod tasks;
mod tuners;
