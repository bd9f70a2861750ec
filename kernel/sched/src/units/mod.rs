//! Quantities that carry their unit in the type.

mod electricity;
mod temperature;
mod time;
mod work;

pub use electricity::{Kilohertz, Microvolts, Microwatts, Picojoules};
pub use temperature::MilliCelsius;
pub use time::Nanos;
pub use work::{Capacity, Rate};
