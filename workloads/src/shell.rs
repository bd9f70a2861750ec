//! What a person types at the console after the benchmarks: run others, choose another policy, look, end.

use abi::console;
use abi::types::{Goal, Policy};
use abi::{println, system};

use crate::init::{self, Programs};
use crate::machine::Machine;
use crate::order;
use crate::tally::TALLY;

const HELP: &str = "\
bench NAMES          run benchmarks, as bench= at boot: bench looper:n=8,work=200ms+pair
policy NAME [GOAL]   pinned, pull, gear, eas or walt; mean, makespan or energy
status               cores, policy, clocks, temperature, what the kernel counted
halt | reboot        end
help                 this";

/// What a line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command<'a> {
    Nothing,
    Help,
    Bench(&'a str),
    Policy(Policy, Option<Goal>),
    Status,
    Halt,
    Reboot,
}

impl<'a> Command<'a> {
    /// Reads a line; the error says what was expected.
    fn parse(line: &'a str) -> Result<Command<'a>, &'static str> {
        let mut words = line.split_ascii_whitespace();
        let command = match words.next() {
            None => Command::Nothing,
            Some("help") => Command::Help,
            Some("bench") => Command::Bench(words.next().ok_or("bench NAMES, such as bench looper:n=8,work=200ms")?),
            Some("policy") => {
                let policy = words.next().and_then(policy).ok_or("policy pinned, pull, gear, eas or walt")?;
                let goal = match words.next() {
                    Some(word) => Some(goal(word).ok_or("a goal: mean, makespan or energy")?),
                    None => None,
                };
                Command::Policy(policy, goal)
            }
            Some("status") => Command::Status,
            Some("halt") => Command::Halt,
            Some("reboot") => Command::Reboot,
            Some(_) => return Err("bench, policy, status, halt, reboot or help"),
        };
        match words.next() {
            Some(_) => Err("nothing behind that"),
            None => Ok(command),
        }
    }
}

fn policy(name: &str) -> Option<Policy> {
    (0..).map_while(Policy::from_number).find(|policy| policy.name() == name)
}

fn goal(name: &str) -> Option<Goal> {
    (0..).map_while(Goal::from_number).find(|goal| goal.name() == name)
}

/// Does what is typed until it is told to end.
pub fn run(programs: Programs) -> ! {
    println!("The console is yours: help says what there is.");
    let mut line = Line::EMPTY;
    loop {
        let text = line.read();
        match Command::parse(text) {
            Ok(command) => obey(command, programs),
            Err(expected) => println!("{text}: expected {expected}"),
        }
    }
}

fn obey(command: Command<'_>, programs: Programs) {
    match command {
        Command::Nothing => {}
        Command::Help => HELP.lines().for_each(|line| println!("{line}")),
        Command::Bench(text) => {
            order::give(text);
            init::run_ordered(programs);
        }
        Command::Policy(policy, goal) => {
            let (_, before) = Machine::read().rule();
            match system::set_policy(policy, goal.unwrap_or(before)) {
                Ok(()) => order::choose_policy(),
                Err(error) => println!("policy {}: {error:?}", policy.name()),
            }
        }
        Command::Status => status(&Machine::read()),
        Command::Halt => system::shutdown(u32::from(TALLY.failed() > 0)),
        Command::Reboot => system::reboot(),
    }
}

fn status(machine: &Machine) {
    let (policy, goal) = machine.rule();
    let (policy, goal, cpus) = (policy.name(), goal.name(), machine.cpus());
    println!(
        "STATUS cpus={cpus} policy={policy} goal={goal} governor={} plant={}",
        machine.governor(),
        machine.plant()
    );
    if let Ok(climate) = system::climate() {
        let ([big, little], heat) = (climate.clock_khz, climate.temperature_mc);
        println!("CLIMATE big_khz={big} little_khz={little} temperature_mc={heat} parked={:#x}", climate.parked);
    }
    if let Ok(counters) = system::counters() {
        let (tasks, faults, refused) = (counters.tasks, counters.faults, counters.refused);
        println!("COUNTERS tasks={tasks} faults={faults} refused={refused} migrations={}", counters.migrations);
    }
}

/// A line while it is typed.
struct Line {
    text: [u8; Line::LONGEST],
    length: usize,
    /// Bytes that came with the last read and belong to the next lines.
    ahead: [u8; 16],
    from: usize,
    to: usize,
}

impl Line {
    /// What fits into a terminal's row.
    const LONGEST: usize = 120;
    const EMPTY: Line = Line { text: [0; Line::LONGEST], length: 0, ahead: [0; 16], from: 0, to: 0 };

    /// Prompts, and waits for a whole line.
    fn read(&mut self) -> &str {
        self.length = 0;
        show("gearshift> ");
        while !self.take_byte() {}
        core::str::from_utf8(&self.text[..self.length]).unwrap_or("")
    }

    /// Takes one byte; true when it ends the line. Only printable ASCII is taken, and echoed.
    fn take_byte(&mut self) -> bool {
        match self.next() {
            b'\r' | b'\n' => {
                show("\n");
                return true;
            }
            0x08 | 0x7f if self.length > 0 => {
                self.length -= 1;
                show("\x08 \x08");
            }
            byte @ b' '..=b'~' if self.length < Line::LONGEST => {
                self.text[self.length] = byte;
                self.length += 1;
                show(core::str::from_utf8(&[byte]).unwrap_or(""));
            }
            _ => {}
        }
        false
    }

    fn next(&mut self) -> u8 {
        while self.from == self.to {
            // A console that cannot be read now may be readable later; there is nobody to tell.
            self.to = console::read(&mut self.ahead).unwrap_or(0);
            self.from = 0;
        }
        self.from += 1;
        self.ahead[self.from - 1]
    }
}

/// An echo that is lost is no reason to stop.
fn show(text: &str) {
    let _ = console::write(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood() {
        assert_eq!(Command::parse("  "), Ok(Command::Nothing));
        assert_eq!(Command::parse("bench looper:n=8+pair"), Ok(Command::Bench("looper:n=8+pair")));
        assert_eq!(Command::parse(" policy  pull "), Ok(Command::Policy(Policy::Pull, None)));
        assert_eq!(Command::parse("policy gear makespan"), Ok(Command::Policy(Policy::Gear, Some(Goal::Makespan))));
        assert_eq!(Command::parse("halt"), Ok(Command::Halt));
    }

    #[test]
    fn what_is_not_understood_says_what_was_expected() {
        for (line, expected) in [
            ("fly", "bench, policy"),
            ("bench", "NAMES"),
            ("policy fast", "pinned"),
            ("policy gear speed", "makespan"),
            ("halt now", "nothing"),
        ] {
            assert!(Command::parse(line).expect_err(line).contains(expected), "{line}");
        }
    }
}
