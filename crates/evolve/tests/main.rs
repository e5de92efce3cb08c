//! What `evolve` promises, seen from outside.

mod breeders;
mod climbs;
mod cosyne;
mod cosyne_settings;
mod functions;
mod genomes;
mod hall;
mod hyperneat;
mod neat;
mod networks;
mod rates;
mod refusals;
mod reproducible;
mod seeds;
mod spsa;
mod stop;
mod tasks;
mod tuners;
