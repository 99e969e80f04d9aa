//! Every mistake of a user: one sentence that says where, exit code 2, nothing written.

mod common;
use common::{Sandbox, flowers};

#[test]
fn files_that_are_no_tables() {
    let s = Sandbox::new();
    std::fs::create_dir(s.path("folder")).unwrap();
    s.write("empty.csv", "").write("header.csv", "a,b,kind\n").write("latin.csv", b"a,kind\n1,caf\xe9\n2,x\n");
    s.refuses("train nosuch.csv", &["nosuch.csv", "no such file"]);
    s.refuses("train folder", &["folder", "directory"]);
    s.refuses("train empty.csv", &["empty.csv", "empty"]);
    s.refuses("train header.csv", &["header.csv", "no data rows"]);
    s.refuses("train latin.csv", &["latin.csv", "line 2", "UTF-8"]);
    s.refuses("train builtin:spirlas", &["spirals"]);
    s.refuses("train builtin:spirals?rows=0", &["rows"]);
}

#[test]
fn tables_that_are_malformed() {
    let s = Sandbox::new();
    s.write("ragged.csv", "a,b,kind\n1,2,x\n3,y\n4,5,y\n");
    s.refuses("train ragged.csv", &["ragged.csv", "line 3"]);
    s.write("twice.csv", "a,a,kind\n1,2,x\n3,4,y\n");
    s.refuses("train twice.csv", &["twice.csv", "'a'"]);
    s.write("inf.csv", "a,kind\n1,x\ninf,y\n3,x\n");
    s.refuses("train inf.csv", &["inf.csv", "'a'", "line 3"]);
    s.write("huge.csv", "a,kind\n1,x\n1e400,y\n3,x\n");
    s.refuses("train huge.csv", &["huge.csv", "'a'", "line 3"]);
    s.write("word.csv", "a,kind\n1,x\nfour,y\n3,x\n");
    s.refuses("train word.csv --numeric a", &["word.csv", "'a'", "line 3", "four"]);
}

#[test]
fn tables_that_cannot_be_learned() {
    let s = Sandbox::new();
    s.write("one.csv", "a,kind\n1,x\n2,x\n");
    s.refuses("train one.csv", &["one.csv", "'kind'", "only one class"]);
    s.write("none.csv", "a,kind\n1,x\n1,y\n");
    s.refuses("train none.csv", &["none.csv", "no feature is left"]);
    s.write("d.csv", flowers(60));
    s.refuses("train d.csv --target kindd", &["d.csv", "'kind'"]);
    s.refuses("train d.csv --ignore colur", &["d.csv", "'colour'"]);
    s.refuses("train d.csv --categorical colur", &["'colour'"]);
    s.refuses("train d.csv --weights nosuch", &["d.csv", "nosuch"]);
    s.refuses("train d.csv --weights colour", &["d.csv", "'colour'", "numbers"]);
    s.refuses("train d.csv --algorithm adaboost", &["3"]);
    s.write("weights.csv", "a,w,kind\n1,1,x\n2,-3,y\n3,1,x\n");
    s.refuses("train weights.csv --weights w", &["weights.csv", "'w'", "row 2", "-3"]);
    s.write("weights.csv", "a,w,kind\n1,1,x\n2,nan,y\n3,1,x\n");
    s.refuses("train weights.csv --weights w", &["weights.csv", "'w'", "row 2"]);
    s.refuses("cv d.csv --folds 61", &["61 folds"]);
}

/// Whatever the trees, a limit is kept or refused with the number needed; with that number it is accepted.
#[test]
fn trees_that_need_more_memory_than_allowed() {
    let s = Sandbox::new();
    let row = |i: usize| format!("{i},{},{}\n", i * 7 % 1000, ["x", "y"][usize::from(i % 1000 > 400)]);
    s.write("d.csv", "a,b,kind\n".to_string() + &(0..20_000).map(row).collect::<String>());
    for algorithm in
        ["rebel", "adaboost", "samme", "gamble", "softmax-trees", "forest", "l2boost", "one-vs-all", "metacost"]
    {
        let train = format!("train d.csv --algorithm {algorithm} --rounds 1 --out m.rebel");
        s.refuses(&format!("{train} --memory-limit 1"), &["MB", "1 are allowed", "--memory-limit"]);
        s.ok(&format!("{train} --memory-limit 100"));
    }
}

