"""The Python door in figures: scikit-learn's checks, latency of one row, import time, overhead over the Rust API.

    bench/.venv/bin/pip install ./python        (bench/run makes the environment)
    bench/.venv/bin/python bench/python.py [checks] [latency] [import] [overhead]

Prints tables in Markdown. Libraries take turns where times are compared. MNIST is read from the shared data.
"""

import gzip
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

# HistGradientBoosting has no other way to be asked for one thread.
os.environ["OMP_NUM_THREADS"] = "1"

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def peers(**parameters):
    """One of each, at the same number of rounds."""
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier
    from xgboost import XGBClassifier

    from rebelboost import RebelClassifier

    rounds = parameters.get("rounds", 100)
    return {
        "RebelBoost": RebelClassifier(algorithm="rebel", rounds=rounds, n_jobs=1),
        "RebelBoost softmax-trees": RebelClassifier(algorithm="softmax-trees", rounds=rounds, n_jobs=1),
        "LightGBM": LGBMClassifier(n_estimators=rounds, n_jobs=1, verbose=-1),
        "XGBoost": XGBClassifier(n_estimators=rounds, n_jobs=1),
        "HistGradientBoosting": HistGradientBoostingClassifier(max_iter=rounds),
    }


def checks():
    """Failures of `check_estimator`."""
    from lightgbm import LGBMClassifier
    from sklearn import __version__
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.utils.estimator_checks import check_estimator
    from xgboost import XGBClassifier

    from rebelboost import RebelClassifier

    print(f"\n## check_estimator, scikit-learn {__version__}\n\n| | passed | failed | expected to fail | skipped |\n|---|---|---|---|---|")
    for estimator in (
        RebelClassifier(), LGBMClassifier(verbose=-1), XGBClassifier(), HistGradientBoostingClassifier()
    ):
        found = Counter(check["status"] for check in check_estimator(estimator, on_fail=None, on_skip=None))
        counts = " | ".join(str(found[status]) for status in ("passed", "failed", "xfail", "skipped"))
        print(f"| {type(estimator).__name__} | {counts} |", flush=True)


def latency():
    """`predict` of one row, as an array of one row and ten classes."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    models = {name: model.fit(X, y) for name, model in peers().items()}
    times = {name: [] for name in models}
    for turn in range(5):
        for name, model in models.items():
            for i in range(40):
                row = X[i : i + 1]
                start = time.perf_counter()
                model.predict(row)
                times[name].append(time.perf_counter() - start)
    print("\n## One row, digits (64 features, 10 classes), 100 rounds, one thread\n\n| | median | best |\n|---|---|---|")
    for name, values in times.items():
        print(f"| {name} | {1e6 * statistics.median(values):.0f} us | {1e6 * min(values):.0f} us |")


def import_time():
    """Seconds in fresh processes."""
    scripts = {
        "import rebelboost": ("", "import rebelboost"),
        "from rebelboost import RebelClassifier, scikit-learn included": ("", "from rebelboost import RebelClassifier"),
        "the same, scikit-learn already loaded": (
            "import sklearn.base, sklearn.utils.validation, sklearn.utils.multiclass, sklearn.utils.class_weight, joblib",
            "from rebelboost import RebelClassifier",
        ),
    }
    print("\n## Import, median of 7 processes\n\n| | seconds |\n|---|---|")
    for name, (before, script) in scripts.items():
        code = f"{before}\nimport time; t = time.perf_counter()\n{script}\nprint(time.perf_counter() - t)"
        times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(7)]
        print(f"| {name} | {statistics.median(times):.3f} |")


def mnist(kind):
    """Images and labels."""
    import numpy as np

    def read(name, skip):
        return np.frombuffer(gzip.decompress((DATA / name).read_bytes()), np.uint8, offset=skip)

    return read(f"{kind}-images-idx3-ubyte.gz", 16).reshape(-1, 784), read(f"{kind}-labels-idx1-ubyte.gz", 8)


def overhead():
    """Time of the door beside that of the library's own calls, for bytes and for float64."""
    import numpy as np

    from rebelboost import RebelClassifier

    X, y = mnist("train")
    T, _ = mnist("t10k")
    print("\n## MNIST, 200 rounds of depth 2, two threads\n")
    print("| | library | door in all | overhead |\n|---|---|---|---|")
    for kind in (np.uint8, np.float64):
        A, B = X.astype(kind), T.astype(kind)
        model = RebelClassifier(algorithm="rebel", rounds=200, n_jobs=2)
        start = time.perf_counter()
        model.fit(A, y)
        whole = time.perf_counter() - start
        print(f"| train, {A.dtype} | {model.seconds_:.2f} s | {whole:.2f} s | {whole / model.seconds_ - 1:.1%} |", flush=True)
        door, library = [], []
        for _ in range(7):
            start = time.perf_counter()
            model.predict(B)
            door.append(time.perf_counter() - start)
            rows, threads = model._rows(B)
            start = time.perf_counter()
            model.model_.decide(model.model_.scores(rows, threads))
            library.append(time.perf_counter() - start)
        a, b = statistics.median(library), statistics.median(door)
        print(f"| predict 10,000 rows, {A.dtype} | {a:.3f} s | {b:.3f} s | {b / a - 1:.1%} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parts = {"checks": checks, "latency": latency, "import": import_time, "overhead": overhead}
    for part in sys.argv[1:] or parts:
        parts[part]()
