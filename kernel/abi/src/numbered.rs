//! Enumerations that cross the system-call border as numbers.

/// Declares an enumeration by its numbers, with the way back from one. Where variants have words, it has `name` as
/// well.
macro_rules! numbered {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $variant:ident = $number:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name {
            $($(#[$note])* $variant = $number,)+
        }

        impl $name {
            /// The one with this number.
            pub const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $variant:ident = $number:literal: $word:literal,)+ }) => {
        $crate::numbered::numbered! {
            $(#[$about])*
            $name { $($(#[$note])* $variant = $number,)+ }
        }

        impl $name {
            /// The word that stands in boot arguments and reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}
pub(crate) use numbered;
