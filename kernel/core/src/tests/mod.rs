//! The mechanism on the host twin of `arch`: tasks are played by the test, which fills their registers and enters the
//! kernel.

mod affinity;
mod channels;
mod chaos;
mod clamps;
mod governing;
mod lives;
mod moving;
mod parts;
mod scaling;
mod sleeping;
mod world;
