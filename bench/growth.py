"""How the time of training grows with classes, rows and features, beside LightGBM, XGBoost and CatBoost.

    bench/growth.py [--rebel PROGRAM] [--only classes|rows|features ...] [--repeats 3]

Synthetic tables (nonlinear classes, seeded), depth 4, one thread. Every measurement is a process of its own and the libraries take
turns. CPU seconds are of training with binning, without reading. A round is one tree for all classes with us and one tree a class
with the others: the cost of a round is the difference of two runs of few and more rounds, divided by the rounds between.
Writes results/YYYY-MM-DD-growth.md, .json and .svg.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from peers import HERE, cpu_seconds, machine, peak_rss_mb, run

LIBRARIES = ["rebel", "adaboost", "lightgbm", "xgboost", "catboost"]
DEPTH = 4
# Axis, rows, features, classes, few rounds, more rounds.
CASES = (
    [("classes", 10_000, 50, classes, 5, 25) for classes in (2, 10, 26, 100, 1000)]
    + [("rows", rows, 50, 2, 10, 100) for rows in (10_000, 100_000, 1_000_000)]
    + [("rows", 10_000_000, 50, 2, 2, 12)]
    + [("features", 500, features, 3, 5, 25) for features in (2_000, 20_000)]
)
# One round of a peer with a thousand classes takes seconds.
FEWER = {1000: (1, 3)}


def table(rows, features, classes, path):
    """A seeded table: classes by the largest of noisy nonlinear scores; the class is the last column."""
    import numpy

    random = numpy.random.default_rng(1)
    x = random.standard_normal((rows, features)).astype(numpy.float32)
    used = min(features, 50)
    linear, waves = (random.standard_normal((used, classes)).astype(numpy.float32) for _ in range(2))
    labels = numpy.empty(rows, numpy.float32)
    for start in range(0, rows, 100_000):
        part = x[start : start + 100_000, :used]
        noise = random.standard_normal((len(part), classes)).astype(numpy.float32)
        labels[start : start + 100_000] = (0.6 * part @ linear + numpy.sin(2 * part) @ waves + 2 * noise).argmax(1)
    numpy.save(path, numpy.column_stack([x, labels]))


def measure_peer(library, path, rounds):
    """Trains a peer here and prints what it took, as JSON."""
    import numpy

    data = numpy.load(path)
    x, (names, y) = numpy.ascontiguousarray(data[:, :-1]), numpy.unique(data[:, -1], return_inverse=True)
    del data
    classes = len(names)
    if library == "lightgbm":
        import lightgbm

        options = {
            "objective": "multiclass" if classes > 2 else "binary", "num_leaves": 2**DEPTH, "max_depth": DEPTH,
            "num_threads": 1, "verbosity": -1,
        } | ({"num_class": classes} if classes > 2 else {})
        wall, cpu = time.perf_counter(), cpu_seconds()
        lightgbm.train(options, lightgbm.Dataset(x, y), num_boost_round=rounds)
    elif library == "xgboost":
        import xgboost

        options = {
            "objective": "multi:softmax" if classes > 2 else "binary:logistic", "tree_method": "hist",
            "max_depth": DEPTH, "nthread": 1, "verbosity": 0,
        } | ({"num_class": classes} if classes > 2 else {})
        wall, cpu = time.perf_counter(), cpu_seconds()
        xgboost.train(options, xgboost.QuantileDMatrix(x, y, nthread=1), num_boost_round=rounds)
    else:
        from catboost import CatBoostClassifier

        model = CatBoostClassifier(
            iterations=rounds, depth=DEPTH, thread_count=1, verbose=False, allow_writing_files=False,
            loss_function="MultiClass" if classes > 2 else "Logloss",
        )
        wall, cpu = time.perf_counter(), cpu_seconds()
        model.fit(x, y)
    print(json.dumps({"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - wall, "rss": peak_rss_mb()}))


def measure(library, program, path, rounds):
    """One measurement in a process of its own."""
    if library not in ("rebel", "adaboost"):
        return run([sys.executable, __file__, "--measure", library, str(path), str(rounds)])
    with tempfile.TemporaryDirectory() as folder:
        command = [
            program, "train", path, "--algorithm", library, "--depth", DEPTH, "--rounds", rounds, "--min-rounds",
            rounds, "--stop-loss", 0, "--threads", 1, "--json", "--out", Path(folder) / "model.rebel",
        ]
        result = run([str(word) for word in command])
    return {
        "cpu": result["train"]["cpu_seconds"], "wall": result["train"]["seconds"], "rss": result["peak_rss_mb"],
    }


def bench(arguments, keep):
    """All cases; `keep` gets the records so far after each."""
    records = []
    for axis, rows, features, classes, few, more in CASES:
        if arguments.only and axis not in arguments.only:
            continue
        few, more = FEWER.get(classes, (few, more))
        libraries = [name for name in LIBRARIES if name != "adaboost" or classes == 2]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.npy"
            table(rows, features, classes, path)
            runs = {library: [] for library in libraries}
            for turn in range(arguments.repeats):
                for library in libraries:
                    first, last = (measure(library, arguments.rebel, path, rounds) for rounds in (few, more))
                    taken = last | {"round": (last["cpu"] - first["cpu"]) / (more - few)}
                    runs[library].append(taken)
                    words = f"{axis}: {rows} x {features}, K = {classes}, turn {turn + 1}, {library}"
                    print(f"{words}: {taken['cpu']:.2f} s, {1000 * taken['round']:.1f} ms a round", file=sys.stderr)
        for library in libraries:
            medians = {key: statistics.median(run_[key] for run_ in runs[library]) for key in runs[library][0]}
            case = {"axis": axis, "rows": rows, "features": features, "classes": classes, "rounds": more}
            records.append(case | {"library": library} | medians | {"runs": runs[library]})
        keep(records)
    return records


def report(notes, records):
    """The results as Markdown."""
    key = lambda r: (r["rows"], r["features"], r["classes"])
    ours = {key(r): r for r in records if r["library"] == "rebel"}
    lines = [
        f"# How training grows, {notes['date']}", "",
        "Made by `bench/growth.py`: depth 4, one thread, synthetic tables; medians of "
        f"{notes['repeats']} runs taken in turn. CPU seconds of training with binning for all rounds; *a round* is the difference",
        "of two runs. Ratios are to our `rebel` (above 1: they take longer). A round is one tree with us, one a class with the others.",
        "", "| rows | features | K | library | rounds | CPU s | wall s | ms a round | round, ratio | peak MB |",
        "|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for r in records:
        ratio = r["round"] / max(ours[key(r)]["round"], 1e-9)
        lines.append(
            f"| {r['rows']:,} | {r['features']:,} | {r['classes']} | {r['library']} | {r['rounds']} | {r['cpu']:.2f} | "
            f"{r['wall']:.2f} | {1000 * r['round']:.1f} | {ratio:.1f} | {r['rss']:.0f} |"
        )
    lost = [r for r in records if r["library"] not in ("rebel", "adaboost") and r["round"] < ours[key(r)]["round"]]
    lines += ["", "Where we lose (a round of theirs takes less than one of ours):", ""]
    lines += [f"- {r['rows']:,} x {r['features']:,}, K = {r['classes']}: {r['library']}" for r in lost] or ["- nowhere"]
    lines += ["", "Machine:", ""] + [f"- {name}: {value}" for name, value in notes.items()]
    return "\n".join(lines) + "\n"


def plot(records):
    """Milliseconds a round by classes, as SVG: both axes logarithmic."""
    import math

    points = {}
    for r in records:
        if r["axis"] == "classes" and r["round"] > 0:
            points.setdefault(r["library"], []).append((math.log10(r["classes"]), math.log10(1000 * r["round"])))
    if not points:
        return None
    every = [p for line in points.values() for p in line]
    low, high = min(p[1] for p in every), max(p[1] for p in every)
    at = lambda p: (70 + 480 * (p[0] - 0.3) / 2.7, 330 - 290 * (p[1] - low) / max(high - low, 1e-9))
    colours = dict(zip(LIBRARIES, ["#c0392b", "#e67e22", "#2e7d32", "#1565c0", "#6a1b9a"]))
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 380" font-family="sans-serif" font-size="13">']
    out.append('<rect width="680" height="380" fill="#fff"/><text x="70" y="24">CPU milliseconds a round by number of classes</text>')
    for classes in (2, 10, 26, 100, 1000):
        x = at((math.log10(classes), low))[0]
        out.append(f'<text x="{x:.0f}" y="355" text-anchor="middle">{classes}</text>')
        out.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="40" y2="335" stroke="#eee"/>')
    for power in range(math.ceil(low), math.floor(high) + 1):
        y = at((0.3, power))[1]
        out.append(f'<text x="60" y="{y + 4:.0f}" text-anchor="end">{10**power:g}</text>')
        out.append(f'<line x1="70" x2="550" y1="{y:.0f}" y2="{y:.0f}" stroke="#eee"/>')
    # Labels in the order of the lines' ends, pushed apart where they would meet.
    height = None
    for name, line in sorted(points.items(), key=lambda item: at(max(item[1]))[1]):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, sorted(line)))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colours[name]}" stroke-width="2"/>')
        x, y = at(max(line))
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colours[name]}"/>')
        height = y if height is None else max(y, height + 15)
        out.append(f'<text x="{x + 8:.0f}" y="{height + 4:.0f}" fill="{colours[name]}">{name}</text>')
    return "\n".join(out) + "</svg>\n"


def main():
    """Parses the command line; `--measure` is the inner call of one measurement."""
    if sys.argv[1:2] == ["--measure"]:
        measure_peer(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rebel", default="target/release/rebel", help="our program")
    parser.add_argument("--only", action="append", choices=["classes", "rows", "features"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    notes = machine(arguments)
    stem = arguments.out / f"{notes['date']}-growth"

    def keep(records):
        """Writes what there is so far."""
        stem.with_suffix(".md").write_text(report(notes, records))
        stem.with_suffix(".json").write_text(json.dumps({"machine": notes, "results": records}, indent=1) + "\n")
        picture = plot(records)
        if picture:
            stem.with_suffix(".svg").write_text(picture)

    print(report(notes, bench(arguments, keep)))


if __name__ == "__main__":
    main()
