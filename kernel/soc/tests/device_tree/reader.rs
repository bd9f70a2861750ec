//! What a flattened device tree says of CPUs: `cpus`, `capacity-dmips-mhz`, `dynamic-power-coefficient` and
//! `operating-points-v2` (Linux, Documentation/devicetree/bindings: cpu-capacity.txt, arm/cpus.yaml, opp/opp-v2.yaml).

use fdt::Fdt;
use fdt::node::FdtNode;
use sched::{Kilohertz, Microvolts, Microwatts, Opp, Point, Rate};

/// CPUs that share a table of operating points.
#[derive(Debug)]
pub struct Kind {
    pub dmips_per_mhz: u32,
    /// µW/MHz/V².
    pub coefficient: u32,
    /// Slowest first.
    pub opps: Vec<Opp>,
    table: u32,
}

impl Kind {
    /// Work per time at the highest operating point, in units that compare within one tree.
    pub fn top_speed(&self) -> u64 {
        self.opps.last().map_or(0, |opp| u64::from(self.dmips_per_mhz) * u64::from(opp.frequency.get()))
    }

    /// Speed and power at each operating point, where `top` is the top speed of the fastest kind.
    pub fn points(&self, top: u64) -> Vec<Point> {
        let full = u64::from(Rate::FULL.get());
        let own = self.top_speed() * full / top.max(1);
        let highest = self.opps.last().map_or(1, |opp| u64::from(opp.frequency.get()));
        let point = |opp: &Opp| {
            let (kilohertz, microvolts) = (u64::from(opp.frequency.get()), u64::from(opp.voltage.get()));
            let speed = (own * kilohertz + highest / 2) / highest;
            // The order of the divisions is that of drivers/opp/of.c: nothing is lost and nothing overflows.
            let power =
                u64::from(self.coefficient) * kilohertz / 1_000 * microvolts / 1_000_000 * microvolts / 1_000_000;
            Point { speed: Rate::new(speed as u32), busy: Microwatts::new(power as u32) }
        };
        self.opps.iter().map(point).collect()
    }
}

/// The CPUs of a device tree.
#[derive(Debug)]
pub struct Tree {
    /// MPIDR affinity and the position of its kind, in the order of the tree.
    cpus: Vec<(u32, usize)>,
    kinds: Vec<Kind>,
}

impl Tree {
    /// Reads the blob.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < 40 {
            return Err("shorter than a header".into());
        }
        let tree = Fdt::new(bytes).map_err(|error| format!("no device tree: {error}"))?;
        let cpus = tree.find_node("/cpus").ok_or("no node /cpus")?;
        let mut read = Self { cpus: Vec::new(), kinds: Vec::new() };
        for cpu in cpus.children().filter(|node| node.name.starts_with("cpu@")) {
            let affinity = number(&cpu, "reg")?;
            let table = number(&cpu, "operating-points-v2")?;
            let known = read.kinds.iter().position(|kind| kind.table == table);
            let kind = match known {
                Some(kind) => kind,
                None => {
                    read.kinds.push(kind(&tree, &cpu, table)?);
                    read.kinds.len() - 1
                }
            };
            read.cpus.push((affinity, kind));
        }
        if read.cpus.is_empty() { Err("no CPUs".into()) } else { Ok(read) }
    }

    /// MPIDR affinities in the order of the tree, which is the order of booting.
    pub fn affinities(&self) -> Vec<u32> {
        self.cpus.iter().map(|(affinity, _)| *affinity).collect()
    }

    /// The kind of the CPU with that affinity.
    pub fn kind_of(&self, affinity: u32) -> Option<&Kind> {
        let (_, kind) = self.cpus.iter().find(|(other, _)| *other == affinity)?;
        self.kinds.get(*kind)
    }
}

fn kind(tree: &Fdt, cpu: &FdtNode, table: u32) -> Result<Kind, String> {
    let node = tree.find_phandle(table).ok_or(format!("{}: operating points {table:#x} are missing", cpu.name))?;
    let mut opps = node.children().map(|opp| operating_point(&opp)).collect::<Result<Vec<_>, _>>()?;
    opps.sort_by_key(|opp| opp.frequency);
    Ok(Kind {
        dmips_per_mhz: number(cpu, "capacity-dmips-mhz")?,
        coefficient: number(cpu, "dynamic-power-coefficient")?,
        opps,
        table,
    })
}

fn operating_point(node: &FdtNode) -> Result<Opp, String> {
    let hertz =
        node.property("opp-hz").and_then(|property| property.as_usize()).ok_or(format!("{}: opp-hz", node.name))?;
    // Target, or target, least and most: the target comes first.
    let microvolts = number(node, "opp-microvolt")?;
    let kilohertz = u32::try_from(hertz / 1_000).map_err(|_| format!("{}: {hertz} Hz", node.name))?;
    Ok(Opp { frequency: Kilohertz::new(kilohertz), voltage: Microvolts::new(microvolts) })
}

/// The first cell of a property.
fn number(node: &FdtNode, name: &str) -> Result<u32, String> {
    let value = node.property(name).map(|property| property.value);
    let cell = value.and_then(|bytes| bytes.first_chunk::<4>());
    cell.map(|cell| u32::from_be_bytes(*cell)).ok_or(format!("{}: {name} is missing", node.name))
}
