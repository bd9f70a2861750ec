//! Every address, interrupt and frequency of the Exynos5422 against the device tree of the board.

use fdt::Fdt;
use fdt::node::FdtNode;
use soc::exynos5422::{self as chip, blocks, clocks};

/// What the tree says about its blocks.
struct Tree<'a>(Fdt<'a>);

impl<'a> Tree<'a> {
    /// The node at this path.
    fn node(&self, path: &str) -> FdtNode<'_, 'a> {
        self.0.find_node(path).unwrap_or_else(|| panic!("the tree has {path}"))
    }

    /// The node of this name whose registers begin at `base`, wherever in the tree.
    fn at(&self, name: &str, base: usize) -> FdtNode<'_, 'a> {
        let wanted = format!("{name}@{base:x}");
        self.0.all_nodes().find(|node| node.name == wanted).unwrap_or_else(|| panic!("the tree has {wanted}"))
    }
}

fn cells(node: FdtNode<'_, '_>, property: &str) -> Vec<u32> {
    let value = node.property(property).unwrap_or_else(|| panic!("{} has {property}", node.name)).value;
    value.chunks_exact(4).map(|cell| u32::from_be_bytes(cell.try_into().expect("four bytes"))).collect()
}

/// The GIC's number of the first interrupt of a node.
fn interrupt(node: FdtNode<'_, '_>) -> u32 {
    let cells = cells(node, "interrupts");
    assert_eq!(cells[0], 0, "{} has a shared interrupt", node.name);
    32 + cells[1]
}

