"""A round of GAMBLE against a multi-class round of LightGBM and XGBoost: 15 leaves, one thread, CPU seconds.

    bench/.venv/bin/python bench/gamble.py --rebel target/release/rebel [--only SET ...] [--data DIR] [--repeats N]

A round is one tree for all classes with us and one tree a class with the peers. Every measurement is a process of its
own and the libraries take turns, as in peers.py. Each trains once for few rounds and once for more: the difference,
divided by the rounds between, is the time of a round without binning. Writes results/YYYY-MM-DD-gamble.md and .json.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import peers

LIBRARIES = ["gamble", "lightgbm", "xgboost"]
LEAVES = 15
# Set: few rounds and more.
ROUNDS = {"pendigits": (20, 120), "letter": (20, 120), "mnist": (2, 12)}


def measure_peer(library, name, rounds):
    """Trains a peer here and prints what it took, as JSON."""
    import numpy

    (features, train_names), (test_features, test_names) = (peers.load(path) for path in peers.files(name))
    classes, labels = numpy.unique(train_names, return_inverse=True)
    if library == "lightgbm":
        import lightgbm

        cpu = peers.cpu_seconds()
        options = {
            "objective": "multiclass", "num_class": len(classes), "num_leaves": LEAVES, "max_bin": 255,
            "num_threads": 1, "verbosity": -1, "seed": 0,
        }
        model = lightgbm.train(options, lightgbm.Dataset(features, labels), num_boost_round=rounds)
        cpu = peers.cpu_seconds() - cpu
        answers = model.predict(test_features).argmax(axis=1)
    else:
        import xgboost

        cpu = peers.cpu_seconds()
        options = {
            "objective": "multi:softmax", "num_class": len(classes), "tree_method": "hist", "max_depth": 0,
            "grow_policy": "lossguide", "max_leaves": LEAVES, "nthread": 1, "verbosity": 0, "seed": 0,
        }
        model = xgboost.train(options, xgboost.QuantileDMatrix(features, labels, nthread=1), num_boost_round=rounds)
        cpu = peers.cpu_seconds() - cpu
        answers = model.predict(xgboost.DMatrix(test_features, nthread=1)).astype(int)
    print(json.dumps({"cpu": cpu, "error": float((classes[answers] != test_names).mean())}))


def measure(library, arguments, name, rounds):
    """One measurement, in a process of its own."""
    if library != "gamble":
        here = ["--data", str(peers.DATA), "--measure", library, name, str(rounds)]
        return peers.run([sys.executable, __file__, *here])
    train, test = peers.files(name)
    with tempfile.TemporaryDirectory() as folder:
        command = [
            arguments.rebel, "train", train, "--test", test, "--algorithm", "gamble", "--leaves", LEAVES, "--rounds",
            rounds, "--threads", 1, "--seed", 0, "--json", "--out", Path(folder) / "model.rebel",
        ]
        result = peers.run([str(word) for word in command])
    return {"cpu": result["train"]["cpu_seconds"], "error": result["test"]["error"]}


def bench(arguments):
    """All sets, the libraries in turn; one record a set and library."""
    records = []
    for name, (few, more) in ROUNDS.items():
        if arguments.only and name not in arguments.only:
            continue
        missing = [path.name for path in peers.files(name) if not path.exists()]
        if missing:
            print(f"skipped {name}: {', '.join(missing)} not in {peers.DATA}", file=sys.stderr)
            continue
        runs = {library: [] for library in LIBRARIES}
        for _ in range(arguments.repeats):
            for library in LIBRARIES:
                first, last = (measure(library, arguments, name, rounds) for rounds in (few, more))
                taken = last | {"cpu_few": first["cpu"], "round": (last["cpu"] - first["cpu"]) / (more - few)}
                runs[library].append(taken)
                print(f"{name} {library}: {taken['cpu']:.2f} s, {1e3 * taken['round']:.2f} ms a round", file=sys.stderr)
        for library in LIBRARIES:
            medians = {key: statistics.median(r[key] for r in runs[library]) for key in runs[library][0]}
            records.append({"set": name, "library": library, "rounds": more} | medians | {"runs": runs[library]})
    return records


def report(notes, records):
    """The results as Markdown."""
    ours = {r["set"]: r for r in records if r["library"] == "gamble"}
    rows = [["set", "rounds", "library", "ms a round", "ratio", "CPU s with binning", "ratio", "test error"]]
    rows.append(["---"] * 3 + ["---:"] * 5)
    for r in records:
        own = ours[r["set"]]
        rows.append([
            r["set"], str(r["rounds"]), r["library"], f"{1e3 * r['round']:.2f}", f"{r['round'] / own['round']:.1f}",
            f"{r['cpu']:.2f}", f"{r['cpu'] / own['cpu']:.1f}", f"{100 * r['error']:.2f} %",
        ])
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    text = [
        f"# A round of GAMBLE against LightGBM and XGBoost, {notes['date']}",
        "",
        f"Made by `bench/gamble.py`: {LEAVES} leaves, one thread, CPU seconds, medians of {notes['repeats']} runs taken in turn.",
        "A round is one tree for all classes with us and one tree a class with the others: equal rounds are not equal models, so",
        "read the errors too. Learning rates are each library's default (ours 1, LightGBM 0.1, XGBoost 0.3).",
        "",
        table,
        "",
        "Machine:",
        "",
        *[f"- {key}: {value}" for key, value in notes.items()],
        "",
    ]
    return "\n".join(text)


def main():
    """Reads the arguments and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rebel", default="target/release/rebel")
    parser.add_argument("--only", nargs="*", choices=list(ROUNDS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.data:
        peers.DATA = arguments.data
    if arguments.measure:
        library, name, rounds = arguments.measure
        measure_peer(library, name, int(rounds))
        return
    notes = peers.machine(arguments)
    records = bench(arguments)
    notes["load_after"] = [round(x, 2) for x in os.getloadavg()]
    out = peers.HERE / "results" / f"{notes['date']}-gamble"
    out.with_suffix(".json").write_text(json.dumps({"machine": notes, "records": records}, indent=1) + "\n")
    text = report(notes, records)
    out.with_suffix(".md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
