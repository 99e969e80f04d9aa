"""The family side by side: the thesis' protocol (4.6) on the sets of its figures, and SAMME against scikit-learn.

    python bench/family.py protocol --rebel target/release/rebel --data DIR [--only SET ...]
    python bench/family.py samme    --rebel target/release/rebel --data DIR      (needs numpy and scikit-learn)

`protocol` runs `rebel compare --protocol thesis` on each set (training and test files put together, large sets
subsampled) and REBEL with similarities once more, and writes results/YYYY-MM-DD-family.md and .json. Results so far are
kept in a checkpoint a set, so it can be interrupted. `samme` trains both on the same rows on one thread, the one after
the other, and writes results/YYYY-MM-DD-samme.md.
"""

import argparse
import datetime
import gzip
import json
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

# Set: rows used at most.
SETS = {
    "glass": None, "vehicle": None, "vowel": None, "segment": None, "landsat": 2000, "optdigits": 2000,
    "pendigits": 2000, "letter": 3000, "mnist": 1000,
}
RESULTS = Path(__file__).parent / "results"


def table(name, data, folder):
    """One file with all rows of a set."""
    if name == "mnist":
        return data / "t10k-images-idx3-ubyte.gz"
    whole = data / f"{name}.csv.gz"
    if whole.exists():
        return whole
    out = folder / f"{name}.csv"
    with out.open("w") as file:
        for part in ["train", "test"]:
            with gzip.open(data / f"{name}.{part}.csv.gz", "rt") as lines:
                header = next(lines)
                if part == "train":
                    file.write(header)
                file.writelines(lines)
    return out


def compare(arguments, name, folder, what, more):
    rows = SETS[name]
    command = [arguments.rebel, "compare", table(name, arguments.data, folder), "--protocol", "thesis", "--json", "--quiet"]
    command += ["--checkpoint", arguments.work / f"{name}-{what}.json", "--threads", str(arguments.threads), *more]
    command += ["--rows", str(rows)] if rows else []
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr}")
    return json.loads(done.stdout)


def protocol(arguments):
    arguments.work.mkdir(parents=True, exist_ok=True)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.only or SETS:
            started = time.time()
            all_of = compare(arguments, name, Path(folder), "all", [])
            similar = compare(
                arguments, name, Path(folder), "similarity", ["--algorithms", "rebel", "--learner", "similarity"]
            )
            row = similar["algorithms"][0]
            all_of["algorithms"].append({**row, "algorithm": "rebel (similarities)"})
            found[name] = all_of
            print(name, f"{time.time() - started:.0f} s", flush=True)
    write(found)


def write(found):
    day = datetime.date.today().isoformat()
    (RESULTS / f"{day}-family.json").write_text(json.dumps(found) + "\n")
    error = lambda name, algorithm: next(
        (a["error"]["mean"] for a in found[name]["algorithms"] if a["algorithm"] == algorithm), None
    )
    algorithms = list(dict.fromkeys(a["algorithm"] for one in found.values() for a in one["algorithms"]))
    algorithms = [a for a in algorithms if any(error(name, a) is not None for name in found)]
    stumps = [a for a in algorithms if a not in ("rebel (similarities)", "softmax-trees", "forest")]
    places = {a: [] for a in algorithms}
    for name in found:
        order = sorted((error(name, a), a) for a in stumps if error(name, a) is not None)
        for place, (_, a) in enumerate(order, 1):
            places[a].append(place)
    mean = lambda values: sum(values) / len(values) if values else float("inf")
    algorithms.sort(key=lambda a: mean(places[a]))
    lines = [
        "# The family under the thesis' protocol (4.6)", "",
        "Five random splits 50/25/25, at most 200 stumps, their number chosen on the validation part; test error in % with the",
        "standard deviation between splits. Places are among boosters of stumps only. Made by `bench/family.py protocol`.", "",
        "| algorithm | " + " | ".join(f"{name} ({found[name]['rows']})" for name in found) + " | mean place | 1st, 2nd, 3rd |",
        "|---|" + "---|" * (len(found) + 2),
    ]
    for a in algorithms:
        cells = []
        for name in found:
            row = next((r for r in found[name]["algorithms"] if r["algorithm"] == a), None)
            mean_error = row and row["error"]["mean"]
            cells.append("failed" if mean_error is None else f"{100 * mean_error:.1f} ± {100 * (row['error']['deviation'] or 0):.1f}")
        best = [places[a].count(place) for place in (1, 2, 3)]
        place = f"{mean(places[a]):.1f}" if places[a] else "-"
        lines.append(f"| {a} | " + " | ".join(cells) + f" | {place} | {best if places[a] else '-'} |")
    (RESULTS / f"{day}-family.md").write_text("\n".join(lines) + "\n")


