//! Whatever the bytes, a reader answers with a table or an error: no panic, no huge allocation.

mod common;
use common::{ARFF, gzip, idx, npy};
use proptest::prelude::*;
use rebelboost_io::{Format, ReadOptions, Source, read_costs, read_table, read_taxonomy};

const NAMES: [&str; 8] = ["a.csv", "a.tsv", "a.txt", "a.arff", "a.svm", "a.npy", "a-idx3-ubyte", "a.parquet"];

fn read_all_ways(name: &str, bytes: &[u8]) {
    let formats = [
        None,
        Some(Format::Csv),
        Some(Format::Arff),
        Some(Format::Libsvm),
        Some(Format::Npy),
        Some(Format::Idx),
        Some(Format::Parquet),
    ];
    let source = Source::bytes(name, bytes);
    for format in formats {
        for categorical in [vec![], vec!["class".to_string()]] {
            let options = ReadOptions { format, categorical, ..ReadOptions::default() };
            if let Err(error) = read_table(&source, &options) {
                assert!(error.to_string().starts_with(name), "{error}");
                assert_ne!(error.kind(), rebelboost::ErrorKind::Internal, "{error}");
            }
        }
    }
    let classes = ["a".to_string(), "b".to_string()];
    let _ = read_costs(&source, &classes);
    let _ = read_taxonomy(&source, &classes);
}

fn sound_files() -> Vec<Vec<u8>> {
    let values: Vec<u8> = (0..24).collect();
    let text = b"a;b,class\r\n1;2,\"x\r\ny\"\n-5;0.1,z\n?;1e10,007\n".to_vec();
    vec![
        gzip(&text),
        text,
        ARFF.as_bytes().to_vec(),
        b"+1 qid:3 1:0.5 3:2 # note\n-1 2:1e3\n".to_vec(),
        npy("<f4", false, "(3, 2)", &values),
        npy(">i2", true, "(4, 3)", &values),
        idx(&[2, 3, 4], &values),
        gzip(&idx(&[24], &values)),
        b"class,a,b\na,0,1\nb,2,0\n".to_vec(),
        b"child,parent\na,r\nb,r\n".to_vec(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_bytes(name in prop::sample::select(&NAMES), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all_ways(name, &bytes);
    }

    #[test]
    fn texty_bytes(name in prop::sample::select(&NAMES), text in "[@a{}0-9:.,;\t \"'\\\\\n\r%?#e+-]{0,120}") {
        read_all_ways(name, text.as_bytes());
    }

    #[test]
    fn altered_files(
        name in prop::sample::select(&NAMES),
        bytes in prop::sample::select(sound_files()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..5),
    ) {
        let mut bytes = bytes;
        for (at, value, kind) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = value,
                1 => bytes.insert(at, value),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        read_all_ways(name, &bytes);
    }
}

#[test]
fn sound_files_are_read() {
    for (i, bytes) in sound_files().into_iter().enumerate() {
        assert!(read_table(&Source::bytes("x", bytes), &ReadOptions::default()).is_ok(), "{i}");
    }
}
