//! Cost matrices and taxonomies.

use rebelboost_io::{Source, read_costs, read_taxonomy};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| n.to_string()).collect()
}

#[test]
fn a_matrix_in_any_order() {
    let text = "truth;b;a\nb;0;2.5\na; 7;0\n";
    let costs = read_costs(&Source::bytes("c.csv", text), &names(&["a", "b"])).unwrap();
    assert_eq!((costs.get(0, 1), costs.get(1, 0), costs.get(0, 0)), (7.0, 2.5, 0.0));
    let costs = read_costs(&Source::bytes("c.csv", ",1.0,2.0\n1.0,0,3\n2.0,4,0\n"), &names(&["1", "2"])).unwrap();
    assert_eq!((costs.get(0, 1), costs.get(1, 0)), (3.0, 4.0));
}

#[test]
fn bad_matrices() {
    for (text, expected) in [
        ("", "c.csv: the file is empty"),
        (
            ",a,b\na,0,x\nb,1,0\n",
            "c.csv, line 2, column 'b': the cost of answering 'b' when the truth is 'a' is 'x'; a cost must be a number",
        ),
        (
            ",a,b\na,0,\nb,1,0\n",
            "c.csv, line 2, column 'b': the cost of answering 'b' when the truth is 'a' is ''; a cost must be a number",
        ),
        (
            ",a,b\na,0,1\nb,-1,0\n",
            "c.csv, line 3, column 'a': the cost of answering 'a' when the truth is 'b' is '-1'; a cost must not be negative",
        ),
        (
            ",a,b\r\na,0,1\r\nb,1,2\r\n",
            "c.csv, line 3, column 'b': the cost of answering 'b' when the truth is 'b' is '2'; a right answer must cost zero",
        ),
        (",a,b\na,0,1\nb,1\n", "c.csv, line 3: found 1 costs where the first row names 2 classes"),
        (",a,b\na,0,1\n", "c.csv: there is no row for the class 'b'"),
        (",a,bb\na,0,1\nb,1,0\n", "c.csv: column 2 is called 'bb', which is not a class; did you mean 'b'?"),
    ] {
        let error = read_costs(&Source::bytes("c.csv", text), &names(&["a", "b"])).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text:?}");
    }
}

#[test]
fn a_taxonomy_with_and_without_header() {
    for text in [
        "child,parent\nduck,bird\ngull,bird\nbird,animal\ncat,animal\n",
        "duck,bird\ngull,bird\nbird,animal\ncat,animal",
    ] {
        let costs = read_taxonomy(&Source::bytes("t.csv", text), &names(&["cat", "duck", "gull"])).unwrap();
        assert!(costs.get(1, 2) < costs.get(0, 1) && (costs.mean() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn bad_taxonomies() {
    for (text, expected) in [
        ("a,r\nb,r,s\n", "t.csv, line 2: found 3 fields where 'child,parent' is needed"),
        ("a,r\nb,\n", "t.csv, line 2: the name of the parent is empty"),
        ("a,r\nb,r\na,b\n", "t.csv, line 3: 'a' has two parents, 'r' and 'b'"),
        ("a,b\nb,a\n", "t.csv: the taxonomy runs in a circle at 'a'"),
        ("a,r\nc,r\n", "t.csv: the taxonomy does not name the class 'b'"),
    ] {
        let error = read_taxonomy(&Source::bytes("t.csv", text), &names(&["a", "b"])).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{text:?}: {error}");
    }
}
