//! A random table, written in a random dialect of CSV, is read back as it was.

mod common;
use common::{gzip, read};
use proptest::prelude::*;
use rebelboost::data::{Column, Table};

#[derive(Clone, Debug)]
enum Data {
    Numbers(Vec<Option<f64>>),
    Words(Vec<Option<String>>),
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..256).prop_map(f64::from),
        (-70_000..70_000).prop_map(f64::from),
        any::<f32>().prop_map(f64::from),
        any::<f64>(),
        any::<i64>().prop_map(|v| v as f64),
    ]
    .prop_filter("finite", |v| v.is_finite())
}

/// A word that is neither missing nor a number and has no blanks at its ends.
fn word() -> impl Strategy<Value = String> {
    "w[a-z,;|\" \t\n\u{e9}\u{4e00}0-9.'#-]{0,6}x"
}

fn column(rows: usize) -> impl Strategy<Value = Data> {
    prop_oneof![
        prop::collection::vec(prop::option::weighted(0.9, number()), rows).prop_map(Data::Numbers),
        prop::collection::vec(prop::option::weighted(0.9, word()), rows).prop_map(Data::Words),
    ]
}

fn table() -> impl Strategy<Value = Vec<Data>> {
    (1_usize..20, 2_usize..6).prop_flat_map(|(rows, columns)| prop::collection::vec(column(rows), columns))
}

#[derive(Clone, Debug)]
struct Dialect {
    delimiter: u8,
    end: &'static str,
    quote_all: bool,
    last_end: bool,
    bom: bool,
    zip: bool,
    missing: &'static str,
}

prop_compose! {
    fn dialect()(
        delimiter in prop::sample::select(b",;\t|".to_vec()),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        missing in prop::sample::select(vec!["", "NA", "nan", "?", "null", "N/A", "None", " "]),
        quote_all: bool, last_end: bool, bom: bool, zip: bool,
    ) -> Dialect {
        Dialect { delimiter, end, quote_all, last_end, bom, zip, missing }
    }
}

fn written(data: &[Data], dialect: &Dialect) -> Vec<u8> {
    let rows = match &data[0] {
        Data::Numbers(v) => v.len(),
        Data::Words(v) => v.len(),
    };
    let cell = |text: String| {
        let special = [dialect.delimiter as char, '"', '\n', '\r'];
        match dialect.quote_all || text.contains(special) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    let delimiter = (dialect.delimiter as char).to_string();
    let mut lines = vec![(0..data.len()).map(|i| cell(format!("col {i}"))).collect::<Vec<_>>().join(&delimiter)];
    for row in 0..rows {
        let text = |column: &Data| match column {
            Data::Numbers(v) => v[row].map_or(dialect.missing.to_string(), |v| v.to_string()),
            Data::Words(v) => v[row].clone().unwrap_or(dialect.missing.to_string()),
        };
        lines.push(data.iter().map(|column| cell(text(column))).collect::<Vec<_>>().join(&delimiter));
    }
    let mut text = lines.join(dialect.end);
    if dialect.last_end {
        text.push_str(dialect.end);
    }
    let bytes = if dialect.bom { format!("\u{feff}{text}").into_bytes() } else { text.into_bytes() };
    if dialect.zip { gzip(&bytes) } else { bytes }
}

fn expected(data: &[Data]) -> Table {
    let column = |data: &Data| match data {
        Data::Numbers(v) => Column::numeric(v.iter().map(|v| v.unwrap_or(f64::NAN)).collect()),
        // Nothing but missing values: not known to be words.
        Data::Words(v) if v.iter().all(Option::is_none) => Column::numeric(vec![f64::NAN; v.len()]),
        Data::Words(v) => Column::categorical(v.iter().map(Option::as_deref)),
    };
    Table::new((0..data.len()).map(|i| format!("col {i}")).collect(), data.iter().map(column).collect()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn csv(data in table(), dialect in dialect()) {
        // The delimiter is given: words full of delimiters could make another one look better.
        let options = rebelboost_io::ReadOptions {
            delimiter: Some(dialect.delimiter),
            header: Some(true),
            ..Default::default()
        };
        let source = rebelboost_io::Source::bytes("a.csv", written(&data, &dialect));
        let found = rebelboost_io::read_table(&source, &options).unwrap();
        // NaN differs from itself, its text does not.
        prop_assert_eq!(format!("{found:?}"), format!("{:?}", expected(&data)));
    }

    #[test]
    fn csv_guessed(
        data in prop::collection::vec(prop::collection::vec(number(), 3), 2..5),
        dialect in dialect(),
    ) {
        let data: Vec<Data> = data.into_iter().map(|v| Data::Numbers(v.into_iter().map(Some).collect())).collect();
        let found = read("a.csv", written(&data, &dialect)).unwrap();
        prop_assert_eq!(format!("{found:?}"), format!("{:?}", expected(&data)));
    }
}
