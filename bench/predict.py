"""Microseconds a row of prediction on letter, 26 classes: RebelBoost beside LightGBM, XGBoost and CatBoost.

    bench/run predict [--rounds 640]

Peers at their defaults; ours a chain of REBEL's trees of depth 4 (`--rounds`; compare the errors: 1200 are as good as LightGBM's default). One
thread; the 4,000 test rows twenty times over, so that calls do not count; reading is not timed. The libraries take turns; medians of five.
Ours is wall-clock time, theirs CPU time.
"""

import argparse
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path

import numpy

import peers

HERE = Path(__file__).resolve().parent
TIMES, TURNS = 20, 5


def models(features, labels):
    """Peers by name: what answers many rows."""
    import catboost
    import lightgbm
    import xgboost

    light = lightgbm.LGBMClassifier(n_jobs=1, verbosity=-1).fit(features, labels)
    extreme = xgboost.XGBClassifier(n_jobs=1, verbosity=0).fit(features, labels)
    cat = catboost.CatBoostClassifier(thread_count=1, verbose=False, allow_writing_files=False).fit(features, labels)
    return {
        "LightGBM": lambda x: light.predict(x),
        "XGBoost": lambda x: extreme.predict(x),
        "CatBoost": lambda x: cat.predict(x, thread_count=1).ravel(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rebel", default="target/release/rebel", help="our program")
    parser.add_argument("--rounds", type=int, default=640)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    (features, names), (test, truth) = (peers.load(path) for path in peers.files("letter"))
    classes, labels = numpy.unique(names, return_inverse=True)
    truth = numpy.searchsorted(classes, truth)
    many = numpy.tile(test, (TIMES, 1))
    theirs = models(features, labels)
    times, errors = {name: [] for name in ["rebel", *theirs]}, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for part, x, y in (("train", features, labels), ("test", many, numpy.tile(truth, TIMES))):
            numpy.save(folder / f"{part}.npy", numpy.column_stack([x, y]).astype(numpy.float32))
        model = folder / "letter.rebel"
        words = ["train", folder / "train.npy", "--algorithm", "rebel", "--depth", 4, "--rounds", arguments.rounds, "--json", "--out", model]
        peers.run([arguments.rebel, *map(str, words)])
        evaluate = [arguments.rebel, "evaluate", str(model), str(folder / "test.npy"), "--threads", "1", "--json"]
        for _ in range(TURNS):
            result = peers.run(evaluate)["test"]
            times["rebel"].append(1e6 * result["seconds"] / len(many))
            errors["rebel"] = result["error"]
            for name, predict in theirs.items():
                start = time.process_time()
                answers = predict(many)
                times[name].append(1e6 * (time.process_time() - start) / len(many))
                errors[name] = float((answers[: len(truth)] != truth).mean())
    lines = [f"# Prediction on letter, {date.today()}", "", *__doc__.splitlines()[4:8], ""]
    lines += ["| who | test error | us a row | times ours |", "|---|---:|---:|---:|"]
    ours = statistics.median(times["rebel"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        who = f"rebel, {arguments.rounds} trees of depth 4" if name == "rebel" else name
        lines.append(f"| {who} | {100 * errors[name]:.2f} % | {middle:.2f} | {middle / ours:.1f} |")
    text = "\n".join(lines) + "\n"
    (arguments.out / f"{date.today()}-predict.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
