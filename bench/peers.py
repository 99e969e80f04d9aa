"""RebelBoost against LightGBM and XGBoost at equal rounds, depth and threads.

Run by bench/run. Every measurement is a process of its own, so that CPU time and peak memory are its own, and the
libraries take turns (A B C A B C ...), so that a busy machine is unfair to all alike. Times cover training with
binning, not reading the data; peak memory covers everything, the data and the Python interpreter included. CPU
seconds (user + system) are disturbed less by a busy machine than wall-clock seconds.

Equal rounds are not equal models: a round is one tree with us and one tree a class with the peers. So cases on one
thread have a last line in which we grow as many trees as they do.
"""

import argparse
import gzip
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
LIBRARIES = ["rebelboost", "lightgbm", "xgboost"]
CLASSES = {"mnist": 10, "letter": 26, "pendigits": 10, "isolet": 26}
# Set, depth, threads. MNIST carries the claim; the others show where it holds.
CASES = [("mnist", depth, threads) for threads in (1, 2) for depth in (2, 4)] + [
    (name, 4, 1) for name in ("letter", "pendigits", "isolet")
]


# ---- data -----------------------------------------------------------------------------------------------------------


def files(name):
    """Training and test file of a set."""
    if name == "mnist":
        return [DATA / f"{part}-images-idx3-ubyte.gz" for part in ("train", "t10k")]
    return [DATA / f"{name}.{part}.csv.gz" for part in ("train", "test")]


def load(path):
    """Features and class names of a file, as numpy arrays."""
    import numpy

    if path.name.endswith("idx3-ubyte.gz"):
        labels = path.with_name(path.name.replace("images-idx3", "labels-idx1"))
        with gzip.open(path) as images, gzip.open(labels) as classes:
            features = numpy.frombuffer(images.read(), numpy.uint8, offset=16).reshape(-1, 28 * 28)
            return features, numpy.frombuffer(classes.read(), numpy.uint8, offset=8)
    with gzip.open(path, "rt") as text:
        rows = [line.rstrip("\n").split(",") for line in text][1:]
    return numpy.array([row[:-1] for row in rows], numpy.float32), numpy.array([row[-1] for row in rows])


def shape(name):
    """Rows and features of the training part, for the memory bound."""
    features, _ = load(files(name)[0])
    return features.shape


# ---- one measurement, in its own process ----------------------------------------------------------------------------


def cpu_seconds():
    """CPU seconds of this process and its threads."""
    times = os.times()
    return times.user + times.system


