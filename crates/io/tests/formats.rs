//! What each format becomes.

mod common;
use common::{ARFF, gzip, idx, kind, npy, read, texts};
use rebelboost::data::{Column, Numeric};
use rebelboost_io::{Format, ReadOptions, Source, read_table};
use std::fs;

#[test]
fn csv_types_are_the_narrowest() {
    let text = "\u{feff}byte,small,int,single,double,word,gap,none,mixed\n\
                1,-5,70000,0.5,0.1,x,1,,007\n255,300,-1,1e10,3,y,NA,?,abc\n0,7,2,NaN,2,\"x\",3,null,1.50\n";
    let table = read("a.csv", text).unwrap();
    let kinds: Vec<&str> = table.names().iter().map(|name| kind(&table, name)).collect();
    assert_eq!(kinds, ["u8", "i16", "i32", "f32", "f64", "categorical", "i16", "f32", "categorical"]);
    assert_eq!(texts(&table, "mixed"), ["007", "abc", "1.50"], "text of numbers before a word is kept");
    assert_eq!(texts(&table, "word"), ["x", "y", "x"]);
    assert_eq!(texts(&table, "gap"), ["1", "", "3"]);
    assert_eq!(texts(&table, "none"), ["", "", ""]);
}

#[test]
fn csv_dialects() {
    for text in [
        "a;b\r\n1;x y\r\n2;z\r\n",
        "a\tb\n1\tx y\n2\tz",
        "a|b\n\n1|x y\n2|z\n\n",
        "a,b\r1,\"x y\"\r2,z\r",
        "a b\n 1   \"x y\"\n2 z \n",
    ] {
        let table = read("a.txt", text).unwrap();
        assert_eq!(
            (texts(&table, "a"), texts(&table, "b")),
            (vec!["1".into(), "2".into()], vec!["x y".into(), "z".into()])
        );
    }
    let table = read("a.csv", "5,x\n6,x\n7,y\n").unwrap();
    assert_eq!(table.names(), ["c1", "c2"]);
    let table = read("a.csv", ",c1,\n1,2,3\n").unwrap();
    assert_eq!(table.names(), ["c1_", "c1", "c3"]);
    let options = ReadOptions { header: Some(false), delimiter: Some(b'x'), ..ReadOptions::default() };
    let table = read_table(&Source::bytes("a.csv", "1x2\n3x4\n"), &options).unwrap();
    assert_eq!(texts(&table, "c2"), ["2", "4"]);
}

#[test]
fn csv_infinities_are_words_among_words() {
    for text in ["a,b\ninf,1\nsup,2\n", "a,b\nsup,1\ninf,2\n"] {
        assert_eq!(kind(&read("a.csv", text).unwrap(), "a"), "categorical");
    }
    let options = ReadOptions { categorical: vec!["a".into()], ..ReadOptions::default() };
    let table = read_table(&Source::bytes("a.csv", "a,b\n01,1\ninf,2\n"), &options).unwrap();
    assert_eq!(texts(&table, "a"), ["01", "inf"]);
}

#[test]
fn csv_with_words_after_many_numbers() {
    let mut text = String::from("a,b\n");
    for i in 0..5000 {
        text.push_str(&format!("0{i},{i}\n"));
    }
    text.push_str("end,5000\n");
    let table = read("a.csv.gz", gzip(text.as_bytes())).unwrap();
    assert_eq!((table.rows(), kind(&table, "a"), kind(&table, "b")), (5001, "categorical", "i16"));
    assert_eq!(texts(&table, "a")[4999], "04999");
}

#[test]
fn arff_dense_and_sparse() {
    for name in ["a.arff", "without extension"] {
        let table = read(name, ARFF).unwrap();
        assert_eq!(table.names(), ["a b", "kind", "s"]);
        assert_eq!(texts(&table, "a b"), ["1", "", "2.5"]);
        assert_eq!(texts(&table, "kind"), ["x", "y z", "x"]);
        assert_eq!(texts(&table, "s"), ["hello", "", "q,r"]);
        assert_eq!(kind(&table, "a b"), "f32");
    }
    let options = ReadOptions { categorical: vec!["n".into()], numeric: vec!["k".into()], ..ReadOptions::default() };
    let text = "@relation r\n@attribute n integer\n@attribute k {1,2}\n@data\n05,1\n6,2\n";
    let table = read_table(&Source::bytes("a.arff", text), &options).unwrap();
    assert_eq!((texts(&table, "n"), kind(&table, "k")), (vec!["05".into(), "6".into()], "u8"));
}

