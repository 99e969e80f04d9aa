//! Files of labels.

use proptest::prelude::*;
use rebelboost_io::{Labels, Source};

fn read(text: &str) -> Result<Labels, String> {
    Labels::read(&Source::bytes("l.csv", text), 9).map_err(|e| e.to_string())
}

proptest! {
    #[test]
    fn come_back_as_written(
        classes in prop::collection::btree_map(0usize..9, "[a-z0-9;, \"'é]{0,6}[a-z\"é]", 0..9),
        target in "[a-z,\"]{1,5}[a-z]",
    ) {
        let classes = classes.into_iter().map(|(row, class)| (row, class.trim().to_string())).collect();
        let labels = Labels { target, classes };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.csv");
        labels.write(&path).unwrap();
        prop_assert_eq!(Labels::read(&Source::new(&path), 9).unwrap(), labels);
    }
}

#[test]
fn blanks_repetitions_and_mistakes() {
    let labels = read("row,kind\r\n3, a b \r\n1,x\n3,a b\n5,\n").unwrap();
    assert_eq!(labels.target, "kind");
    assert_eq!(labels.classes.into_iter().collect::<Vec<_>>(), [(0, "x".to_string()), (2, "a b".to_string())]);
    for (text, expected) in [
        ("row,kind\n1,a\n2,b\n1,c\n", "l.csv, line 4: row 1 is 'c' here and 'a' above; keep one of the two"),
        ("row,kind\n0,a\n", "l.csv, line 2: there is no row '0'; rows are numbered from 1 to 9"),
        ("row,kind\nten,a\n", "l.csv, line 2: there is no row 'ten'; rows are numbered from 1 to 9"),
        ("row,kind\n10,a\n", "l.csv, line 2: there is no row '10'; rows are numbered from 1 to 9"),
        ("row,kind\n1\n", "l.csv, line 2: found 1 fields where a row and its class should be"),
    ] {
        assert_eq!(read(text).unwrap_err(), expected);
    }
    for foreign in ["a,b,c\n1,2,3\n", "length,width\n1,2\n", "row;kind\n1;a\n", ""] {
        let error = read(foreign).unwrap_err();
        assert!(error.contains("not a file of labels") || error.contains("is empty"), "{error}");
    }
}
