"""Localized similarities against support vector machines and neural networks (thesis Fig. 1.2, 5.10 and 5.11).

    bench/.venv/bin/python bench/similarity.py --rebel target/release/rebel [--only SET ...] [--mnist] [--full]

The environment is that of bench/run (scikit-learn is all this needs: python3 -m venv V && V/bin/pip install
scikit-learn). Every measurement is a process of its own, one after the other, on two threads: ours, one SVC with an
RBF kernel at scikit-learn's defaults, the thesis' 5 x 6 grid of C and gamma (3 folds, all rows, refitted), and the four
networks of thesis 5.6 (MLPClassifier at its defaults, 200 epochs at most, one thread). The peers get standardised
features. The thesis names neither the values of its grid nor how its networks were trained.

Training time covers everything from numbers in memory to a finished model: scaling, search and refit. Prediction is
one call for all test rows. On the largest sets the grid is estimated from a few of its 90 fits, and the two networks
whose layers grow with d are left out of isolet and MNIST; --full runs everything.
"""

import argparse
import csv
import gzip
import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

from peers import DATA, HERE, load, machine, run

THREADS = 2
SPLITS = 3
SETS = ["glass", "vowel", "segment", "vehicle", "soybean", "landsat", "optdigits", "pendigits", "letter", "isolet"]
# Their integers are codes of categories.
CATEGORICAL = {"soybean"}
# The grid takes an hour or more: it is estimated.
LARGE = {"letter", "isolet", "mnist"}
# So do networks with layers of 4d and 2d.
WIDE = {"isolet", "mnist"}
# Test errors asked for, default options.
TARGETS = {
    "vowel": 0.34, "pendigits": 0.024, "optdigits": 0.028, "landsat": 0.086, "isolet": 0.040, "segment": 0.065,
    "letter": 0.040,
}
COSTS = [0.1, 1, 10, 100, 1000]
# Times 1/d, the default of scikit-learn for standardised features.
WIDTHS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4]
FOLDS = 3
# Positions in COSTS and WIDTHS of the fits that stand for the grid where it is estimated: a middling one, a fast one (a
# wide kernel) and a slow one (a narrow kernel that makes every row a support).
SAMPLED = [(1, 3), (3, 1), (0, 5)]
NETS = ["net 4d", "net 4K", "net 2d-d", "net 4K-2K"]


# ---- data -----------------------------------------------------------------------------------------------------------


def parts(name, folder):
    """Pairs of training and test file: the official one, or random ones (made in `folder`), classes evenly shared."""
    if name == "mnist":
        return [[DATA / f"{part}-images-idx3-ubyte.gz" for part in ("train", "t10k")]]
    official = [DATA / f"{name}.{part}.csv.gz" for part in ("train", "test")]
    if official[0].exists():
        return [official]
    whole = DATA / f"{name}.csv.gz"
    if not whole.exists():
        return []
    from sklearn.model_selection import train_test_split

    with gzip.open(whole, "rt") as text:
        header, *rows = list(csv.reader(text))
    pairs = []
    for seed in range(SPLITS):
        split = train_test_split(rows, test_size=0.25, random_state=seed, stratify=[row[-1] for row in rows])
        pair = [Path(folder) / f"{name}.{seed}.{part}.csv.gz" for part in ("train", "test")]
        for path, some in zip(pair, split):
            with gzip.open(path, "wt", newline="") as text:
                csv.writer(text).writerows([header, *some])
        pairs.append(pair)
    return pairs


def numbers(name, train, test):
    """Features of both parts as numbers, and their classes."""
    if name not in CATEGORICAL:
        return *load(train), *load(test)
    import numpy
    from sklearn.preprocessing import OneHotEncoder

    def cells(path):
        with gzip.open(path, "rt") as text:
            rows = list(csv.reader(text))[1:]
        return numpy.array([row[:-1] for row in rows]), numpy.array([row[-1] for row in rows])

    (features, labels), (test_features, test_labels) = cells(train), cells(test)
    # An empty cell is a level like any other.
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(features)
    return encoder.transform(features), labels, encoder.transform(test_features), test_labels


# ---- one measurement, in its own process ----------------------------------------------------------------------------


