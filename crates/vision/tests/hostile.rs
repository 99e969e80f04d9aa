//! Files that are damaged, hostile or merely strange: one clear sentence, never a panic, a hang or much memory.

use proptest::prelude::*;
use rebelboost::context::Context;
use rebelboost_vision::{Cascade, DetectOptions, Gray};

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn stumps() -> String {
    String::from_utf8(golden("stumps.xml")).unwrap()
}

fn complaint(xml: &str) -> String {
    Cascade::from_bytes(xml.as_bytes()).unwrap_err().to_string()
}

#[test]
fn entities_cannot_blow_up() {
    let mut bomb = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\">".to_string();
    for i in 1..12 {
        let before = if i == 1 { "lol".to_string() } else { format!("lol{}", i - 1) };
        bomb += &format!("<!ENTITY lol{i} \"{}\">", format!("&{before};").repeat(10));
    }
    bomb += "]><opencv_storage><cascade>&lol11;</cascade></opencv_storage>";
    assert!(complaint(&bomb).contains("cannot be read"), "{}", complaint(&bomb));
}

#[test]
fn impossible_cascades_are_refused_with_a_sentence() {
    let cases = [
        ("<height>20</height>", "<height>4000000000</height>", "window"),
        ("<height>20</height>", "<height>-5</height>", "not a number"),
        ("<width>20</width>", "", "width"),
        ("<width>20</width>", "<width>4</width>", "does not fit"),
        ("<featureType>HAAR</featureType>", "<featureType>HOG</featureType>", "HOG"),
        ("<featureType>HAAR</featureType>", "<featureType>LBP</featureType>", "rect"),
        (
            "<maxWeakCount>3</maxWeakCount><stageThreshold>",
            "<maxWeakCount>3</maxWeakCount><stageThreshold>.Nan ",
            "one number",
        ),
        ("<stages>", "<stages/><old>", "mismatched|unexpected|expected"),
        ("<internalNodes>0 -1 0 ", "<internalNodes>0 -1 0 NaN ", "4 a node"),
        ("<internalNodes>0 -1 0 ", "<internalNodes>0 -1 999999 ", "asks about feature"),
        ("<internalNodes>0 -1 0 ", "<internalNodes>0 1 0 ", "leads to 1"),
        ("<internalNodes>0 -1 0 ", "<internalNodes>0 -7 0 ", "leads to -7"),
    ];
    for (from, to, expected) in cases {
        let xml = stumps();
        assert!(xml.contains(from), "{from}");
        let text = complaint(&xml.replacen(from, to, 1));
        assert!(expected.split('|').any(|word| text.contains(word)), "{to}: {text}");
    }
    let (head, rest) = stumps().split_once("<stages>").map(|(a, b)| (a.to_string(), b.to_string())).unwrap();
    let none = format!("{head}<stages></stages>{}", rest.split_once("</stages>").unwrap().1);
    assert!(complaint(&none).contains("no stages"));
    assert!(complaint("<a/>").contains("opencv_storage"));
    assert!(complaint("hello").contains("not a detector"));
    assert!(complaint("").contains("not a detector"));
    let deep = format!("<opencv_storage>{}", "<a>".repeat(200_000));
    assert!(!complaint(&deep).is_empty());
}

#[test]
fn our_file_is_checked() {
    let bytes = Cascade::from_bytes(&golden("trees.xml")).unwrap().to_bytes();
    let text = String::from_utf8(bytes).unwrap();
    assert!(complaint(&text.replacen("threshold\":-", "threshold\":", 1)).contains("checksum"));
    assert!(complaint(&text.replacen("rebel-detector 1", "rebel-detector 9", 1)).contains("version 9"));
    assert!(complaint("rebel-detector 1 00000000").contains("cut short"));
}

/// Files of every version are read, written back to the byte, and mean what they meant.
#[test]
fn files_of_every_version_are_read() {
    let context = Context::new(0, 1).unwrap();
    let image = Gray::decode(&golden("a.png")).unwrap();
    // The score of a single window by the definition of each version.
    let link: fn(f64) -> f64 = |margin| 1.0 / (1.0 + (-2.0 * margin).exp());
    let fitted: fn(f64) -> f64 = |margin| 1.0 / (1.0 + (-(1.5 * margin - 4.0)).exp());
    for (name, expected) in
        [("version1.detector", link), ("version2.detector", fitted), ("version3.detector", fitted)]
    {
        let bytes = golden(name);
        let cascade = Cascade::from_bytes(&bytes).unwrap();
        assert_eq!(cascade.to_bytes(), bytes, "{name}");
        let every = DetectOptions { min_neighbors: 0, ..DetectOptions::default() };
        let mut margins: Vec<f64> =
            cascade.candidates(&image, &every, &context).unwrap().iter().map(|c| c.margin).collect();
        let mut scores: Vec<f64> =
            cascade.detect(&image, &every, &context).unwrap().iter().map(|d| d.score).collect();
        margins.sort_by(f64::total_cmp);
        scores.sort_by(f64::total_cmp);
        assert!(!scores.is_empty());
        assert!(scores.iter().zip(margins).all(|(score, margin)| (score - expected(margin)).abs() < 1e-12), "{name}");
    }
}

