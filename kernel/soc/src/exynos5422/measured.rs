//! Power and speed as measured on an Odroid XU3, by class of work.
//!
//! The figures are from the energy and speed model of PARTSim (`gabrieleara/PARTSim`,
//! `simconf/models/tb/odroid-xu3-single-fixed_regression.csv`; Mascitti, Cucinotta, Marinoni and Abeni, JSS 173, 2021),
//! which rests on the board's INA231 rail sensors, rounded to hundredths of a milliwatt and to 1/10000 of the speed of
//! a Cortex-A15 at 2.0 GHz. One line of the source is one busy core beyond the idle cluster. The 1500 MHz of the A7 is
//! left out, as in the table of operating points. That the rows `idle` are a cluster's and not a core's is a reading;
//! if it is wrong, idle power is four times as much.
//!
//! Two things are told here that no device tree tells: a Cortex-A7 at its top has 0.40 to 0.70 of the speed of a
//! Cortex-A15 at its top (0.37 in the device tree), and compute-bound work on the A15 takes up to 1.7 times the power
//! of the coefficient.

use sched::{Microwatts, Point, Profile, Rate};

const SOURCE: &str = "gabrieleara/PARTSim: simconf/models/tb/odroid-xu3-single-fixed_regression.csv";

/// Hashing: arithmetic in registers and the first-level cache.
pub static HASH: Profile = Profile {
    name: "hash",
    source: SOURCE,
    big: &HASH_BIG,
    little: &HASH_LITTLE,
    idle_big: &IDLE_BIG,
    idle_little: &IDLE_LITTLE,
};

static HASH_BIG: [Point; 19] = [
    point(1019, 7847),
    point(1539, 11717),
    point(2058, 15513),
    point(2571, 19125),
    point(3084, 22704),
    point(3593, 26381),
    point(4107, 30946),
    point(4609, 36732),
    point(5114, 43099),
    point(5613, 50048),
    point(6118, 57682),
    point(6604, 65824),
    point(7084, 74487),
    point(7573, 83928),
    point(8074, 97123),
    point(8553, 111765),
    point(9014, 127735),
    point(9486, 151077),
    point(10000, 173977),
];

static HASH_LITTLE: [Point; 13] = [
    point(578, 1192),
    point(870, 1793),
    point(1162, 2353),
    point(1452, 2926),
    point(1740, 3788),
    point(2028, 4736),
    point(2314, 5780),
    point(2598, 6861),
    point(2881, 8076),
    point(3162, 9444),
    point(3440, 10947),
    point(3718, 12847),
    point(3987, 15074),
];

/// AES encryption.
pub static ENCRYPT: Profile = Profile {
    name: "encrypt",
    source: SOURCE,
    big: &ENCRYPT_BIG,
    little: &ENCRYPT_LITTLE,
    idle_big: &IDLE_BIG,
    idle_little: &IDLE_LITTLE,
};

static ENCRYPT_BIG: [Point; 19] = [
    point(996, 7265),
    point(1505, 10867),
    point(2016, 14379),
    point(2524, 17775),
    point(3032, 21152),
    point(3541, 24600),
    point(4046, 28959),
    point(4547, 34470),
    point(5053, 40499),
    point(5558, 47170),
    point(6050, 54386),
    point(6558, 62267),
    point(7046, 70772),
    point(7542, 79611),
    point(8037, 92379),
    point(8525, 106587),
    point(9023, 122033),
    point(9507, 144544),
    point(10000, 166969),
];

static ENCRYPT_LITTLE: [Point; 13] = [
    point(608, 1413),
    point(918, 2132),
    point(1229, 2816),
    point(1540, 3514),
    point(1850, 4587),
    point(2159, 5780),
    point(2465, 6933),
    point(2759, 8316),
    point(3070, 9907),
    point(3383, 11613),
    point(3670, 13585),
    point(3993, 16024),
    point(4274, 18838),
];

/// `gzip -9`.
pub static GZIP: Profile = Profile {
    name: "gzip",
    source: SOURCE,
    big: &GZIP_BIG,
    little: &GZIP_LITTLE,
    idle_big: &IDLE_BIG,
    idle_little: &IDLE_LITTLE,
};

static GZIP_BIG: [Point; 19] = [
    point(994, 8200),
    point(1503, 12254),
    point(2011, 16281),
    point(2518, 19938),
    point(3022, 23841),
    point(3529, 27755),
    point(4034, 32712),
    point(4536, 38940),
    point(5037, 45702),
    point(5542, 53277),
    point(6038, 61367),
    point(6538, 69978),
    point(7031, 79581),
    point(7530, 90250),
    point(8029, 104171),
    point(8521, 120518),
    point(9004, 138683),
    point(9488, 160125),
    point(10000, 176391),
];