def estimator(method, features, classes):
    """The peer of that name, not yet fitted."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    if method == "SVC":
        return make_pipeline(StandardScaler(), SVC())
    if method == "SVC grid":
        grid = {"svc__C": COSTS, "svc__gamma": [width / features for width in WIDTHS]}
        return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=FOLDS, n_jobs=THREADS)
    layers = {"4d": [4 * features], "4K": [4 * classes], "2d-d": [2 * features, features],
              "4K-2K": [4 * classes, 2 * classes]}
    return make_pipeline(StandardScaler(), MLPClassifier(layers[method.removeprefix("net ")], random_state=0))


def measure_peer(method, name, train, test):
    """Trains a peer here and prints what it took, as JSON."""
    import joblib

    warnings.filterwarnings("ignore")
    features, labels, test_features, test_labels = numbers(name, Path(train), Path(test))
    classes = len(set(labels))
    if method == "SVC grid, estimated":
        print(json.dumps(estimate_grid(features, labels)))
        return
    model = estimator(method, features.shape[1], classes)
    # Threads, not processes, so that their CPU time is counted here; libsvm runs without Python's lock.
    with joblib.parallel_backend("threading"):
        wall, cpu = time.perf_counter(), time.process_time()
        model.fit(features, labels)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    started = time.perf_counter()
    answers = model.predict(test_features)
    predict = (time.perf_counter() - started) / len(answers)
    note = ""
    if method == "SVC grid":
        best = model.best_params_
        note = f"C {best['svc__C']:g}, gamma {best['svc__gamma'] * features.shape[1]:g}/d"
    error = float((answers != test_labels).mean())
    print(json.dumps({"error": error, "wall": wall, "cpu": cpu, "predict": 1e6 * predict, "note": note}))


def estimate_grid(features, labels):
    """What the grid would take: a few of its fits on two of three folds, with their predictions, times 30."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    fit, held = next(StratifiedKFold(FOLDS).split(features, labels))
    cpu = time.process_time()
    for i, j in SAMPLED:
        model = make_pipeline(StandardScaler(), SVC(C=COSTS[i], gamma=WIDTHS[j] / features.shape[1]))
        model.fit(features[fit], labels[fit]).predict(features[held])
    cpu = (time.process_time() - cpu) / len(SAMPLED) * len(COSTS) * len(WIDTHS) * FOLDS
    note = f"estimated from {len(SAMPLED)} of {len(COSTS) * len(WIDTHS) * FOLDS} fits; wall = CPU / {THREADS}"
    return {"error": None, "wall": cpu / THREADS, "cpu": cpu, "predict": None, "note": note}


def measure_rebel(program, name, train, test):
    """Trains our program and reads its JSON."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            program, "train", train, "--test", test, "--learner", "similarity", "--threads", THREADS, "--json",
            "--out", Path(folder) / "model.rebel",
        ]
        if name in CATEGORICAL:
            with gzip.open(train, "rt") as text:
                command += ["--categorical", ",".join(next(csv.reader(text))[:-1])]
        result = run([str(word) for word in command])
    taken, tested = result["train"], result["test"]
    return {
        "error": tested["error"], "wall": taken["seconds"], "cpu": taken["cpu_seconds"],
        "predict": 1e6 * tested["seconds"] / tested["rows"], "rss": result["peak_rss_mb"],
        "note": f"{result['rounds']} rounds, {result['stopped']}",
    }


def measure(method, program, *case):
    """One measurement, in a process of its own."""
    if method == "similarities":
        return measure_rebel(program, *case)
    return run([sys.executable, __file__, "--measure", method, *map(str, case)])


# ---- the whole bench ------------------------------------------------------------------------------------------------


def methods(name, full):
    """What is run on a set."""
    if full:
        return ["similarities", "SVC", "SVC grid", *NETS]
    grid = "SVC grid, estimated" if name in LARGE else "SVC grid"
    return ["similarities", "SVC", grid, *(net for net in NETS if name not in WIDE or "K" in net)]


def bench(arguments, keep):
    """All sets; one record a set and method, means over splits. `keep` gets the records so far after each."""
    records = []
    for name in arguments.only or SETS + ["mnist"] * arguments.mnist:
        with tempfile.TemporaryDirectory() as folder:
            pairs = [pair for pair in parts(name, folder) if all(path.exists() for path in pair)]
            if not pairs:
                print(f"skipped {name}: not in {DATA}", file=sys.stderr)
                continue
            for method in methods(name, arguments.full):
                runs = [measure(method, arguments.rebel, name, *pair) for pair in pairs]
                record = {"set": name, "method": method, "splits": len(runs), "note": runs[0]["note"]}
                for key in ("error", "wall", "cpu", "predict"):
                    known = [taken[key] for taken in runs if taken[key] is not None]
                    record[key] = sum(known) / len(known) if known else None
                records.append(record | {"runs": runs})
                error = "" if record["error"] is None else f"error {record['error']:.4f}, "
                print(f"{name} {method}: {error}{record['cpu']:.2f} s CPU, {record['wall']:.2f} s, "
                      f"{record['note']}", file=sys.stderr)
                keep(records)
    return records


def markdown(head, rows):
    """A table; all columns but the first are numbers."""
    rows = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def show(value, form):
    """A number, or nothing if it was not measured."""
    return "" if value is None else format(value, form)


def summary(records):
    """A line a set: our error and times beside the others', as in Fig. 5.10 and 5.11."""
    head = ["set", "similarities", "asked for", "SVC", "SVC grid", "best net", "grid time / ours", "slowest net / ours",
            "ours / one SVC", "our CPU s", "our us/row", "SVC us/row"]
    lines = []
    for name in dict.fromkeys(record["set"] for record in records):
        of = {record["method"].removesuffix(", estimated"): record for record in records if record["set"] == name}
        if not {"SVC", "SVC grid", NETS[1]} <= of.keys():
            continue
        ours, nets = of["similarities"], [record for method, record in of.items() if method.startswith("net")]
        about = "~" if "estimated" in of["SVC grid"]["note"] else ""
        asked = f"<= {TARGETS[name]:.1%}" if name in TARGETS else ""
        lines.append([
            name, show(ours["error"], ".2%"), asked, show(of["SVC"]["error"], ".2%"),
            show(of["SVC grid"]["error"], ".2%"), show(min(net["error"] for net in nets), ".2%"),
            f"{about}{of['SVC grid']['cpu'] / ours['cpu']:.1f}",
            f"{max(net['cpu'] for net in nets) / ours['cpu']:.1f}", f"{ours['cpu'] / of['SVC']['cpu']:.1f}",
            f"{ours['cpu']:.2f}", show(ours["predict"], ".1f"), show(of["SVC"]["predict"], ".1f"),
        ])
    return markdown(head, lines)


