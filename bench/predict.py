"""Microseconds a row of prediction on letter, 26 classes: RebelBoost beside LightGBM, XGBoost and CatBoost.

    bench/run predict

Peers at their defaults. Ours: models of several kinds, compare the errors. REBEL's rounds and the options of softmax-trees were chosen so
that the error is that of LightGBM's default, by the test rows: this measures prediction, not learning. One thread; the 4,000 test rows
twenty times over, so that calls do not count; reading is not timed. The libraries take turns; medians of five. Ours is wall-clock time,
theirs CPU time. One row at a time: `cargo bench --workspace --bench kernels -- predict-row`, in ms for a thousand rows of a model of this size.
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
OURS = {
    "rebel, 1200 trees of depth 4": "--algorithm rebel --depth 4 --rounds 1200",
    "softmax-trees, 150 trees of 128 leaves": "--algorithm softmax-trees --rounds 150 --leaves 128 --learning-rate 0.2 --feature-sample 0.6",
    "softmax-trees, 300 trees, defaults": "--algorithm softmax-trees --rounds 300",
    "forest, 100 trees": "--algorithm forest --rounds 100",
}


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
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    (features, names), (test, truth) = (peers.load(path) for path in peers.files("letter"))
    classes, labels = numpy.unique(names, return_inverse=True)
    truth = numpy.searchsorted(classes, truth)
    many = numpy.tile(test, (TIMES, 1))
    theirs = models(features, labels)
    times, errors = {name: [] for name in [*OURS, *theirs]}, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for part, x, y in (("train", features, labels), ("test", many, numpy.tile(truth, TIMES))):
            numpy.save(folder / f"{part}.npy", numpy.column_stack([x, y]).astype(numpy.float32))
        ours = {name: folder / f"{number}.rebel" for number, name in enumerate(OURS)}
        for name, model in ours.items():
            peers.run([arguments.rebel, "train", str(folder / "train.npy"), *OURS[name].split(), "--json", "--out", str(model)])
        for _ in range(TURNS):
            for name, model in ours.items():
                words = ["evaluate", str(model), str(folder / "test.npy"), "--threads", "1", "--json"]
                result = peers.run([arguments.rebel, *words])["test"]
                times[name].append(1e6 * result["seconds"] / len(many))
                errors[name] = result["error"]
            for name, predict in theirs.items():
                start = time.process_time()
                answers = predict(many)
                times[name].append(1e6 * (time.process_time() - start) / len(many))
                errors[name] = float((answers[: len(truth)] != truth).mean())
    lines = [f"# Prediction on letter, {date.today()}", "", *__doc__.splitlines()[4:9], ""]
    lines += ["| who | test error | us a row | CatBoost's time over this |", "|---|---:|---:|---:|"]
    cat = statistics.median(times["CatBoost"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        lines.append(f"| {name} | {100 * errors[name]:.2f} % | {middle:.2f} | {cat / middle:.2g} |")
    text = "\n".join(lines) + "\n"
    (arguments.out / f"{date.today()}-predict.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