fn with_tree(check: impl Fn(&Tree<'_>)) {
    match super::fetch::device_tree("exynos5422-odroidxu4.dtb") {
        Ok(bytes) => check(&Tree(Fdt::new(&bytes).expect("Debian's tree is sound"))),
        Err(reason) => println!("SKIPPED: no device tree of the Odroid XU4 to compare with: {reason}"),
    }
}

#[test]
fn it_is_the_trees_board() {
    with_tree(|tree| {
        let root = tree.node("/");
        let compatible = root.property("compatible").expect("every tree says what it is for").value;
        assert!(String::from_utf8_lossy(compatible).contains("hardkernel,odroid-xu4"));
    });
}

#[test]
fn every_block_is_where_the_tree_says() {
    with_tree(|tree| {
        let blocks = [
            ("chipid", blocks::CHIP_ID_BASE),
            ("clock-controller", blocks::CLOCK_MANAGEMENT_BASE),
            ("system-controller", blocks::POWER_MANAGEMENT_BASE),
            ("timer", blocks::MULTI_CORE_TIMER_BASE),
            ("watchdog", blocks::WATCHDOG_BASE),
            ("interrupt-controller", blocks::COMBINER_BASE),
            ("interrupt-controller", chip::GIC_DISTRIBUTOR_BASE),
            ("cci", blocks::INTERCONNECT_BASE),
            ("i2c", blocks::PMIC_I2C_BASE),
            ("pwm", blocks::PWM_BASE),
            ("firmware", blocks::MAILBOX_BASE),
        ];
        let lists = [
            ("tmu", &blocks::THERMAL_BASES[..]),
            ("serial", &blocks::UART_BASES[..]),
            ("pinctrl", &blocks::PIN_CONTROL_BASES[..]),
        ];
        let lists = lists.iter().flat_map(|(name, bases)| bases.iter().map(|base| (*name, *base)));
        for (name, base) in blocks.into_iter().chain(lists) {
            let node = tree.at(name, base);
            assert_eq!(*cells(node, "reg").first().expect("a block has registers") as usize % 0x100, base % 0x100);
        }
        let gic = cells(tree.at("interrupt-controller", chip::GIC_DISTRIBUTOR_BASE), "reg");
        assert_eq!(gic[2] as usize, chip::GIC_CPU_INTERFACE_BASE);
    });
}

#[test]
fn every_interrupt_is_the_trees() {
    with_tree(|tree| {
        let pair = |name, bases: &[usize], interrupts: &[u32]| {
            for (base, expected) in bases.iter().zip(interrupts) {
                assert_eq!(interrupt(tree.at(name, *base)), *expected, "{name} at {base:#x}");
            }
        };
        pair("tmu", &blocks::THERMAL_BASES, &blocks::THERMAL_INTERRUPTS);
        pair("serial", &blocks::UART_BASES, &blocks::UART_INTERRUPTS);
        pair("watchdog", &[blocks::WATCHDOG_BASE], &[blocks::WATCHDOG_INTERRUPT]);
        pair("i2c", &[blocks::PMIC_I2C_BASE], &[blocks::PMIC_I2C_INTERRUPT]);
        pair("serial", &[chip::UART_BASE], &[chip::UART_INTERRUPT]);
    });
}

#[test]
fn the_console_is_the_trees_stdout() {
    with_tree(|tree| {
        let chosen = tree.node("/chosen");
        let path = chosen.property("stdout-path").and_then(|property| property.as_str()).expect("the tree has one");
        assert_eq!(path, "serial2:115200n8");
        let alias = tree.node("/aliases").property("serial2").and_then(|property| property.as_str());
        assert!(alias.expect("the alias is there").ends_with(&format!("serial@{:x}", chip::UART_BASE)));
        assert_eq!(chip::UART_BASE, blocks::UART_BASES[2]);
    });
}

#[test]
fn each_cluster_has_the_port_of_its_cores() {
    with_tree(|tree| {
        for (cpu, port) in [("cpu@0", blocks::INTERCONNECT_PORT_A15), ("cpu@100", blocks::INTERCONNECT_PORT_A7)] {
            let handle = cells(tree.node(&format!("/cpus/{cpu}")), "cci-control-port")[0];
            let interface = tree.0.all_nodes().find(|node| {
                node.property("phandle").is_some_and(|property| property.as_usize() == Some(handle as usize))
            });
            let interface = interface.expect("the handle is somebody's");
            assert_eq!(cells(interface, "reg")[0] as usize, (port + 1) * 0x1000, "the port of {cpu}");
        }
    });
}

#[test]
fn cores_and_memory_are_the_trees() {
    with_tree(|tree| {
        for (index, cpu) in chip::MACHINE.cpus.iter().enumerate() {
            let node = tree.node(&format!("/cpus/cpu@{:x}", cpu.mpidr));
            assert_eq!(cells(node, "reg"), [cpu.mpidr]);
            assert_eq!(cells(node, "capacity-dmips-mhz"), [cpu.kind.dmips_per_mhz], "CPU {index}");
        }
        let memory = cells(tree.at("memory", chip::RAM_BASE), "reg");
        assert_eq!(memory, [chip::RAM_BASE as u32, chip::RAM_SIZE as u32]);
    });
}

#[test]
fn the_counter_has_the_trees_frequency() {
    with_tree(|tree| {
        let timer = tree.0.find_compatible(&["arm,armv7-timer"]).expect("the tree has the generic timer");
        assert_eq!(cells(timer, "clock-frequency"), [chip::TIMER_HZ]);
    });
}

#[test]
fn power_is_cut_and_the_chip_reset_as_the_tree_says() {
    with_tree(|tree| {
        let pmic = tree.0.all_nodes().find(|node| node.name == format!("pmic@{:x}", blocks::PMIC_ADDRESS));
        assert!(pmic.is_some(), "the S2MPS11 has this address");
        // The offsets and words that the power driver writes.
        for (compatible, offset, word) in [("syscon-poweroff", 0x330c, 0x5200), ("syscon-reboot", 0x400, 1)] {
            let node = tree.0.find_compatible(&[compatible]).unwrap_or_else(|| panic!("the tree has {compatible}"));
            assert_eq!((cells(node, "offset")[0], cells(node, "mask")[0]), (offset, word), "{compatible}");
        }
    });
}

/// Base and function of the pins that lead to the PMIC: banks are 0x20 apart, gpa2 is the third of its controller.
#[test]
fn the_pmics_pins_are_the_trees() {
    with_tree(|tree| {
        let controller = blocks::PIN_CONTROL_BASES[3];
        let pins = tree.node(&format!("/soc/pinctrl@{controller:x}/i2c4-hs-bus-pins"));
        let names = pins.property("samsung,pins").expect("pins have names").value;
        assert_eq!(names, b"gpa2-0\0gpa2-1\0");
        assert_eq!(blocks::PMIC_PINS_BASE, controller + 2 * 0x20);
        assert_eq!((cells(pins, "samsung,pin-function"), cells(pins, "samsung,pin-pud")), (vec![3], vec![3]));
    });
}

/// The kernel stays within what the tree allows the regulators, and keeps what it says of pairs of them.
#[test]
fn the_supplies_are_the_trees() {
    with_tree(|tree| {
        let rails = [clocks::RAIL_A15, clocks::RAIL_A7, clocks::RAIL_INTERCONNECT];
        for (rail, name) in rails.into_iter().zip(["vdd_arm", "vdd_kfc", "vdd_int"]) {
            let bus = format!("/soc/i2c@{:x}/pmic@{:x}", blocks::PMIC_I2C_BASE, blocks::PMIC_ADDRESS);
            let node = tree.node(&format!("{bus}/regulators/BUCK{}", rail.buck));
            assert_eq!(node.property("regulator-name").and_then(|name| name.as_str()), Some(name));
            assert!(cells(node, "regulator-min-microvolt")[0] <= rail.lowest.get(), "{name}");
            assert!(cells(node, "regulator-max-microvolt")[0] >= rail.highest.get(), "{name}");
            let spread = node.property("regulator-coupled-max-spread").and_then(|property| property.as_usize());
            assert_eq!(spread, (name != "vdd_kfc").then_some(clocks::SPREAD.get() as usize), "{name}");
        }
    });
}

/// A sensor's code at 25 °C is in its own registers, or in those that the tree names in second place.
#[test]
fn factory_codes_are_where_the_tree_says() {
    with_tree(|tree| {
        for (base, trim) in blocks::THERMAL_BASES.iter().zip(blocks::THERMAL_TRIM_IS_AT) {
            let areas = cells(tree.at("tmu", *base), "reg");
            let place = areas.get(2).unwrap_or(&areas[0]);
            assert_eq!(*place as usize, blocks::THERMAL_BASES[trim], "of the sensor at {base:#x}");
        }
    });
}