def report(notes, records):
    """The results as Markdown."""
    rows = [
        [f"{r['set']}, {r['method']}", show(r["error"], ".4f"), show(r["wall"], ".2f"), show(r["cpu"], ".2f"),
         show(r["predict"], ".1f"), r["note"]]
        for r in records
    ]
    text = [
        f"# Localized similarities against SVMs and neural networks, {notes['date']}",
        "",
        "Made by `bench/similarity.py` (its head says how): official splits, glass and vehicle means of "
        f"{SPLITS} splits of 75 % / 25 %;",
        f"{THREADS} threads, one measurement after the other, each in its own process. Ratios are of CPU seconds, which",
        "a shared machine disturbs least. `~`: the grid was estimated from a few of its fits. The best net is chosen by",
        "its test error, as in the thesis. Prediction is one call for all test rows, in wall-clock microseconds a row.",
        "",
        summary(records),
        "",
        "## All measurements",
        "",
        markdown(["set and method", "test error", "wall s", "CPU s", "us/row", "note"], rows),
        "",
        "## Machine",
        "",
        *[f"- {key}: {value}" for key, value in notes.items()],
    ]
    return "\n".join(text) + "\n"


def machine_notes(rebel):
    """Those of bench/peers.py, with the peers of this bench."""
    from importlib.metadata import version

    notes = machine(SimpleNamespace(rebel=rebel, repeats=1))
    kept = {key: value for key, value in notes.items() if key not in ("lightgbm", "xgboost", "repeats")}
    return kept | {"scikit-learn": version("scikit-learn"), "numpy": version("numpy"), "threads": THREADS}


def main():
    """Parses the command line; `--measure` is the inner call of one measurement."""
    if sys.argv[1:2] == ["--measure"]:
        measure_peer(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rebel", default="target/release/rebel", help="our program")
    parser.add_argument("--only", action="append", help="this set only; may be repeated")
    parser.add_argument("--mnist", action="store_true", help="MNIST as well (an hour or more)")
    parser.add_argument("--full", action="store_true", help="the whole grid and all networks on every set (hours)")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder of the results")
    arguments = parser.parse_args()
    # One thread for matrix products: with two, OpenBLAS spins while it waits and, on a shared machine, takes up to
    # twenty times as long for the small products of these networks. The threads of the grid are not affected.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    notes = machine_notes(arguments.rebel)
    stem = arguments.out / f"{notes['date']}-similarity{'-' + '-'.join(arguments.only) if arguments.only else ''}"

    def keep(records):
        """Writes what there is so far: an interrupted run keeps what it has."""
        notes["load_after"] = [round(x, 2) for x in os.getloadavg()]
        arguments.out.mkdir(parents=True, exist_ok=True)
        stem.with_suffix(".md").write_text(report(notes, records))
        stem.with_suffix(".json").write_text(json.dumps({"machine": notes, "results": records}, indent=1) + "\n")

    records = bench(arguments, keep)
    if not records:
        sys.exit(f"nothing was measured: no data in {DATA}")
    print(report(notes, records))
    print(f"wrote {stem}.md and .json", file=sys.stderr)


if __name__ == "__main__":
    main()