def peak_rss_mb():
    """Most memory this process held, in MB (2^20 bytes)."""
    try:
        status = Path("/proc/self/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    except OSError:
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def measure_peer(library, name, depth, threads, rounds):
    """Trains a peer here and prints what it took, as JSON."""
    import numpy

    (features, train_names), (test_features, test_names) = (load(path) for path in files(name))
    classes, labels = numpy.unique(train_names, return_inverse=True)
    before = peak_rss_mb()
    if library == "lightgbm":
        import lightgbm

        wall, cpu = time.perf_counter(), cpu_seconds()
        options = {
            "objective": "multiclass", "num_class": len(classes), "num_leaves": 2**depth, "max_depth": depth,
            "max_bin": 255, "num_threads": threads, "verbosity": -1, "seed": 0,
        }
        model = lightgbm.train(options, lightgbm.Dataset(features, labels), num_boost_round=rounds)
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        answers = model.predict(test_features).argmax(axis=1)
    else:
        import xgboost

        wall, cpu = time.perf_counter(), cpu_seconds()
        options = {
            "objective": "multi:softmax", "num_class": len(classes), "tree_method": "hist", "max_depth": depth,
            "nthread": threads, "verbosity": 0, "seed": 0,
        }
        matrix = xgboost.QuantileDMatrix(features, labels, nthread=threads)
        model = xgboost.train(options, matrix, num_boost_round=rounds)
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        answers = model.predict(xgboost.DMatrix(test_features, nthread=threads)).astype(int)
    error = float((classes[answers] != test_names).mean())
    print(json.dumps({"cpu": cpu, "wall": wall, "error": error, "rss": peak_rss_mb(), "rss_loaded": before}))


def measure_rebel(program, name, depth, threads, rounds):
    """Trains our program and reads its JSON."""
    train, test = files(name)
    with tempfile.TemporaryDirectory() as folder:
        command = [
            program, "train", train, "--test", test, "--algorithm", "rebel", "--learner", "tree", "--depth", depth,
            "--rounds", rounds, "--min-rounds", rounds, "--threads", threads, "--seed", 0, "--json",
            "--out", Path(folder) / "model.rebel",
        ]
        result = run([str(word) for word in command])
    return {
        "cpu": result["train"]["cpu_seconds"], "wall": result["train"]["seconds"],
        "error": result["test"]["error"], "rss": result["peak_rss_mb"],
    }


def run(command):
    """Runs a command that prints JSON."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nfailed with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def measure(library, program, *case):
    """One measurement of one library, in a process of its own."""
    if library == "rebelboost":
        return measure_rebel(program, *case)
    return run([sys.executable, __file__, "--measure", library, *map(str, case)])


# ---- the whole bench ------------------------------------------------------------------------------------------------


def bench(arguments, keep):
    """All cases, in turn; one record a case and library. `keep` gets the records so far after each case."""
    records = []
    for name, depth, threads in CASES:
        if arguments.only and name not in arguments.only:
            continue
        missing = [path.name for path in files(name) if not path.exists()]
        if missing:
            print(f"skipped {name}: {', '.join(missing)} not in {DATA}", file=sys.stderr)
            continue
        runs = {library: [] for library in LIBRARIES}
        for turn in range(arguments.repeats):
            for library in LIBRARIES:
                taken = measure(library, arguments.rebel, name, depth, threads, arguments.rounds)
                runs[library].append(taken)
                words = f"{name} depth {depth} threads {threads} turn {turn + 1} {library}"
                print(f"{words}: {taken['cpu']:.2f} s CPU, {taken['wall']:.2f} s", file=sys.stderr)
        case = {"set": name, "depth": depth, "threads": threads}
        for library in LIBRARIES:
            medians = {key: statistics.median(r[key] for r in runs[library]) for key in runs[library][0]}
            records.append(
                case | {"rounds": arguments.rounds, "library": library} | medians | {"runs": runs[library]}
            )
        if threads == 1:
            rounds = arguments.rounds * CLASSES[name]
            taken = measure("rebelboost", arguments.rebel, name, depth, threads, rounds)
            print(f"{name} depth {depth} rounds {rounds}: {taken['cpu']:.2f} s CPU", file=sys.stderr)
            records.append(case | {"rounds": rounds, "library": "rebelboost, equal trees"} | taken | {"runs": [taken]})
        keep(records)
    return records


def machine(arguments):
    """What a reader must know to judge the numbers."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor() or platform.machine()
    from importlib.metadata import version

    describe = ["git", "-C", str(HERE), "--no-optional-locks", "describe", "--always", "--dirty", "--exclude", "*"]
    return {
        "date": date.today().isoformat(), "cpu": cpu, "cores": os.cpu_count(),
        "load_before": [round(x, 2) for x in os.getloadavg()], "system": platform.platform(),
        "python": platform.python_version(), "commit": run_text(describe),
        "rebelboost": run_text([arguments.rebel, "--version"]), "lightgbm": version("lightgbm"),
        "xgboost": version("xgboost"), "repeats": arguments.repeats,
    }


def run_text(command):
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def report(notes, records):
    """The results as Markdown."""
    ours = {(r["set"], r["depth"], r["threads"]): r for r in records if r["library"] == "rebelboost"}
    head = ["set", "depth", "threads", "library", "CPU s", "wall s", "CPU ratio", "wall ratio", "test error", "peak MB"]
    rows = [head, ["---"] * 4 + ["---:"] * 6]
    for r in records:
        own = ours[r["set"], r["depth"], r["threads"]]
        rows.append([
            r["set"], str(r["depth"]), str(r["threads"]), r["library"], f"{r['cpu']:.2f}", f"{r['wall']:.2f}",
            f"{r['cpu'] / own['cpu']:.1f}", f"{r['wall'] / own['wall']:.1f}", f"{100 * r['error']:.2f} %",
            f"{r['rss']:.0f}",
        ])
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    rounds = records[0]["rounds"]
    runs = "one run each" if notes["repeats"] == 1 else f"medians of {notes['repeats']} runs taken in turn"
    text = [
        f"# Against LightGBM and XGBoost, {notes['date']}",
        "",
        f"Made by `bench/run`: {rounds} rounds, {runs}, each in its own process.",
        "A round is one tree for all classes with us and one tree a class with the others; in the lines `equal trees` (one",
        "run) we grow as many trees as they do. CPU (user + system) and wall seconds are of training with binning, without",
        "reading data; a ratio above 1 says how many times longer than our first line it takes. Peak memory is of the",
        "whole process: data and, for the peers, Python with its libraries (about 150 MB). Learning rates are each",
        "library's default (ours 1, LightGBM 0.1, XGBoost 0.3). On a busy machine, two-thread CPU times of the peers are",
        "too high, probably because their threads wait by spinning.",
        "",
        table,
        "",
    ]
    for (name, depth, threads), own in ours.items():
        if name == "mnist":
            rows_, columns = shape(name)
            bound = (2.5 * rows_ * columns + 300e6) / 2**20
            text.append(f"- memory, {name} depth {depth}, {threads} threads: {own['rss']:.0f} MB; allowed {bound:.0f} MB")
    text += ["", "Machine:", ""] + [f"- {key}: {value}" for key, value in notes.items()]
    return "\n".join(text) + "\n"


def main():
    """Parses the command line; `--measure` is the inner call of one measurement."""
    if sys.argv[1:2] == ["--measure"]:
        library, name, *numbers = sys.argv[2:]
        measure_peer(library, name, *map(int, numbers))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rebel", default="target/release/rebel", help="our program")
    parser.add_argument("--rounds", type=int, help="boosting rounds (100)")
    parser.add_argument("--repeats", type=int, help="runs of each, of which the median counts (3)")
    parser.add_argument("--quick", action="store_true", help="10 rounds, once each: does it work?")
    parser.add_argument("--only", action="append", help="this set only; may be repeated")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder of the results")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (10 if arguments.quick else 100)
    arguments.repeats = arguments.repeats or (1 if arguments.quick else 3)
    notes = machine(arguments)
    stem = arguments.out / f"{notes['date']}-{'-'.join(arguments.only or ['mnist'])}"

    def keep(records):
        """Writes what there is so far: an interrupted run keeps its finished cases."""
        notes["load_after"] = [round(x, 2) for x in os.getloadavg()]
        if not arguments.quick:
            arguments.out.mkdir(parents=True, exist_ok=True)
            stem.with_suffix(".md").write_text(report(notes, records))
            stem.with_suffix(".json").write_text(json.dumps({"machine": notes, "results": records}, indent=1) + "\n")

    records = bench(arguments, keep)
    if not records:
        sys.exit(f"nothing was measured: no data in {DATA}")
    print(report(notes, records))
    if not arguments.quick:
        print(f"wrote {stem}.md and .json", file=sys.stderr)


if __name__ == "__main__":
    main()
