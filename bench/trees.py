"""softmax-trees and forest against the tree ensembles of scikit-learn and LightGBM, all at their defaults, one thread.

    bench/trees.py [SET ...]          the program is target/release/rebel (REBEL=path for another)

Test error in % and CPU seconds of training (ours: of the whole process, reading and testing included). Sets with an official split use it;
glass, vehicle and splice are three random 75/25 splits, the same for all. Text columns are one-hot for the peers; ours gets them as
text. Soybean's codes are numbers for all.
"""

import csv
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import numpy

warnings.filterwarnings("ignore")
HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
DATA = Path(os.environ.get("DATA", DATA))
REBEL = os.environ.get("REBEL", str(HERE.parent / "target" / "release" / "rebel"))
OFFICIAL = ["vowel", "segment", "landsat", "pendigits", "optdigits", "letter", "isolet", "soybean"]
SPLIT = ["splice", "glass", "vehicle"]


def read(path):
    with gzip.open(path, "rt", newline="") as text:
        rows = list(csv.reader(text))
    return rows[0], rows[1:]


def splits(name):
    """Header, training rows and test rows, for each split."""
    if (DATA / f"{name}.train.csv.gz").exists():
        header, train = read(DATA / f"{name}.train.csv.gz")
        yield header, train, read(DATA / f"{name}.test.csv.gz")[1]
        return
    header, rows = read(DATA / f"{name}.csv.gz")
    for seed in range(3):
        order = numpy.random.default_rng(seed).permutation(len(rows))
        cut = len(rows) * 3 // 4
        yield header, [rows[i] for i in order[:cut]], [rows[i] for i in order[cut:]]


def matrices(train, test):
    """Numbers for the peers: columns of text one-hot."""
    both = train + test
    columns = []
    for j in range(len(both[0]) - 1):
        values = [row[j] for row in both]
        if not all(is_number(value) for value in values):
            columns += [[value == level for value in values] for level in sorted(set(values))]
        else:
            columns.append([float(value) if value else numpy.nan for value in values])
    features = numpy.array(columns, numpy.float32).T
    _, labels = numpy.unique([row[-1] for row in both], return_inverse=True)
    n = len(train)
    return features[:n], labels[:n], features[n:], labels[n:]


def is_number(word):
    try:
        float(word or "nan")
    except ValueError:
        return False
    return True


def peers():
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier

    return {
        "ExtraTrees 500": lambda: ExtraTreesClassifier(500, random_state=0),
        "RandomForest 500": lambda: RandomForestClassifier(500, random_state=0),
        "HistGB": lambda: HistGradientBoostingClassifier(random_state=0),
        "LightGBM": lambda: LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
    }


def ours(algorithm, header, train, test):
    with tempfile.TemporaryDirectory() as folder:
        for part, rows in (("train", train), ("test", test)):
            with open(f"{folder}/{part}.csv", "w", newline="") as out:
                csv.writer(out).writerows([header] + rows)
        command = [REBEL, "train", f"{folder}/train.csv", "--test", f"{folder}/test.csv", "--algorithm", algorithm]
        command += ["--threads", "1", "--json", "--out", f"{folder}/m.rebel"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return json.loads(run.stdout)["test"]["error"] * 100, cpu


def main():
    names = sys.argv[1:] or OFFICIAL + SPLIT
    columns = ["softmax-trees", "forest", *peers()]
    print("| set | " + " | ".join(columns) + " |\n|---" * 1 + "|---" * len(columns) + "|")
    for name in names:
        sums = {column: [0.0, 0.0] for column in columns}
        count = 0
        for header, train, test in splits(name):
            count += 1
            x, y, tx, ty = matrices(train, test)
            for column in columns:
                if column in peers():
                    start = time.process_time()
                    model = peers()[column]().fit(x, y)
                    cpu = time.process_time() - start
                    error = float((model.predict(tx) != ty).mean() * 100)
                else:
                    error, cpu = ours(column, header, train, test)
                sums[column][0] += error
                sums[column][1] += cpu
        cells = [f"{e / count:.2f} ({t / count:.1f} s)" for e, t in sums.values()]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