def samme(arguments):
    import numpy
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    def letter():
        read = lambda part: [line.rstrip("\n").split(",") for line in gzip.open(arguments.data / f"letter.{part}.csv.gz", "rt")][1:]
        split = lambda rows: (numpy.array([r[:-1] for r in rows], dtype=numpy.float32), numpy.array([r[-1] for r in rows]))
        return split(read("train")), split(read("test"))

    def mnist():
        def read(prefix, count):
            images = gzip.open(arguments.data / f"{prefix}-images-idx3-ubyte.gz").read()[16:]
            labels = gzip.open(arguments.data / f"{prefix}-labels-idx1-ubyte.gz").read()[8:]
            pixels = numpy.frombuffer(images, dtype=numpy.uint8).reshape(-1, 784)[:count]
            return pixels.astype(numpy.float32), numpy.frombuffer(labels, dtype=numpy.uint8)[:count].astype(str)
        return read("train", 10_000), read("t10k", 10_000)

    lines = [
        "# SAMME against scikit-learn's AdaBoostClassifier", "",
        f"One thread, the same rows, in turn, {arguments.repeats} times; medians. Made by `bench/family.py samme`.", "",
        "| data | trees | rebel: error, seconds | scikit-learn: error, seconds | faster |", "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, load, leaves, rounds in [
            ("letter (16,000)", letter, 2, 100), ("letter (16,000)", letter, 15, 100),
            ("MNIST (10,000)", mnist, 2, 20), ("MNIST (10,000)", mnist, 15, 20),
        ]:
            (x, y), (tx, ty) = load()
            files = []
            for part, (features, classes) in {"train": (x, y), "test": (tx, ty)}.items():
                path = Path(folder) / f"{part}.csv"
                with path.open("w") as file:
                    file.write(",".join(f"f{i}" for i in range(features.shape[1])) + ",class\n")
                    for row, label in zip(features, classes):
                        file.write(",".join(f"{v:g}" for v in row) + f",{label}\n")
                files.append(path)
            command = [arguments.rebel, "train", files[0], "--test", files[1], "--algorithm", "samme", "--leaves", leaves,
                       "--rounds", rounds, "--threads", 1, "--out", Path(folder) / "m.rebel", "--json", "--quiet"]
            times = []
            for _ in range(arguments.repeats):
                done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True)
                ours = json.loads(done.stdout)
                trees = DecisionTreeClassifier(max_leaf_nodes=leaves)
                theirs = AdaBoostClassifier(trees, n_estimators=rounds, random_state=0)
                before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
                theirs.fit(x, y)
                times.append((ours["train"]["cpu_seconds"], resource.getrusage(resource.RUSAGE_SELF).ru_utime - before))
            error = float((theirs.predict(tx) != ty).mean())
            cpu, seconds = (statistics.median(side) for side in zip(*times))
            lines.append(
                f"| {name} | {rounds} of {leaves} leaves | {100 * ours['test']['error']:.1f} %, {cpu:.2f} | "
                f"{100 * error:.1f} %, {seconds:.2f} | {seconds / cpu:.0f} x |"
            )
            print(lines[-1], flush=True)
    lines += ["", "Seconds are CPU seconds of training alone (binning included, reading the file not)."]
    (RESULTS / f"{datetime.date.today().isoformat()}-samme.md").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["protocol", "samme"])
    parser.add_argument("--rebel", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("target/family"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3, help="of samme")
    parser.add_argument("--only", nargs="*", choices=list(SETS))
    arguments = parser.parse_args()
    {"protocol": protocol, "samme": samme}[arguments.what](arguments)


if __name__ == "__main__":
    main()
