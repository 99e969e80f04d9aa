//! The registry for Python: signatures, docstrings and checks are generated from it (`generate.py`).

use pyo3::prelude::*;
use rebelboost::active;
use rebelboost::registry::{ALGORITHMS, Method, all_parameters, default_algorithm};
use rebelboost::settings::{Kind, Parameter};
use serde_json::{Value, json};

/// The algorithm meant by whoever names none but gives these options.
#[pyfunction]
pub fn algorithm_with(options: Vec<String>) -> &'static str {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    rebelboost::registry::algorithm_with(&options).name
}

/// All algorithms and parameters, as JSON.
#[pyfunction]
pub fn registry() -> String {
    let algorithms: Vec<Value> = ALGORITHMS
        .iter()
        .map(|a| {
            json!({
                "name": a.name,
                "summary": a.summary,
                "paper": a.paper,
                "most_classes": a.most_classes,
                "trains_on_costs": a.trains_on_costs,
                "ranks": a.ranks,
                "learners": a.learners,
                "in_rounds": matches!(a.method, Method::Rounds(_)),
                "defaults": a.parameters().map(|p| json!([p.name, p.default])).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "default": default_algorithm().name,
        "algorithms": algorithms,
        "parameters": all_parameters().into_iter().map(parameter).collect::<Vec<_>>(),
        "active": active::PARAMETERS.iter().map(parameter).collect::<Vec<_>>(),
    })
    .to_string()
}

fn parameter(p: &Parameter) -> Value {
    let (kind, auto, words) = match p.kind {
        Kind::Integer(..) => ("int", false, &[][..]),
        Kind::IntegerOrAuto(..) => ("int", true, &[][..]),
        Kind::Real(..) => ("float", false, &[][..]),
        Kind::RealOrAuto(..) => ("float", true, &[][..]),
        Kind::Choice(words) | Kind::ChoiceOrSigns(words) => ("str", false, words),
        Kind::Switch => ("bool", false, &[][..]),
    };
    json!({
        "name": p.name,
        "kind": kind,
        "auto": auto,
        "words": words,
        "range": p.range(),
        "default": p.default,
        "help": p.help,
    })
}