static GZIP_LITTLE: [Point; 13] = [
    point(642, 1355),
    point(975, 1963),
    point(1300, 2493),
    point(1629, 3013),
    point(1945, 3829),
    point(2267, 4683),
    point(2590, 5572),
    point(2907, 6551),
    point(3235, 7472),
    point(3526, 8562),
    point(3830, 9830),
    point(4160, 11270),
    point(4466, 13048),
];

/// A loop that finds all its data in the caches (`cacherate-0`).
pub static CACHE_RESIDENT: Profile = Profile {
    name: "cache-resident",
    source: SOURCE,
    big: &CACHE_RESIDENT_BIG,
    little: &CACHE_RESIDENT_LITTLE,
    idle_big: &IDLE_BIG,
    idle_little: &IDLE_LITTLE,
};

static CACHE_RESIDENT_BIG: [Point; 19] = [
    point(982, 4389),
    point(1482, 6511),
    point(1982, 8635),
    point(2484, 10832),
    point(2984, 12981),
    point(3485, 14744),
    point(3988, 17259),
    point(4484, 20604),
    point(4987, 24204),
    point(5495, 28131),
    point(5994, 32504),
    point(6482, 37093),
    point(6982, 42167),
    point(7491, 47604),
    point(7992, 55006),
    point(8504, 63380),
    point(9005, 72211),
    point(9494, 85098),
    point(10000, 102229),
];

static CACHE_RESIDENT_LITTLE: [Point; 13] = [
    point(801, 1264),
    point(1210, 1908),
    point(1620, 2535),
    point(2030, 3165),
    point(2438, 4139),
    point(2850, 5190),
    point(3256, 6401),
    point(3669, 7570),
    point(4076, 9014),
    point(4490, 10604),
    point(4901, 12452),
    point(5307, 14845),
    point(5718, 17442),
];

/// A loop that misses the caches all the time: memory, not the clock, sets its speed.
pub static CACHE_KILLER: Profile = Profile {
    name: "cache-killer",
    source: SOURCE,
    big: &CACHE_KILLER_BIG,
    little: &CACHE_KILLER_LITTLE,
    idle_big: &IDLE_BIG,
    idle_little: &IDLE_LITTLE,
};

static CACHE_KILLER_BIG: [Point; 19] = [
    point(5481, 5508),
    point(7131, 7856),
    point(8258, 9981),
    point(8930, 11953),
    point(9461, 13864),
    point(9729, 15370),
    point(9883, 17462),
    point(9936, 20388),
    point(9997, 23489),
    point(9982, 26860),
    point(10012, 30645),
    point(10137, 34460),
    point(10145, 38760),
    point(10137, 43365),
    point(10168, 49749),
    point(10130, 57021),
    point(9775, 64675),
    point(9837, 75654),
    point(10000, 90527),
];

static CACHE_KILLER_LITTLE: [Point; 13] = [
    point(3474, 915),
    point(4491, 1256),
    point(5006, 1449),
    point(5563, 1637),
    point(5716, 2000),
    point(6028, 2382),
    point(6551, 2764),
    point(6577, 3196),
    point(6782, 3635),
    point(6836, 4095),
    point(7053, 4581),
    point(7225, 5285),
    point(7042, 6045),
];

/// What the Cortex-A15 cluster takes with its clock running and nothing to do (row `idle`, read as a cluster's).
pub static IDLE_BIG: [Microwatts; 19] = [
    idle(2971),
    idle(3667),
    idle(4396),
    idle(4994),
    idle(5539),
    idle(6249),
    idle(7079),
    idle(8205),
    idle(9594),
    idle(11036),
    idle(12385),
    idle(14336),
    idle(16119),
    idle(18216),
    idle(21046),
    idle(24092),
    idle(28220),
    idle(32598),
    idle(41297),
];

/// What the Cortex-A7 cluster takes with its clock running and nothing to do (row `idle`, read as a cluster's).
pub static IDLE_LITTLE: [Microwatts; 13] = [
    idle(924),
    idle(1166),
    idle(1474),
    idle(1700),
    idle(2140),
    idle(2703),
    idle(3313),
    idle(3964),
    idle(4767),
    idle(5618),
    idle(6539),
    idle(7920),
    idle(9332),
];
/// Speed in 1/10000 of a Cortex-A15 at 2.0 GHz, power in hundredths of a milliwatt.
const fn point(speed: u32, power: u32) -> Point {
    Point { speed: Rate::permyriad(speed), busy: Microwatts::new(power * 10) }
}

/// Hundredths of a milliwatt.
const fn idle(power: u32) -> Microwatts {
    Microwatts::new(power * 10)
}
