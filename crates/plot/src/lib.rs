//! A tiny SVG writer: panels with axes, points, lines, regions and a legend. Points and regions of one colour are one
//! path each, so that a figure of a thousand points stays small enough to be committed.

use std::fmt::Write;

/// Colours of classes and series, in the order of the documents' own figures: red, green, blue, then more.
pub const COLOURS: [&str; 7] = ["#cf3c44", "#2f9259", "#3a68b4", "#d98a1f", "#7f5aa8", "#4aa3a8", "#8a6a52"];
const INK: &str = "#333840";
const FAINT: &str = "#c9cdd3";

/// A drawing under way.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, PartialEq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A rectangle of the drawing with its own coordinates.
#[derive(Clone, Copy)]
pub struct Panel {
    /// Left, top, width, height in the drawing.
    pub place: [f64; 4],
    /// Smallest and largest x.
    pub x: (f64, f64),
    /// Smallest and largest y.
    pub y: (f64, f64),
}

impl Svg {
    /// An empty drawing of this size.
    pub fn new(width: f64, height: f64) -> Self {
        Svg { width, height, body: String::new() }
    }

    /// Text in one line; `size` in pixels.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// Text that reads upwards, centred.
    fn upright(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let text = escape(text);
        self.add(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" font-size=\"{size}\" \
             text-anchor=\"middle\">{text}</text>"
        ));
    }

    /// Dots and names in a row, from this place to the right.
    pub fn legend(&mut self, mut x: f64, y: f64, entries: &[(&str, &str)]) {
        for (name, colour) in entries {
            self.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"{colour}\"/>", y - 4.0));
            self.text(x + 10.0, y, 13.0, Anchor::Start, name);
            x += 34.0 + 7.2 * name.chars().count() as f64;
        }
    }

    /// The finished file.
    pub fn finish(self) -> String {
        let Svg { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"{INK}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fdfdfc\"/>\n{body}</svg>\n"
        )
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{element}").expect("writing to a string does not fail");
    }
}

