"""The push of a button on tables as people have them: words beside numbers, gaps, categories of many levels.

    bench/.venv/bin/python bench/mixed.py FOLDER [--only SET ...] [--entries NAME ...]      REBEL=path for another program

FOLDER holds the tables that bench/mixed.R writes from packages of R. Each is cut twice into 75 % for training and 25 % for testing (20,000 rows
of training at most). Everybody gets the columns as their documents ask: CatBoost, LightGBM and XGBoost know which are categories, forests
and logistic regression see one column a level and medians for gaps. One thread, defaults, forests of 500 trees, logistic regression with five
ridges by cross-validation; a peer that takes more than 400 seconds on a table is left out there. Results are added to
bench/results/auto-mixed.json; the tables in auto-mixed.md are made from all of it (--tables alone makes them again).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import numpy
import pandas

from auto import OURS, machine_line
from peers import cpu_seconds
from trees import REBEL

warnings.filterwarnings("ignore")
RESULTS = Path(__file__).resolve().parent / "results" / "auto-mixed.json"
PEERS = ["CatBoost", "LightGBM", "XGBoost", "RandomForest", "ExtraTrees", "LogisticRegression"]
ENTRIES = ["auto", "auto fast", *PEERS]
SPLITS = 2
MOST_ROWS = 20_000
MOST_SECONDS = 400


def cut(path, split):
    """Training and test rows."""
    table = pandas.read_csv(path, low_memory=False, dtype={"class": str}, na_values=[""], keep_default_na=False)
    order = numpy.random.default_rng(1000 + split).permutation(len(table))
    middle = min(len(table) * 3 // 4, MOST_ROWS)
    return table.iloc[order[:middle]], table.iloc[order[middle:]]


def judge(probabilities, classes, truth):
    """Error and log loss; a class that was not seen in training counts in full."""
    place = {name: i for i, name in enumerate(classes)}
    labels = numpy.array([place.get(name, -1) for name in truth])
    p = numpy.asarray(probabilities, float)
    own = numpy.where(labels >= 0, p[numpy.arange(len(labels)), numpy.maximum(labels, 0)], 0)
    return {"error": float((p.argmax(1) != labels).mean()), "log_loss": float(-numpy.log(numpy.maximum(own, 1e-7)).mean())}


def peer(entry, numbers, words):
    """A new classifier for columns of these two kinds, and how it wants the words."""
    if entry == "CatBoost":
        from catboost import CatBoostClassifier

        return CatBoostClassifier(thread_count=1, verbose=False, random_seed=0, allow_writing_files=False, cat_features=words), "words"
    if entry == "LightGBM":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_jobs=1, verbose=-1, random_state=0), "categories"
    if entry == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_jobs=1, random_state=0, enable_categorical=True), "categories"
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    parts = [("numbers", SimpleImputer(strategy="median"), numbers), ("words", OneHotEncoder(handle_unknown="ignore"), words)]
    columns = ColumnTransformer(parts, sparse_threshold=0)
    if entry == "RandomForest":
        return make_pipeline(columns, RandomForestClassifier(500, random_state=0)), "as they are"
    if entry == "ExtraTrees":
        return make_pipeline(columns, ExtraTreesClassifier(500, random_state=0)), "as they are"
    regression = LogisticRegressionCV(Cs=5, cv=4, scoring="neg_log_loss", max_iter=300)
    return make_pipeline(columns, StandardScaler(), regression), "as they are"


def measure(entry, path, split):
    """Trains a peer in this process and prints what it is worth."""
    train, test = cut(path, split)
    classes, labels = numpy.unique(train["class"].values, return_inverse=True)
    x, tx = train.drop(columns="class").copy(), test.drop(columns="class").copy()
    words = [column for column in x if not pandas.api.types.is_numeric_dtype(x[column])]
    model, wanted = peer(entry, [column for column in x if column not in words], words)
    for column in words:
        if wanted == "words":
            x[column], tx[column] = (part[column].astype(object).fillna("missing").astype(str) for part in (x, tx))
        elif wanted == "categories":
            kind = pandas.CategoricalDtype(sorted(set(x[column].dropna())))
            x[column], tx[column] = x[column].astype(kind), tx[column].astype(kind)
    start = cpu_seconds()
    model.fit(x, labels)
    seconds = cpu_seconds() - start
    print(json.dumps({"cpu": seconds, **judge(model.predict_proba(tx), classes, test["class"])}))


def ours(preset, path, split):
    """Trains our program."""
    train, test = cut(path, split)
    with tempfile.TemporaryDirectory() as folder:
        train.to_csv(f"{folder}/train.csv", index=False)
        test.to_csv(f"{folder}/test.csv", index=False)
        options = ["--threads", "1", "--json"]
        command = [REBEL, "train", f"{folder}/train.csv", "--preset", preset, "--out", f"{folder}/m.rebel", *options]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        command = [REBEL, "predict", f"{folder}/m.rebel", f"{folder}/test.csv", "--proba", "--out", f"{folder}/p.csv", *options]
        subprocess.run(command, capture_output=True, text=True, check=True)
        p = pandas.read_csv(f"{folder}/p.csv", dtype=str, keep_default_na=False)
    columns = [column for column in p if column.startswith("p_")]
    result = judge(p[columns].astype(float).values, [column[2:] for column in columns], test["class"])
    return {"cpu": found["train"]["cpu_seconds"], "expected_error": found["estimate"]["error"], **result}


def study(path, entries, results):
    for split in range(SPLITS):
        for entry in entries:
            if entry in OURS:
                result = ours(OURS[entry], path, split)
            else:
                command = [sys.executable, __file__, str(path.parent), "--measure", entry, "--only", path.stem, "--split", str(split)]
                try:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
                except subprocess.TimeoutExpired:
                    print(f"{path.stem} {split} {entry}: more than {MOST_SECONDS} s", flush=True)
                    continue
                if done.returncode != 0:
                    print(f"{path.stem} {split} {entry}: {done.stderr.strip().splitlines()[-1]}", flush=True)
                    continue
                result = json.loads(done.stdout.splitlines()[-1])
            results.setdefault(path.stem, {}).setdefault(entry, {})[str(split)] = result
            print(f"{path.stem} {split} {entry}: error {result['error']:.4f}, {result['cpu']:.1f} CPU s", flush=True)
            RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def tables(results):
    """The tables, as Markdown."""
    names = sorted(results, key=str.lower)
    full = [name for name in names if all(len(results[name].get(entry, {})) == SPLITS for entry in ENTRIES)]
    mean = lambda name, entry, key: statistics.mean(run[key] for run in results[name][entry].values())
    lines = [machine_line()]
    for title, key, factor, digits in (("Test error in %", "error", 100, 2), ("Log loss", "log_loss", 1, 3), ("CPU seconds of training", "cpu", 1, 1)):
        lines += ["", f"## {title}", "", "| set | " + " | ".join(ENTRIES) + " |", "|---" * (len(ENTRIES) + 1) + "|"]
        for name in names:
            cells = [f"{factor * mean(name, e, key):.{digits}f}" if e in results[name] else "-" for e in ENTRIES]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        if not full:
            continue
        combine = sum if key == "cpu" else statistics.mean
        cells = [f"{factor * combine([mean(name, e, key) for name in full]):.{3 if key == 'error' else digits + 1}f}" for e in ENTRIES]
        lines.append(f"| {'sum' if key == 'cpu' else 'mean'} of the {len(full)} that all were run on | " + " | ".join(cells) + " |")
        if key != "cpu":
            ranks = {e: [] for e in ENTRIES}
            for name in full:
                values = {e: mean(name, e, key) for e in ENTRIES}
                for e in ENTRIES:
                    others = list(values.values())
                    ranks[e].append(sum(v < values[e] for v in others) + (sum(v == values[e] for v in others) + 1) / 2)
            lines.append("| mean rank | " + " | ".join(f"{statistics.mean(ranks[e]):.2f}" for e in ENTRIES) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--entries", nargs="+", choices=ENTRIES, default=ENTRIES)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--measure")
    parser.add_argument("--split", type=int)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options.folder / f"{options.only[0]}.csv", options.split)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if not options.tables:
        for path in sorted(options.folder.glob("*.csv"), key=lambda path: path.stat().st_size):
            if options.only is None or path.stem in options.only:
                study(path, options.entries, results)
    RESULTS.with_suffix(".md").write_text(f"# auto against its peers, on tables of R packages\n\n{tables(results)}")
    print(tables(results))


if __name__ == "__main__":
    main()