#[test]
fn libsvm_is_dense_and_keeps_its_numbers() {
    for name in ["a.svm", "a9a"] {
        let table = read(name, "+1 qid:3 1:0.5 3:2 # note\n\n-1 3:1\n").unwrap();
        assert_eq!(table.names(), ["f1", "f2", "f3", "class"]);
        assert_eq!(texts(&table, "f1"), ["0.5", "0"]);
        assert_eq!(texts(&table, "f2"), ["0", "0"]);
        assert_eq!(texts(&table, "f3"), ["2", "1"]);
        assert_eq!(texts(&table, "class"), ["1", "-1"]);
    }
    let table = read("a.svm", "01 0:1\nb 1:7\n").unwrap();
    assert_eq!(table.names(), ["f0", "f1", "class"]);
    assert_eq!(texts(&table, "class"), ["01", "b"]);
    let options = ReadOptions { expected: vec!["f4".into(), "class".into()], ..ReadOptions::default() };
    let table = read_table(&Source::bytes("a.svm", "1 1:2\n"), &options).unwrap();
    assert_eq!(table.names(), ["f1", "f2", "f3", "f4", "class"]);
}

#[test]
fn npy_orders_and_types() {
    let little: Vec<u8> = (1..=6_i32).flat_map(i32::to_le_bytes).collect();
    let big: Vec<u8> = (1..=6).flat_map(|v| f64::from(v).to_be_bytes()).collect();
    for (bytes, second) in [
        (npy("<i4", false, "(3, 2)", &little), ["2", "4", "6"]),
        (npy("<i4", true, "(3, 2)", &little), ["4", "5", "6"]),
        (npy(">f8", false, "(3, 2)", &big), ["2", "4", "6"]),
        (npy("|u1", true, "(3L, 2L)", &[1, 2, 3, 4, 5, 6]), ["4", "5", "6"]),
    ] {
        for name in ["a.npy", "a.npy.gz", "array"] {
            let bytes = if name.ends_with("gz") { gzip(&bytes) } else { bytes.clone() };
            let table = read(name, bytes).unwrap();
            assert_eq!(table.names(), ["c1", "c2"]);
            assert_eq!((texts(&table, "c2"), kind(&table, "c2")), (second.map(String::from).to_vec(), "u8"));
        }
    }
    let table = read("a.npy", npy("|b1", false, "(2,)", &[0, 1])).unwrap();
    assert_eq!(texts(&table, "c1"), ["0", "1"]);
    let mut second = npy("<f4", false, "(1, 2)", &[0, 0, 0xc0, 0x7f, 0, 0, 0, 0x80]);
    second.splice(6..8, [2, 0]).count();
    second.splice(10..10, [0, 0]).count();
    let table = read("a.npy", second).unwrap();
    assert!(table.columns()[0].is_missing(0));
    assert_eq!(table.columns()[1], Column::Numeric(Numeric::F32(vec![-0.0])));
}

#[test]
fn idx_images_find_their_labels() {
    let folder = tempfile::tempdir().unwrap();
    let images = idx(&[2, 1, 3], &[1, 2, 3, 4, 5, 6]);
    let path = folder.path().join("train-images-idx3-ubyte.gz");
    fs::write(&path, gzip(&images)).unwrap();
    let options = ReadOptions::default();
    let table = read_table(&Source::new(&path), &options).unwrap();
    assert_eq!(table.names(), ["p1", "p2", "p3"]);
    assert_eq!(table.columns()[2], Column::Numeric(Numeric::U8(vec![3, 6])));
    let labels = folder.path().join("train-labels-idx1-ubyte");
    fs::write(&labels, idx(&[2], &[7, 9])).unwrap();
    let table = read_table(&Source::new(&path), &options).unwrap();
    assert_eq!(table.names(), ["p1", "p2", "p3", "class"]);
    assert_eq!(texts(&table, "class"), ["7", "9"]);
    assert_eq!(read_table(&Source::new(&labels), &options).unwrap().names(), ["class"]);
    fs::write(&labels, idx(&[1], &[7])).unwrap();
    let error = read_table(&Source::new(&path), &options).unwrap_err().to_string();
    assert_eq!(error, format!("{}: 2 rows, but 1 labels in {}", path.display(), labels.display()));
}

#[test]
fn the_callers_word_wins() {
    let options = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let table = read_table(&Source::bytes("a.csv", "1 2:3\n"), &options).unwrap();
    assert_eq!(table.names(), ["f1", "f2", "class"]);
}

/// Runs itself again with data on standard input.
#[test]
fn standard_input() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    if std::env::var_os("REBELBOOST_STDIN_TEST").is_some() {
        let table = read_table(&Source::new("-"), &ReadOptions::default()).unwrap();
        assert_eq!(texts(&table, "a"), ["01", "x"], "read twice");
        return;
    }
    for bytes in [b"a,b\n01,2\nx,3\n".to_vec(), gzip(b"a,b\n01,2\nx,3\n")] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "standard_input"])
            .env("REBELBOOST_STDIN_TEST", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert!(child.wait().unwrap().success());
    }
}
