//! Box-for-box equality with OpenCV 4.14, where the faces and its answers are at hand (they may not be published).

use rebelboost::context::Context;
use rebelboost_vision::source::ImageFile;
use rebelboost_vision::{Cascade, DetectOptions, Gray, Rect};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

type Expected = BTreeMap<(String, String), BTreeMap<u32, Vec<Rect>>>;

fn faces() -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/faces"));
    if !path.is_dir() {
        eprintln!("skipped: the face data are not here ({})", path.display());
        return None;
    }
    Some(path)
}

fn expected(folder: &std::path::Path) -> Expected {
    let mut text = String::new();
    let file = std::fs::File::open(folder.join("opencv414_expected_boxes.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut out = Expected::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let key = (cells[0].to_string(), cells[1].to_string());
        let boxes = out.entry(key).or_default().entry(cells[3].parse().unwrap()).or_default();
        if !cells[4].is_empty() {
            let [x, y, w, h] = [4, 5, 6, 7].map(|i| cells[i].parse().unwrap());
            boxes.push(Rect::new(x, y, w, h));
        }
    }
    out
}

fn cascade(folder: &std::path::Path, name: &str) -> Cascade {
    let file = std::fs::File::open(folder.join("opencv_cascades.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut xml = String::new();
    archive.by_name(&format!("{name}.xml")).unwrap().read_to_string(&mut xml).unwrap();
    Cascade::from_xml(&xml).unwrap()
}

fn images(folder: &std::path::Path) -> BTreeMap<String, Gray> {
    let files = ImageFile::list(&folder.join("cmu_mit_frontal_test.zip")).unwrap();
    files.into_iter().map(|file| (file.name.clone(), file.read().unwrap())).collect()
}

/// Compares what a share of the images gives and returns the number of boxes compared.
fn compare(every: usize) -> Option<usize> {
    let folder = faces()?;
    let (expected, images) = (expected(&folder), images(&folder));
    let contexts = [1, 2].map(|threads| Context::new(0, threads).unwrap());
    let (mut compared, mut wrong) = (0, Vec::new());
    let mut known: Option<(String, Cascade)> = None;
    for (number, ((name, image), answers)) in expected.iter().enumerate() {
        if number % every != 0 {
            continue;
        }
        if known.as_ref().is_none_or(|(known, _)| known != name) {
            known = Some((name.clone(), cascade(&folder, name)));
        }
        let cascade = &known.as_ref().unwrap().1;
        for (&min_neighbors, boxes) in answers {
            let options = DetectOptions { min_neighbors, ..DetectOptions::default() };
            let mut boxes = boxes.clone();
            boxes.sort();
            let [one, two] = [0, 1].map(|i| cascade.detect(&images[image], &options, &contexts[i]).unwrap());
            assert_eq!(one, two, "threads change the answer");
            let ours: Vec<Rect> = one.iter().map(|detection| detection.rect).collect();
            compared += boxes.len();
            if ours != boxes {
                wrong.push(format!("{name} on {image} ({min_neighbors}): {} boxes, not {}", ours.len(), boxes.len()));
            }
        }
    }
    assert!(compared > 0);
    assert!(wrong.is_empty(), "{} mismatches:\n{}", wrong.len(), wrong.join("\n"));
    Some(compared)
}

#[test]
fn boxes_are_those_of_opencv_on_some_images() {
    if let Some(compared) = compare(11) {
        println!("{compared} boxes are equal");
    }
}

#[test]
#[ignore = "all 168 pairs of cascade and image; run with --ignored"]
fn boxes_are_those_of_opencv_on_all_images() {
    if let Some(compared) = compare(1) {
        println!("{compared} boxes are equal");
    }
}

#[test]
fn every_cascade_of_opencv_is_read_and_comes_back_from_both_files() {
    let Some(folder) = faces() else { return };
    let file = std::fs::File::open(folder.join("opencv_cascades.zip")).unwrap();
    let names: Vec<String> =
        zip::ZipArchive::new(file).unwrap().file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names.len(), 22);
    for name in names {
        let read = cascade(&folder, name.trim_end_matches(".xml"));
        assert_eq!(Cascade::from_bytes(&read.to_bytes()).unwrap(), read, "{name}");
        assert_eq!(Cascade::from_xml(&read.to_xml().unwrap()).unwrap(), read, "{name}");
    }
}