/// A margin of several stages is the sum of those that cascades cut short have at the same window.
#[test]
fn margins_of_stages_add_up() {
    let context = Context::new(0, 2).unwrap();
    let image = Gray::decode(&golden("a.png")).unwrap();
    for name in ["stumps.xml", "trees.xml", "lbp.xml"] {
        let cascade = Cascade::from_bytes(&golden(name)).unwrap();
        let every = DetectOptions { min_neighbors: 0, ..DetectOptions::default() };
        let margins = |of: usize, first: usize| {
            let mut part = cascade.clone();
            part.stages.truncate(first);
            part.calibration.stages = of;
            part.candidates(&image, &every, &context).unwrap()
        };
        let count = cascade.stages.len();
        for of in [1, 2, count, count + 3] {
            let all = margins(of, count);
            assert!(!all.is_empty());
            for candidate in all {
                let own = |first: usize| margins(1, first).into_iter().find(|c| c.rect == candidate.rect).unwrap();
                let sum: f64 = (count.saturating_sub(of)..count).map(|before| own(before + 1).margin).sum();
                assert!((candidate.margin - sum).abs() < 1e-9, "{name}: {} and {sum}", candidate.margin);
            }
        }
    }
}

#[test]
fn strange_images_are_read_or_refused() {
    let context = Context::new(0, 1).unwrap();
    let cascade = Cascade::from_bytes(&golden("stumps.xml")).unwrap();
    let found = |image: &Gray| cascade.detect(image, &DetectOptions::default(), &context).unwrap();
    assert!(found(&Gray::new(1, 1, vec![7]).unwrap()).is_empty());
    assert!(found(&Gray::new(19, 400, vec![7; 19 * 400]).unwrap()).is_empty());
    assert!(found(&Gray::new(20, 20, vec![7; 400]).unwrap()).is_empty());
    assert!(
        found(&Gray::new(3000, 20, (0..60_000u32).map(|i| ((i * i) >> 7) as u8).collect()).unwrap()).len() < 3000
    );
    assert!(Gray::new(0, 5, vec![]).is_err());
    assert!(Gray::new(2, 2, vec![1]).is_err());
    assert!(Gray::new(1 << 20, 1 << 20, vec![]).unwrap_err().to_string().contains("too large"));
    assert!(Gray::decode(b"GIF89a").unwrap_err().to_string().contains("neither"));
    assert!(Gray::decode(b"").is_err());
    assert!(Gray::decode(&[0xff, 0xd8, 0xff]).is_err());
    // A header that promises 4 gigapixels.
    let mut huge = golden("a.png");
    huge[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    assert!(Gray::decode(&huge).is_err());
    let options = DetectOptions { scale_factor: 1.0, ..DetectOptions::default() };
    let image = Gray::decode(&golden("a.png")).unwrap();
    assert!(cascade.detect(&image, &options, &context).unwrap_err().to_string().contains("scale factor"));
}

fn png(colour: png::ColorType, depth: png::BitDepth, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, 2, 1);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(bytes).unwrap();
    out
}

#[test]
fn sixteen_bits_colours_and_alpha_become_grey() {
    use png::{BitDepth, ColorType};
    let read = |bytes: Vec<u8>| Gray::decode(&bytes).unwrap().pixels().to_vec();
    assert_eq!(read(png(ColorType::Grayscale, BitDepth::Sixteen, &[200, 17, 3, 99])), [200, 3]);
    assert_eq!(read(png(ColorType::GrayscaleAlpha, BitDepth::Eight, &[9, 0, 80, 255])), [9, 80]);
    assert_eq!(read(png(ColorType::Rgb, BitDepth::Eight, &[255, 0, 0, 255, 255, 255])), [76, 255]);
    assert_eq!(
        read(png(ColorType::Rgba, BitDepth::Sixteen, &[0, 0, 255, 1, 0, 0, 1, 1, 10, 0, 10, 0, 10, 0, 0, 0])),
        [150, 10]
    );
    assert_eq!(read(png(ColorType::Grayscale, BitDepth::One, &[0b0100_0000])), [0, 255]);
}

/// Four squares of inks: none, black, cyan, half magenta; stored inverted, as Adobe's programs and Pillow do.
#[test]
fn inks_become_grey() {
    let image = Gray::decode(&golden("cmyk.jpg")).unwrap();
    for (x, expected) in [(8, 255), (24, 0), (40, 179), (56, 180)] {
        let pixel = i32::from(image.row(8)[x]);
        assert!((pixel - expected).abs() <= 3, "{pixel} at {x}, not {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_files_never_panic(at in 0usize..4000, with in any::<u8>(), cut in 1usize..4000) {
        for name in ["stumps.xml", "lbp.xml", "a.png", "cmyk.jpg"] {
            let mut bytes = golden(name);
            let place = at % bytes.len();
            bytes[place] = with;
            for bytes in [&bytes[..], &bytes[..cut.min(bytes.len())]] {
                if name.ends_with("png") || name.ends_with("jpg") {
                    let _ = Gray::decode(bytes);
                } else if let Ok(cascade) = Cascade::from_bytes(bytes) {
                    let image = Gray::new(40, 30, (0..1200u32).map(|i| ((i * 37) >> 2) as u8).collect()).unwrap();
                    let _ = cascade.detect(&image, &DetectOptions::default(), &Context::new(0, 1).unwrap());
                }
            }
        }
    }
}