impl Panel {
    /// A point in the drawing.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, top, width, height] = self.place;
        let share = |v: f64, (low, high): (f64, f64)| (v - low) / (high - low);
        (left + width * share(x, self.x), top + height * (1.0 - share(y, self.y)))
    }

    /// Title above the panel.
    pub fn title(&self, svg: &mut Svg, title: &str) {
        let [left, top, width, _] = self.place;
        svg.text(left + width / 2.0, top - 9.0, 14.0, Anchor::Middle, title);
    }

    /// A frame without numbers, for maps.
    pub fn frame(&self, svg: &mut Svg) {
        let [left, top, width, height] = self.place;
        svg.add(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             stroke=\"{INK}\"/>"
        ));
    }

    /// Frame, ticks, numbers and axis titles.
    pub fn axes(&self, svg: &mut Svg, x_title: &str, y_title: &str) {
        let [left, top, width, height] = self.place;
        for tick in ticks(self.x) {
            let (x, _) = self.at((tick, 0.0));
            let (low, high) = (top + height, top);
            svg.add(format_args!("<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{FAINT}\" stroke-width=\".6\"/>"));
            svg.text(x, low + 16.0, 12.0, Anchor::Middle, &number(tick));
        }
        for tick in ticks(self.y) {
            let (_, y) = self.at((0.0, tick));
            let right = left + width;
            svg.add(format_args!(
                "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"{FAINT}\" stroke-width=\".6\"/>"
            ));
            svg.text(left - 6.0, y + 4.0, 12.0, Anchor::End, &number(tick));
        }
        self.frame(svg);
        svg.text(left + width / 2.0, top + height + 34.0, 13.0, Anchor::Middle, x_title);
        svg.upright(left - 40.0, top + height / 2.0, 13.0, y_title);
    }

    /// Round dots of one colour.
    pub fn points(&self, svg: &mut Svg, points: impl IntoIterator<Item = (f64, f64)>, colour: &str, size: f64) {
        let mut path = String::new();
        for point in points {
            let (x, y) = self.at(point);
            write!(path, "M{x:.1} {y:.1}h0").expect("writing to a string does not fail");
        }
        if !path.is_empty() {
            svg.add(format_args!(
                "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{size}\" stroke-linecap=\"round\" fill=\"none\"/>"
            ));
        }
    }

    /// Crosses of one colour, for mistakes.
    pub fn crosses(&self, svg: &mut Svg, points: impl IntoIterator<Item = (f64, f64)>, colour: &str) {
        let mut path = String::new();
        for point in points {
            let (x, y) = self.at(point);
            write!(path, "M{:.1} {:.1}l7 7m0 -7l-7 7", x - 3.5, y - 3.5).expect("writing to a string does not fail");
        }
        if !path.is_empty() {
            svg.add(format_args!("<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"1.8\" fill=\"none\"/>"));
        }
    }

    /// A line through the points.
    pub fn line(&self, svg: &mut Svg, points: &[(f64, f64)], colour: &str, width: f64, dashes: &str) {
        let mut path = String::new();
        for &point in points {
            let (x, y) = self.at(point);
            let pen = if path.is_empty() { 'M' } else { 'L' };
            write!(path, "{pen}{x:.1} {y:.1}").expect("writing to a string does not fail");
        }
        svg.add(format_args!(
            "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\" \
             stroke-linejoin=\"round\" fill=\"none\"/>"
        ));
    }

    /// A light band between a lower and an upper line over the same xs.
    pub fn band(&self, svg: &mut Svg, lower: &[(f64, f64)], upper: &[(f64, f64)], colour: &str) {
        let mut path = String::new();
        for &point in lower.iter().chain(upper.iter().rev()) {
            let (x, y) = self.at(point);
            let pen = if path.is_empty() { 'M' } else { 'L' };
            write!(path, "{pen}{x:.1} {y:.1}").expect("writing to a string does not fail");
        }
        svg.add(format_args!("<path d=\"{path}z\" fill=\"{colour}\" fill-opacity=\".18\"/>"));
    }

    /// A text beside a point of the panel.
    pub fn label(&self, svg: &mut Svg, point: (f64, f64), text: &str) {
        let (x, y) = self.at(point);
        svg.text(x - 8.0, y - 7.0, 16.0, Anchor::End, text);
    }

    /// A grid of classes as light areas, from the lowest row up; each run of one class is one rectangle.
    pub fn regions(&self, svg: &mut Svg, columns: usize, classes: &[u32]) {
        let [left, top, width, height] = self.place;
        let rows = classes.len() / columns;
        let mut paths = vec![String::new(); COLOURS.len()];
        for (row, line) in classes.chunks_exact(columns).enumerate() {
            let mut start = 0;
            for run in line.chunk_by(|a, b| a == b) {
                let path = &mut paths[run[0] as usize % COLOURS.len()];
                let (top, long) = (rows - 1 - row, run.len());
                write!(path, "M{start} {top}h{long}v1h-{long}z").expect("writing to a string does not fail");
                start += long;
            }
        }
        let scale = (width / columns as f64, height / rows as f64);
        for (path, colour) in paths.iter().zip(COLOURS).filter(|(path, _)| !path.is_empty()) {
            svg.add(format_args!(
                "<path transform=\"translate({left:.1} {top:.1}) scale({:.4} {:.4})\" d=\"{path}\" fill=\"{colour}\" \
                 fill-opacity=\".22\" shape-rendering=\"crispEdges\"/>",
                scale.0, scale.1
            ));
        }
    }
}

/// Three to seven round numbers within the range.
pub fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(power);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// The shortest text of a tick: 0.30000000000000004 is 0.3.
pub fn number(value: f64) -> String {
    ((value * 1e9).round() / 1e9).to_string()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((0.0, 1.0)).iter().map(|t| number(*t)).collect::<Vec<_>>().join(" "), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(ticks((-3.0, 7.2)), [-2.0, 0.0, 2.0, 4.0, 6.0]);
    }

    #[test]
    fn a_run_of_one_class_is_one_rectangle() {
        let mut svg = Svg::new(10.0, 10.0);
        let panel = Panel { place: [0.0, 0.0, 10.0, 10.0], x: (0.0, 1.0), y: (0.0, 1.0) };
        panel.regions(&mut svg, 4, &[0, 0, 0, 1, 1, 1, 1, 1]);
        let text = svg.finish();
        assert!(text.contains("M0 1h3v1h-3z") && text.contains("M3 1h1v1h-1zM0 0h4v1h-4z"), "{text}");
    }
}
