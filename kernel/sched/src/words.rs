//! Names of values, as boot arguments and records have them.

/// Gives an enum without fields its names: `parse` reads them and `Display` writes them.
macro_rules! words {
    ($type:ident { $($value:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// The value of that name, as in boot arguments.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($word => Some(Self::$value),)+
                    _ => None,
                }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter.pad(match self {
                    $(Self::$value => $word,)+
                })
            }
        }
    };
}

pub(crate) use words;
