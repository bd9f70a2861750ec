//! What of a serial line a person gets to see, and what is kept for tools.

/// Lines that begin so are events: hundreds at a time, for a tool and not for a person.
const EVENT: &[u8] = b"EVENT ";

/// No line of the kernel is longer; of a line that never ends, as noise makes them, no more is kept.
const LONGEST: usize = 512;

/// Takes a board's output as it comes, shows all but the events, and gathers those.
#[derive(Default)]
pub struct Screen {
    /// The line that has begun, as far as it may yet become an event.
    held: Vec<u8>,
    /// The line that has begun is shown, or is an event.
    line: Line,
    /// The events and the lines about CPUs, which name them.
    kept: String,
    events: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Line {
    #[default]
    Begins,
    Shown,
    Event,
}

impl Screen {
    /// Takes `bytes` and gives what is to be shown of them.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut shown = Vec::with_capacity(bytes.len());
        bytes.iter().for_each(|byte| self.take_byte(*byte, &mut shown));
        shown
    }

    fn take_byte(&mut self, byte: u8, shown: &mut Vec<u8>) {
        if self.held.len() < LONGEST {
            self.held.push(byte);
        }
        if self.line == Line::Begins && !EVENT.starts_with(&self.held) {
            self.line = if self.held.starts_with(EVENT) { Line::Event } else { Line::Shown };
            if self.line == Line::Shown {
                shown.extend_from_slice(&self.held);
            }
        } else if self.line == Line::Shown {
            shown.push(byte);
        }
        if byte == b'\n' {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        if self.line == Line::Event || self.held.starts_with(b"CPU ") {
            self.kept.push_str(&String::from_utf8_lossy(&self.held));
            self.events += usize::from(self.line == Line::Event);
        }
        self.held.clear();
        self.line = Line::Begins;
    }

    /// How many events were kept.
    pub fn events(&self) -> usize {
        self.events
    }

    /// The lines that make a trace.
    pub fn kept(&self) -> &str {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_kept_and_the_rest_is_shown_at_once() {
        let mut screen = Screen::default();
        assert_eq!(screen.take(b"gearshift> "), b"gearshift> ", "a prompt has no end of line");
        assert_eq!(screen.take(b"\r\nEV"), b"\r\n");
        assert_eq!(screen.take(b"EN\r\nEVE"), b"EVEN\r\n");
        assert_eq!(screen.take(b"NT cpu=0 t_us=1 event=idle\r\nCPU id=0 class=big\r\n"), b"CPU id=0 class=big\r\n");
        assert_eq!(screen.events(), 1);
        assert_eq!(screen.kept(), "EVENT cpu=0 t_us=1 event=idle\r\nCPU id=0 class=big\r\n");
    }
}
