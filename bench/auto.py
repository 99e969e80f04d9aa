"""The push of a button against what others give at their defaults: errors, log loss, costs and times.

    bench/.venv/bin/python bench/auto.py [--only SET ...] [--entries NAME ...] [--seeds N]     REBEL=path for another program
    bench/.venv/bin/python bench/auto.py --others [...]                                        sets of bench/others.py instead

Sets with an official split use it; glass, vehicle and splice are three random 75/25 splits, the same for all (bench/trees.py).
Everything runs on one thread, each training in a process of its own; seconds are CPU seconds of training alone. The peers are at
library defaults, forests with 500 trees, the SVM with standardised features, means for missing values and a grid of 5 x 6 (3 folds). Text
columns are one-hot for the peers; ours gets every file as it is, without an option. Soybean's codes are numbers for all. Costs: the answer
of least expected cost under the probabilities of each, for four kinds of matrices; for the peers also after CalibratedClassifierCV (5 folds,
sigmoid). Needs catboost, lightgbm, xgboost and scikit-learn.

Results are added to bench/results/auto.json (others: auto-others.json); the tables are made from all that is there (--tables alone makes them again).
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import numpy

import others
import trees
from peers import cpu_seconds, machine
from trees import REBEL, matrices

warnings.filterwarnings("ignore")
HERE = Path(__file__).resolve().parent
OURS = {"auto": "best", "auto fast": "fast", "auto single": "single"}
PEERS = ["XGBoost", "LightGBM", "CatBoost", "HistGB", "RandomForest", "ExtraTrees", "SVC grid"]
SETS = ["vowel", "segment", "landsat", "pendigits", "optdigits", "letter", "isolet", "soybean", "shuttle", "glass", "vehicle", "splice"]
# Test errors asked for.
TARGETS = {
    "vowel": 0.36, "segment": 0.038, "landsat": 0.083, "pendigits": 0.0215, "optdigits": 0.020, "letter": 0.030,
    "isolet": 0.038, "soybean": 0.060, "shuttle": 0.0005, "glass": 0.20, "vehicle": 0.175, "splice": 0.032,
}
COSTLY = ["vowel", "landsat", "segment", "pendigits", "vehicle", "glass"]


def peer(entry):
    """A new classifier."""
    if entry == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_jobs=1, random_state=0)
    if entry == "LightGBM":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)
    if entry == "CatBoost":
        from catboost import CatBoostClassifier

        return CatBoostClassifier(thread_count=1, verbose=False, random_seed=0, allow_writing_files=False)
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier

    if entry == "HistGB":
        return HistGradientBoostingClassifier(random_state=0)
    if entry == "RandomForest":
        return RandomForestClassifier(500, random_state=0)
    if entry == "ExtraTrees":
        return ExtraTreesClassifier(500, random_state=0)
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    grid = {"svc__C": [0.1, 1, 10, 100, 1000], "svc__gamma": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3]}
    return GridSearchCV(make_pipeline(SimpleImputer(), StandardScaler(), SVC(random_state=0)), grid, cv=3)


def measure(entry, path, calibrated):
    """Trains a peer on the arrays in a file; prints seconds and where the probabilities are."""
    part = numpy.load(path)
    x, y, tx = part["x"], part["y"], part["tx"]
    # Some peers want labels without gaps: a class may be in the test rows only.
    known, y = numpy.unique(y, return_inverse=True)
    model = peer(entry)
    if calibrated:
        from sklearn.calibration import CalibratedClassifierCV

        model = CalibratedClassifierCV(model, cv=5)
    start = cpu_seconds()
    model.fit(x, y)
    train = cpu_seconds() - start
    start = time.perf_counter()
    answers = known[numpy.asarray(model.predict(tx)).ravel()]
    predict = time.perf_counter() - start
    result = {"cpu": train, "predict": predict, "answers": answers.tolist()}
    if hasattr(model, "predict_proba"):
        p = numpy.zeros((len(tx), part["classes"]))
        p[:, known] = model.predict_proba(tx)
        result["p"] = p.round(7).tolist()
    print(json.dumps(result))


def ours(preset, header, train, test, classes, seed):
    """Trains our program; the same figures."""
    with tempfile.TemporaryDirectory() as folder:
        for part, rows in (("train", train), ("test", test)):
            with open(f"{folder}/{part}.csv", "w", newline="") as out:
                csv.writer(out).writerows([header] + rows)
        command = [REBEL, "train", f"{folder}/train.csv", "--test", f"{folder}/test.csv", "--preset", preset]
        found = run([*command, "--threads", "1", "--seed", str(seed), "--json", "--out", f"{folder}/m.rebel"])
        run([REBEL, "predict", f"{folder}/m.rebel", f"{folder}/test.csv", "--proba", "--threads", "1", "--out", f"{folder}/p.csv", "--json"])
        with open(f"{folder}/p.csv", newline="") as text:
            head, *rows = list(csv.reader(text))
    column = {word: i for i, word in enumerate(head)}
    place = [next(column[w] for w in column if w in (c, f"p_{c}", f"probability_{c}", f"proba_{c}")) for c in classes]
    p = [[float(row[i]) for i in place] for row in rows]
    return {
        "cpu": found["train"]["cpu_seconds"], "predict": found["test"]["seconds"], "p": p,
        "answers": numpy.argmax(p, axis=1).tolist(), "expected_error": found["estimate"]["error"],
        "members": {part["name"]: round(part["weight"], 3) for part in found["members"]},
    }


def run(command):
    """Runs a command that prints JSON."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def cost_matrices(classes):
    """Four kinds, three draws each; zero on the diagonal, the largest cost one."""
    for seed in range(3):
        rng = numpy.random.default_rng(seed)
        plain = rng.random((classes, classes))
        group = rng.integers(0, max(2, classes // 3), classes)
        block = numpy.where(group[:, None] == group[None, :], 0.1, 1.0)
        heavy = numpy.exp(1.5 * rng.standard_normal((classes, classes)))
        dear = numpy.full((classes, classes), 0.1)
        dear[rng.integers(classes)] = 1.0
        for kind, matrix in (("random", plain), ("block", block), ("heavy", heavy), ("one dear class", dear)):
            numpy.fill_diagonal(matrix, 0)
            yield kind, matrix / matrix.max()


def figures(result, labels, classes):
    """What is kept of a measurement."""
    labels = numpy.array(labels)
    kept = {key: result[key] for key in ("cpu", "expected_error", "members") if key in result}
    kept["error"] = float((numpy.array(result["answers"]) != labels).mean())
    kept["us"] = 1e6 * result["predict"] / len(labels)
    if "p" in result:
        p = numpy.array(result["p"])
        kept["log_loss"] = float(-numpy.log(numpy.maximum(p[numpy.arange(len(labels)), labels], 1e-7)).mean())
        kept["costs"] = {}
        for kind, matrix in cost_matrices(classes):
            answers = (p @ matrix).argmin(axis=1)
            kept["costs"].setdefault(kind, []).append(float(matrix[labels, answers].mean()))
    return kept


def study(name, splits, entries, seeds, all_results, file):
    """All entries on one set, one after the other."""
    for split, (header, train, test) in enumerate(splits):
        x, y, tx, ty = matrices(train, test)
        classes = sorted({row[-1] for row in train + test})
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/part.npz"
            numpy.savez(path, x=x, y=y, tx=tx, classes=len(classes))
            for entry in entries:
                label, _, calibrated = entry.partition(", calibrated")
                runs = range(seeds) if label in OURS else [0]
                for seed in runs:
                    if label in OURS:
                        result = ours(OURS[label], header, train, test, classes, seed)
                    else:
                        words = ["--measure", label, "--part", path] + (["--calibrated"] if entry != label else [])
                        result = run([sys.executable, __file__, *words])
                    kept = figures(result, ty, len(classes))
                    all_results.setdefault(name, {}).setdefault(entry, {})[f"{split}.{seed}"] = kept
                    print(f"{name} {split} {entry} {seed}: error {kept['error']:.4f}, {kept['cpu']:.1f} CPU s", flush=True)
                    file.write_text(json.dumps(all_results, indent=1, sort_keys=True) + "\n")


def machine_line():
    """Date, machine and versions, in one line."""
    facts = machine(argparse.Namespace(rebel=REBEL, repeats=1))
    return ", ".join(f"{key} {value}" for key, value in facts.items())


def mean(runs, key):
    return statistics.mean(run[key] for run in runs.values())


def tables(results):
    """The tables, as Markdown."""
    names = [name for name in [*SETS, *others.SETS] if name in results]
    entries = [e for e in [*OURS, *PEERS] if any(e in results[name] for name in names)]
    full = [name for name in names if all(e in results[name] for e in entries)]
    lines = [machine_line(), "", "## Test error in %", "", "| set | asked | " + " | ".join(entries) + " |", "|---" * (len(entries) + 2) + "|"]
    ranks = {e: [] for e in entries}
    for name in names:
        errors = {e: 100 * mean(results[name][e], "error") for e in entries if e in results[name]}
        cells = [f"{errors[e]:.2f}" if e in errors else "-" for e in entries]
        lines.append(f"| {name} | {f'{100 * TARGETS[name]:.2f}' if name in TARGETS else ''} | " + " | ".join(cells) + " |")
        if name in full:
            for e in entries:
                ranks[e].append(sum(other < errors[e] for other in errors.values()) + (sum(other == errors[e] for other in errors.values()) + 1) / 2)
    if full:
        lines.append(f"| mean of {len(full)} sets | | " + " | ".join(f"{100 * statistics.mean(mean(results[n][e], 'error') for n in full):.2f}" for e in entries) + " |")
        lines.append("| mean rank | | " + " | ".join(f"{statistics.mean(ranks[e]):.2f}" for e in entries) + " |")
    for title, key, digits in (("CPU seconds of training, one thread", "cpu", 1), ("Prediction, microseconds a row", "us", 1), ("Log loss", "log_loss", 3)):
        lines += ["", f"## {title}", "", "| set | " + " | ".join(entries) + " |", "|---" * (len(entries) + 1) + "|"]
        has = lambda name, e: e in results[name] and all(key in run for run in results[name][e].values())
        for name in names:
            lines.append(f"| {name} | " + " | ".join(f"{mean(results[name][e], key):.{digits}f}" if has(name, e) else "-" for e in entries) + " |")
        if full:
            lines.append("| sum |" if key == "cpu" else "| mean |")
            combine = sum if key == "cpu" else statistics.mean
            lines[-1] += "".join(f" {combine([mean(results[n][e], key) for n in full]):.{digits}f} |" if all(has(n, e) for n in full) else " - |" for e in entries)
    costly = [name for name in COSTLY if name in results]
    choosers = [e for e in [*OURS, *PEERS, *(f"{p}, calibrated" for p in PEERS)] if all(e in results[n] and "costs" in next(iter(results[n][e].values())) for n in costly)]
    if costly and choosers:
        kinds = ["random", "block", "heavy", "one dear class"]
        lines += ["", f"## Mean test cost, least expected cost ({', '.join(costly)})", "", "| entry | " + " | ".join(kinds) + " | mean |", "|---" * (len(kinds) + 2) + "|"]
        for e in choosers:
            by_kind = [statistics.mean(c for n in costly for run in results[n][e].values() for c in run["costs"][kind]) for kind in kinds]
            lines.append(f"| {e} | " + " | ".join(f"{c:.4f}" for c in [*by_kind, statistics.mean(by_kind)]) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--others", action="store_true", help="sets of bench/others.py")
    parser.add_argument("--only", nargs="+", choices=[*SETS, *others.SETS])
    parser.add_argument("--entries", nargs="+")
    parser.add_argument("--seeds", type=int, default=1, help="runs of ours, with other seeds")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--measure")
    parser.add_argument("--part")
    parser.add_argument("--calibrated", action="store_true")
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options.part, options.calibrated)
    file = HERE / "results" / ("auto-others.json" if options.others else "auto.json")
    source, sets = (others.splits, others.SETS) if options.others else (trees.splits, SETS)
    results = json.loads(file.read_text()) if file.exists() else {}
    if not options.tables:
        for name in options.only or sets:
            also = [f"{p}, calibrated" for p in PEERS if p != "SVC grid"] if name in COSTLY else []
            study(name, source(name), options.entries or [*OURS, *PEERS, *also], options.seeds, results, file)
    title = "auto against its peers" + (", on sets of the KEEL collection" if options.others else "")
    file.with_suffix(".md").write_text(f"# {title}\n\n{tables(results)}")
    print(tables(results))


if __name__ == "__main__":
    main()
