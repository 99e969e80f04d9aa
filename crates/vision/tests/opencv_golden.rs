//! Boxes on synthetic images as OpenCV 4.14 finds them (golden/make.py): stumps, trees, tilted features, LBP, size limits.

use rebelboost::context::Context;
use rebelboost_vision::{Cascade, DetectOptions, Gray, Rect, Size};

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn boxes_are_those_of_opencv() {
    let text = String::from_utf8(golden("boxes.csv")).unwrap();
    let contexts = [1, 2, 7].map(|threads| Context::new(0, threads).unwrap());
    let mut compared = 0;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let cascade = Cascade::from_bytes(&golden(&format!("{}.xml", cells[0]))).unwrap();
        let image = Gray::decode(&golden(&format!("{}.png", cells[1]))).unwrap();
        let size = |cell: &str| cell.parse().ok().filter(|side| *side > 0).map(|side| Size::new(side, side));
        let options = DetectOptions {
            scale_factor: cells[2].parse().unwrap(),
            min_neighbors: cells[3].parse().unwrap(),
            min_size: size(cells[4]),
            max_size: size(cells[5]),
        };
        let expected: Vec<Rect> = (cells[6].split(';').filter(|text| !text.is_empty()))
            .map(|text| {
                let sides: Vec<i32> = text.split(' ').map(|side| side.parse().unwrap()).collect();
                Rect::new(sides[0], sides[1], sides[2], sides[3])
            })
            .collect();
        compared += expected.len();
        for context in &contexts {
            let found = cascade.detect(&image, &options, context).unwrap();
            assert!(found.iter().all(|d| (0.0..=1.0).contains(&d.score)), "{line}");
            let found: Vec<Rect> = found.iter().map(|d| d.rect).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
    assert!(compared > 500);
}

#[test]
fn our_files_hold_the_same_cascade() {
    for name in ["stumps", "trees", "tilted", "lbp"] {
        let cascade = Cascade::from_bytes(&golden(&format!("{name}.xml"))).unwrap();
        assert_eq!(Cascade::from_bytes(&cascade.to_bytes()).unwrap(), cascade);
        assert_eq!(Cascade::from_xml(&cascade.to_xml().unwrap()).unwrap(), cascade);
    }
}