/// A quantity has no classes, but someone may mean it: said, not refused. Names and numbers that repeat are classes.
#[test]
fn a_quantity_as_a_target_is_noted() {
    let s = Sandbox::new();
    let table = |class: &dyn Fn(usize) -> String| {
        (0..48).fold(String::from("a,b,y\n"), |text, i| text + &format!("{i},{},{}\n", i * i % 17, class(i)))
    };
    s.write("price.csv", table(&|i| format!("{}.5", i / 2)));
    s.write("names.csv", table(&|i| format!("k{}", i / 2)));
    s.write("digits.csv", table(&|i| format!("{}", i % 8)));
    for (file, noted) in [("price.csv", true), ("names.csv", false), ("digits.csv", false)] {
        let run = s.ok(&format!("train {file} --algorithm forest --rounds 5"));
        assert_eq!(run.out.contains("'y' looks like a quantity"), noted, "{file}: {}", run.out);
    }
}

#[test]
fn an_empty_column_is_left_out_with_a_note() {
    let s = Sandbox::new();
    s.write("d.csv", "a,gap,kind\n1,,x\n2,NA,y\n3,?,x\n4,,y\n");
    let run = s.ok("train d.csv");
    assert!(run.out.contains("without a single value: gap"), "{}", run.out);
}

#[test]
fn options_out_of_range() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(60));
    s.refuses("train d.csv --rounds 0", &["--rounds", "0"]);
    s.refuses("train d.csv --rounds -5", &["--rounds", "-5"]);
    s.refuses("train d.csv --depth 99", &["--depth", "99", "8"]);
    s.refuses("train d.csv --algorithm rebell", &["'rebel'"]);
    s.refuses("train d.csv --algorithm adaboost --subcosts paper", &["subcosts"]);
    s.refuses("train d.csv --algorithm gamble --depth 3", &["gamble has no option 'depth'"]);
    s.refuses("train d.csv --algorithm samme --learner similarity", &["cannot boost"]);
    s.refuses("train d.csv --holdout 0.001", &["--holdout 0.001 leaves nothing"]);
    for line in [
        "train d.csv --rouns 5",
        "train",
        "train d.csv --threads 0",
        "train d.csv --time-limit -1",
        "train d.csv --costs a --taxonomy b",
        "nonsense",
    ] {
        let run = s.rebel(line);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "rebel {line}");
        assert!(run.err.starts_with("error: "), "{}", run.err);
    }
    assert_eq!(s.files(), ["d.csv"]);
}

#[test]
fn costs_that_make_no_sense() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(60));
    for (content, words) in [
        (",aster,briar,clover\naster,0,1,1\nbriar,1,0,1\n", &["clover"][..]),
        (",aster,briar,tulip\naster,0,1,1\nbriar,1,0,1\ntulip,1,1,0\n", &["tulip"]),
        (",aster,briar,clover\naster,0,1,1\nbriar,1,0\nclover,1,1,0\n", &["line 3"]),
        (",aster,briar,clover\naster,0,1,1\nbriar,-2,0,1\nclover,1,1,0\n", &["line 3", "aster", "-2"]),
        (",aster,briar,clover\naster,0,1,1\nbriar,1,7,1\nclover,1,1,0\n", &["line 3", "briar", "7"]),
        (",aster,briar,clover\naster,0,1,1\nbriar,x,0,1\nclover,1,1,0\n", &["line 3", "aster", "x"]),
        ("", &["empty"]),
    ] {
        s.write("costs.csv", content);
        s.refuses("train d.csv --costs costs.csv", &[&["costs.csv"], words].concat());
    }
    for (content, words) in [
        ("aster,a\nbriar,a\n", &["clover"][..]),
        ("aster,a\nbriar,a\nclover,b\nb,c\nc,b\na,b\n", &["circle"]),
        ("aster,a\nbriar,a\nclover,a\naster,b\n", &["aster", "two parents"]),
    ] {
        s.write("tree.csv", content);
        s.refuses("train d.csv --taxonomy tree.csv", &[&["tree.csv"], words].concat());
    }
    s.refuses("train d.csv --costs nosuch.csv", &["nosuch.csv", "no such file"]);
}

