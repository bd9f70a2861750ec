//! Pictures of a run as SVG: who ran where, the clocks, temperature, power.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use sched::CoreType;

use super::trace::{megahertz, slices};
use crate::outcome::Outcome;
use crate::scenario::Scenario;

const WIDTH: u32 = 1_100;
/// More slices than this cannot be told apart in a picture; the first ones are shown.
const MOST_SLICES: usize = 6_000;

/// A curve: its name and its points, in seconds and any unit.
type Curve = (String, Vec<(f64, f64)>);

/// All pictures that the record allows, by kind.
pub fn all(scenario: &Scenario, name: &str, outcome: &Outcome) -> Result<Vec<(&'static str, String)>> {
    let mut pictures = vec![("timeline", timeline(scenario, name, outcome)?)];
    let end = outcome.end.as_nanos() as f64 / 1e9;
    let clocks = CoreType::BOTH.map(|core| clock(scenario, outcome, core, end));
    pictures.push(("frequency", curves(&format!("{name}: clock of each cluster, MHz"), end, &clocks)?));
    if !outcome.record.temperatures.is_empty() {
        pictures.push(("temperature", curves(&format!("{name}: temperature, C"), end, &temperatures(outcome))?));
    }
    if !outcome.record.power.is_empty() {
        pictures.push(("power", curves(&format!("{name}: power of each cluster, W"), end, &power(outcome))?));
    }
    Ok(pictures)
}

fn timeline(scenario: &Scenario, name: &str, outcome: &Outcome) -> Result<String> {
    let slices = slices(&outcome.record.events, outcome.end.as_nanos());
    let shown = &slices[..slices.len().min(MOST_SLICES)];
    let first = shown.first().map_or(0, |slice| slice.from) as f64 / 1e9;
    let last = shown.last().map_or(1, |slice| slice.to) as f64 / 1e9;
    let cpus = scenario.plant.machine.cpus.len();
    drawn(320, |area| {
        let mut chart = ChartBuilder::on(&area)
            .caption(format!("{name}: who runs where (colour: task)"), ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(60)
            .build_cartesian_2d(first..last, 0.0..cpus as f64)?;
        let label = |row: &f64| {
            let cpu = (*row as usize).min(cpus - 1);
            format!("{} {cpu}", scenario.plant.machine.cpus[cpu].kind.core)
        };
        let mut mesh = chart.configure_mesh();
        mesh.disable_mesh().x_desc("s").y_labels(cpus).y_label_formatter(&label).draw()?;
        chart.draw_series(shown.iter().map(|slice| {
            let (from, to) = (slice.from as f64 / 1e9, slice.to as f64 / 1e9);
            let row = slice.cpu as f64;
            Rectangle::new([(from, row + 0.1), (to, row + 0.9)], colour(slice.task).filled())
        }))?;
        Ok(())
    })
}

/// Colours that differ between neighbours: steps of the golden angle round the circle of hues.
fn colour(task: u32) -> HSLColor {
    HSLColor((f64::from(task) * 0.381_966).fract(), 0.6, 0.5)
}

fn clock(scenario: &Scenario, outcome: &Outcome, core: CoreType, end: f64) -> Curve {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for &(time, _, level) in outcome.record.levels.iter().filter(|(_, of, _)| *of == core) {
        let time = time as f64 / 1e9;
        points.extend(points.last().map(|&(_, before)| (time, before)));
        points.push((time, f64::from(megahertz(scenario, core, level))));
    }
    points.extend(points.last().map(|&(_, level)| (end, level)));
    (core.to_string(), points)
}

fn temperatures(outcome: &Outcome) -> Vec<Curve> {
    let nodes = outcome.record.temperatures.first().map_or(0, |(_, values)| values.len());
    let curve = |node: usize| {
        let points = outcome.record.temperatures.iter().map(|(time, values)| (*time as f64 / 1e9, values[node]));
        (format!("node {node}"), points.collect())
    };
    (0..nodes).map(curve).collect()
}

fn power(outcome: &Outcome) -> Vec<Curve> {
    let curve = |core: CoreType| {
        let points = outcome.record.power.iter().map(|(time, watts)| (*time as f64 / 1e9, watts[core.index()]));
        (core.to_string(), points.collect())
    };
    CoreType::BOTH.map(curve).to_vec()
}

fn curves(caption: &str, end: f64, curves: &[Curve]) -> Result<String> {
    let values = || curves.iter().flat_map(|(_, points)| points.iter().map(|&(_, value)| value));
    let (least, most) = (values().fold(f64::MAX, f64::min).min(0.0), values().fold(0.0, f64::max));
    let least = if values().all(|value| value > 20.0) && most < 200.0 { 20.0 } else { least };
    drawn(260, |area| {
        let mut chart = ChartBuilder::on(&area)
            .caption(caption, ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..end, least..most.max(least + 1e-3) * 1.05)?;
        chart.configure_mesh().x_desc("s").light_line_style(TRANSPARENT).draw()?;
        for ((name, points), number) in curves.iter().zip(0..) {
            let colour = colour(number * 3 + 1);
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(1)))?
                .label(name.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        }
        chart.configure_series_labels().background_style(WHITE.mix(0.8)).draw()?;
        Ok(())
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn drawn(height: u32, draw: impl FnOnce(Area<'_>) -> Drawn) -> Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let finished = area.fill(&WHITE).map_err(Into::into).and_then(|()| draw(area.clone()));
        finished.map_err(|error| anyhow!("drawing: {error}"))?;
        area.present().map_err(|error| anyhow!("drawing: {error}"))?;
    }
    Ok(svg)
}
