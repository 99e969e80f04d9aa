//! Every complaint names the file, and where they exist the line and the column.

mod common;
use common::{fails, gzip, idx, npy};
use rebelboost::error::ErrorKind;
use rebelboost_io::{ReadOptions, Source, read_table};

fn options(edit: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    edit(&mut options);
    options
}

fn fails_with(text: &str, options: &ReadOptions) -> String {
    read_table(&Source::bytes("a.csv", text), options).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn files_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no.csv");
    let error = read_table(&Source::new(&path), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.to_string(), format!("{}: there is no such file", path.display()));
    let error = read_table(&Source::new(folder.path()), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: this is a directory, not a file", folder.path().display()));
}

#[test]
fn text_tables() {
    for (text, expected) in [
        ("", "a.csv: the file is empty"),
        ("\n\r\n  \n", "a.csv: the file is empty"),
        ("a,b\n", "a.csv: there are no data rows; is the first row a header?"),
        ("a,b\n1,2\n3\n", "a.csv, line 3: found 1 fields where the header has 2; check quotes and delimiters"),
        (
            "1,2\r\n\r\n3,4\r\n1,2,3\r\n",
            "a.csv, line 4: found 3 fields where the first row has 2; check quotes and delimiters",
        ),
        ("a,b\n\"x\ny\",1\n2\n", "a.csv, line 4: found 1 fields where the header has 2; check quotes and delimiters"),
        (
            "a,b\r\n1,2\r\n3,inf\r\n",
            "a.csv, line 3, column 'b': found 'inf', which is infinite or beyond the range of numbers; leave the cell \
             empty if the value is unknown",
        ),
        (
            "a,b\n1,2\n-Infinity,4\n1,1e400\n",
            "a.csv, line 3, column 'a': found '-Infinity', which is infinite or beyond the range of numbers; leave \
             the cell empty if the value is unknown",
        ),
        ("a,b,a\n1,2,3\n", "a.csv, line 1, column 'a': columns 1 and 3 have the same name; rename one of the two"),
        ("a,b\n1,\"x\n2,3\n", "a.csv, line 2: a quote opened in this row is never closed"),
    ] {
        assert_eq!(fails("a.csv", text), expected, "{text:?}");
    }
    assert!(fails("a.csv", "a,b\n1,1e400\n").contains("line 2, column 'b': found '1e400'"));
}

#[test]
fn text_that_is_not_utf8() {
    let expected = "a.csv, line 3, column 'b': the text is not UTF-8; save the file as UTF-8";
    assert_eq!(fails("a.csv", b"a,b\n1,x\n2,\xe9t\xe9\n".as_slice()), expected);
    let expected = "a.csv, line 1, column '2': the text is not UTF-8; save the file as UTF-8";
    assert_eq!(fails("a.csv", b"a,\xff\xe9\n1,2\n".as_slice()), expected);
    assert!(fails("a.csv", b"\xff\xfea\0".as_slice()).contains("a.csv, line 1: the text is UTF-16"));
    let expected = "a.arff, line 4: the text is not UTF-8; save the file as UTF-8";
    assert_eq!(fails("a.arff", b"@relation x\n@attribute a string\n@data\n\xff\n".as_slice()), expected);
}

#[test]
fn declared_columns() {
    let numeric = options(|o| o.numeric = vec!["b".into()]);
    let expected = "a.csv, line 3, column 'b': found 'x' where a number is needed; correct the cell, or do not declare \
                    the column numeric";
    assert_eq!(fails_with("a,b\n1,2\n3,x\n", &numeric), expected);
    let typo = options(|o| o.categorical = vec!["heigth".into()]);
    let expected = "a.csv, line 1: there is no column 'heigth'; did you mean 'height'?";
    assert_eq!(fails_with("height,b\n1,2\n", &typo), expected);
    let both = options(|o| (o.categorical, o.numeric) = (vec!["b".into()], vec!["b".into()]));
    assert_eq!(fails_with("a,b\n1,2\n", &both), "a.csv, line 1, column 'b': declared both numeric and categorical");
    let quote = options(|o| o.delimiter = Some(b'"'));
    assert_eq!(fails_with("a,b\n1,2\n", &quote), "a.csv: '\"' cannot separate fields");
}

#[test]
fn damaged_gzip() {
    let text: String = (0..5000).map(|i| format!("{i},{}\n", i * 7 % 13)).collect();
    let zipped = gzip(text.as_bytes());
    let cut = fails("a.csv.gz", &zipped[..zipped.len() / 2]);
    assert!(cut.starts_with("a.csv.gz") && cut.contains("gzip data are damaged or cut short"), "{cut}");
    let mut altered = zipped.clone();
    let middle = altered.len() / 2;
    altered[middle] ^= 0x55;
    let altered = fails("a.csv.gz", altered);
    assert!(altered.starts_with("a.csv.gz"), "{altered}");
    assert!(fails("a.csv.gz", b"\x1f\x8b".as_slice()).contains("gzip data are damaged"));
}

#[test]
fn foreign_files() {
    assert_eq!(
        fails("a.xlsx", b"PK\x03\x04....".as_slice()),
        "a.xlsx: this file is a ZIP archive or an Excel workbook; save it as CSV"
    );
    assert_eq!(fails("a.npy", b"1,2,3\n4,5,6\n".as_slice()), "a.npy: this is not an NPY file");
    assert_eq!(fails("a.idx", b"1,2,3\n4,5,6\n".as_slice()), "a.idx: this is not an IDX file");
}

#[test]
fn damaged_arrays() {
    let values = [0; 12];
    assert_eq!(fails("a.idx", idx(&[4, 4], &values)), "a.idx: the file is cut short: 12 of 16 values found");
    assert_eq!(
        fails("a.idx", idx(&[2, 4], &values)),
        "a.idx: there is more in the file than the 8 values of its header"
    );
    assert_eq!(fails("a.idx", &idx(&[2, 4], &values)[..7]), "a.idx: the file is cut short: it ends in its header");
    assert_eq!(fails("a.idx", idx(&[0, 4], &[])), "a.idx: there are no data rows");
    let huge = fails("a.idx", idx(&[u32::MAX, u32::MAX, u32::MAX], &values));
    assert_eq!(
        huge,
        "a.idx: rows of 4294967295 x 4294967295 values, at most 1048576 can be read; the file may be damaged"
    );
    assert!(fails("a.idx", idx(&[u32::MAX, 3], &values)).contains("12 of 12884901885 values found"));
    assert_eq!(
        fails("a.npy", npy("<f8", false, "(2, 3)", &[0; 40])),
        "a.npy: the file is cut short: 5 of 6 values found"
    );
    assert!(
        fails("a.npy", npy("<f8", false, "(99999999999999999, 1000)", &[0; 8]))
            .contains("a.npy: the header promises")
    );
    assert!(fails("a.npy", npy("<f8", false, "(1, 99999999999)", &[0; 8])).contains("99999999999 columns"));
    assert!(fails("a.npy", npy("<U5", false, "(1, 2)", &[0; 8])).contains("a.npy: the array is of type '<U5'"));
    assert!(fails("a.npy", npy("<f8", false, "(1, 2, 3)", &[0; 48])).contains("3 dimensions"));
    assert_eq!(
        fails("a.npy", npy("<f4", false, "(1, 2)", &[0, 0, 0, 0, 0, 0, 0x80, 0x7f])),
        "a.npy, column 'c2': the value of data row 1 is infinite; use NaN if it is unknown"
    );
}

#[test]
fn sparse_tables() {
    for (text, expected) in [
        ("1 1:2\n1 x\n", "a.svm, line 2: found 'x' where 'index:value' is needed"),
        ("1 1:2\n1 a:3\n", "a.svm, line 2: found 'a' where the number of a column is needed"),
        ("1:2 2:3\n", "a.svm, line 1: found '1:2' where the label is needed"),
        ("1 1:2 1:3\n", "a.svm, line 1, column 'f1': this column stands twice in the row"),
        ("1 99999999999:2\n", "a.svm, line 1: column number 99999999999, at most 1048575 can be read"),
        (
            "1 1:x\n",
            "a.svm, line 1, column 'f1': found 'x' where a number is needed; correct the cell, or do not declare the \
             column numeric",
        ),
        (
            "1 1:2\n1 1:inf\n",
            "a.svm, line 2, column 'f1': found 'inf', which is infinite or beyond the range of numbers; leave the cell \
             empty if the value is unknown",
        ),
        ("# nothing\n", "a.svm: there are no data rows"),
    ] {
        assert_eq!(fails("a.svm", text), expected, "{text:?}");
    }
    let mut many = String::new();
    for _ in 0..2100 {
        many.push_str("1 1048575:1\n");
    }
    let error = fails("a.svm", many);
    assert!(error.starts_with("a.svm, line 2049: 2049 rows of 1048576 columns are more than"), "{error}");
}

#[test]
fn arff_tables() {
    let head = "@relation x\n@attribute a numeric\n@attribute b {red, green}\n@data\n";
    for (text, expected) in [
        (
            format!("{head}1,gren\n"),
            "a.arff, line 5, column 'b': 'gren' is not among the declared values; did you mean 'green'?",
        ),
        (format!("{head}1\n"), "a.arff, line 5: found 1 fields where the header declares 2; check quotes and commas"),
        (format!("{head}1,'red\n"), "a.arff, line 5: a quote opened in this row is never closed"),
        (
            format!("{head}{{5 1}}\n"),
            "a.arff, line 5: found '5' where the number of a column is needed; columns are counted from 0 to 1",
        ),
        (head.to_string(), "a.arff: there are no data rows"),
        ("@relation x\n@attribute a numeric\n".into(), "a.arff: there is no @data line; is this an ARFF file?"),
        (
            "@relation x\n@attribute a relational\n@data\n".into(),
            "a.arff, line 2, column 'a': the type 'relational' cannot be read; numeric, real, integer, string, date and \
             {a, b, ...} can",
        ),
        (
            "@relation x\n@attribute a real\n@attribute a real\n@data\n".into(),
            "a.arff, line 3, column 'a': columns 1 and 2 have the same name; rename one of the two",
        ),
    ] {
        assert_eq!(fails("a.arff", text.as_str()), expected);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_refused_by_name() {
    assert_eq!(
        fails("a.parquet", b"PAR1xxxx".as_slice()),
        "a.parquet: this program was built without Parquet; save the table as CSV"
    );
}