#[test]
fn a_test_file_that_does_not_fit() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(60)).write("lacks.csv", "length,colour,kind\n1,red,aster\n");
    s.refuses("train d.csv --test lacks.csv --out m2.rebel", &["lacks.csv", "width"]);
    s.refuses("train d.csv --test nosuch.csv --out m2.rebel", &["nosuch.csv"]);
    s.ok("train d.csv --out m.rebel");
    s.refuses("predict m.rebel lacks.csv --out p.csv", &["lacks.csv", "width"]);
    s.write("word.csv", "length,width,colour\n1,2,red\n1,wide,red\n");
    s.refuses("predict m.rebel word.csv --out p.csv", &["word.csv", "line 3", "'width'", "wide"]);
    s.write("unlabelled.csv", "length,width,colour\n1,2,red\n");
    s.refuses("evaluate m.rebel unlabelled.csv", &["unlabelled.csv", "'kind'"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(60));
    std::fs::create_dir(s.path("folder")).unwrap();
    for option in ["--out", "--checkpoint"] {
        s.refuses(&format!("train d.csv {option} nosuch/m.rebel"), &["nosuch"]);
        s.refuses(&format!("train d.csv {option} folder"), &["folder", "directory"]);
        s.refuses(&format!("train d.csv {option} d.csv"), &["d.csv", "replace"]);
    }
    assert_eq!(s.text("d.csv"), flowers(60));
    s.refuses("demo --out nosuch/m.rebel", &["nosuch"]);
    s.ok("train d.csv --out m.rebel");
    s.refuses("predict m.rebel d.csv --out nosuch/p.csv", &["nosuch"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let s = Sandbox::new();
    let rebel = env!("CARGO_BIN_EXE_rebel");
    // Half a kilobyte a file, and a write error instead of a signal.
    let line = format!("trap '' XFSZ; ulimit -f 1; exec {rebel} train builtin:penguins --out m.rebel");
    let run = std::process::Command::new("sh").args(["-c", &line]).current_dir(s.folder()).output().unwrap();
    let error = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{error}");
    assert!(error.contains("m.rebel") && error.contains("cannot write"), "{error}");
    assert!(s.files().is_empty(), "{:?}", s.files());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    let s = Sandbox::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = common::Run::of(s.command("datasets").stdout(full).output().unwrap());
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("standard output"), "{}", run.err);
}

#[test]
fn model_files_that_are_none() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(60));
    s.ok("train d.csv --out m.rebel");
    let good = s.read("m.rebel");
    s.write("cut.rebel", &good[..good.len() / 2]).write("foreign.rebel", "hello").write("none.rebel", "");
    let mut altered = good.clone();
    let middle = altered.len() / 2;
    altered[middle] ^= 1;
    s.write("altered.rebel", &altered);
    // The version follows eight bytes of magic.
    let mut newer = good.clone();
    newer[8] = 99;
    s.write("newer.rebel", &newer);
    for name in ["cut.rebel", "foreign.rebel", "none.rebel", "altered.rebel", "newer.rebel", "nosuch.rebel", "d.csv"]
    {
        for line in
            ["inspect @", "predict @ d.csv --out p.csv", "evaluate @ d.csv", "train d.csv --resume @ --out n.rebel"]
        {
            s.refuses(&line.replace('@', name), &[name]);
        }
    }
    s.refuses("inspect newer.rebel", &["99"]);
}
