//! A picture of a table.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::Table;

const SIZE: (u32, u32) = (1_000, 360);
/// A course needs so many points.
const LEAST_POINTS: usize = 3;

/// A curve for each column over a first column of numbers, or bars of a second column that is a time by its name;
/// nothing for other tables.
pub fn of(table: &Table) -> Result<Option<String>> {
    let names: Option<Vec<f64>> = table.rows.iter().map(|row| number(&row[0])).collect();
    match names {
        Some(places) if places.len() >= LEAST_POINTS => curves(table, &places).map(Some),
        _ if is_time(table) && table.rows.len() > 1 => bars(table).map(Some),
        _ => Ok(None),
    }
}

fn is_time(table: &Table) -> bool {
    table.head.get(1).is_some_and(|name| name.ends_with("_ms") || name.ends_with("_us"))
}

/// The number that a cell begins with, such as that of "498 (0.00)".
fn number(cell: &str) -> Option<f64> {
    cell.split(' ').next()?.parse().ok()
}

fn column(table: &Table, index: usize) -> Option<Vec<f64>> {
    table.rows.iter().map(|row| number(row.get(index)?)).collect()
}

fn curves(table: &Table, places: &[f64]) -> Result<String> {
    let columns: Vec<_> = (1..table.head.len()).filter_map(|index| Some((index, column(table, index)?))).collect();
    let most = columns.iter().flat_map(|(_, values)| values).copied().fold(f64::MIN_POSITIVE, f64::max);
    let (first, last) = (places[0], places[places.len() - 1]);
    drawn(|area| {
        let mut chart = ChartBuilder::on(&area)
            .caption(&table.section, ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(60)
            .build_cartesian_2d(first..last, 0.0..most * 1.05)?;
        chart.configure_mesh().x_desc(&table.head[0]).light_line_style(TRANSPARENT).draw()?;
        for (index, values) in &columns {
            let colour = colour(*index);
            let points = places.iter().copied().zip(values.iter().copied());
            let series = chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
            series
                .label(table.head[*index].as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        }
        chart.configure_series_labels().background_style(WHITE.mix(0.8)).draw()?;
        Ok(())
    })
}

fn bars(table: &Table) -> Result<String> {
    let values = column(table, 1).unwrap_or_default();
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let rows = values.len();
    drawn(|area| {
        let mut chart = ChartBuilder::on(&area)
            .caption(format!("{}: {}", table.section, table.head[1]), ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(140)
            .build_cartesian_2d(0.0..most * 1.05, 0.0..rows as f64)?;
        let name = |place: &f64| match place.fract() {
            0.0 => String::new(),
            _ => table.rows.iter().rev().nth(*place as usize).map_or_else(String::new, |row| row[0].clone()),
        };
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh().x_desc(&table.head[1]).y_labels(2 * rows + 1).y_label_formatter(&name).draw()?;
        // The first row on top.
        chart.draw_series(values.iter().rev().enumerate().map(|(row, value)| {
            Rectangle::new([(0.0, row as f64 + 0.15), (*value, row as f64 + 0.85)], colour(row).filled())
        }))?;
        Ok(())
    })
}

/// Colours that differ between neighbours: steps of the golden angle round the circle of hues.
fn colour(index: usize) -> HSLColor {
    HSLColor((index as f64 * 0.381_966).fract(), 0.6, 0.5)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn drawn(draw: impl FnOnce(Area<'_>) -> Drawn) -> Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let finished = area.fill(&WHITE).map_err(Into::into).and_then(|()| draw(area.clone()));
        finished.map_err(|error| anyhow!("drawing: {error}"))?;
        area.present().map_err(|error| anyhow!("drawing: {error}"))?;
    }
    Ok(svg)
}
