"""What pruning saves: additions and time of QuickBoost and of the delta filter beside a full search, on faces and digits.

    bench/pruning.py [--rebel PROGRAM] [--only faces|faces-all|mnist|heuristics|paper-sets ...] [--rounds 500]

Faces: CBCL patches, random Haar features (made here), stumps. MNIST: even against odd digits, trees of depth 1, 2 and 4. All ways
give the same model, which is checked. *Additions* are weights added to a sum, in per cent of what a full search of every node
adds; CPU seconds are of training with binning, one thread, ways in turn. `heuristics` is thesis Fig. 3.6-3.8: weight
trimming, LazyBoost and stochastic boosting, each plain and quick, loss and test error by additions.
Writes results/YYYY-MM-DD-pruning.md and .json.
"""

import argparse
import filecmp
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from peers import DATA, HERE, load, machine, run

WAYS = ["off", "quickboost", "delta", "auto"]
PAPER_SETS = ["glass", "vowel", "segment", "pendigits", "optdigits", "landsat", "vehicle", "isolet", "letter", "splice"]
HEURISTICS = {
    "vanilla": [], "trimming 99 %": ["--trim", "0.01"], "trimming 90 %": ["--trim", "0.1"],
    "LazyBoost 90 %": ["--feature-sample", "0.9"], "LazyBoost 50 %": ["--feature-sample", "0.5"],
    "stochastic 50 %": ["--row-sample", "0.5"],
}


def haar(count, images):
    """`count` random Haar features of 19 x 19 patches: two, three and four rectangles, in units of the patch's deviation."""
    import numpy

    random = numpy.random.default_rng(0)
    sums = numpy.zeros((len(images), 20, 20), numpy.int32)
    sums[:, 1:, 1:] = images.astype(numpy.int32).cumsum(1).cumsum(2)
    spread = images.reshape(len(images), -1).astype(numpy.float32).std(1) + 1
    area = lambda x, y, w, h: sums[:, y + h, x + w] - sums[:, y, x + w] - sums[:, y + h, x] + sums[:, y, x]
    out = numpy.empty((len(images), count), numpy.float32)
    made = 0
    while made < count:
        across, down = [(2, 1), (1, 2), (3, 1), (1, 3), (2, 2)][random.integers(5)]
        w, h = across * random.integers(1, 19 // across + 1), down * random.integers(1, 19 // down + 1)
        if w * h < 4:
            continue
        x, y = random.integers(0, 20 - w), random.integers(0, 20 - h)
        whole, a, b = area(x, y, w, h), w // across, h // down
        if (across, down) == (2, 2):
            value = whole - 2 * area(x + a, y, a, b) - 2 * area(x, y + b, a, b)
        else:
            value = whole - across * down * area(x + (across > 1) * a, y + (down > 1) * b, a, b)
        out[:, made] = value / spread
        made += 1
    return out


def faces(count, folder, part="train", every=1):
    """A table of faces and other patches, or of every so many of them."""
    import numpy

    patches = [numpy.load(DATA / "faces" / f"cbcl19_{part}_{kind}.npy")[::every] for kind in ("nonfaces", "faces")]
    labels = numpy.repeat(numpy.arange(2, dtype=numpy.float32), [len(p) for p in patches])
    path = Path(folder) / f"faces{count}.{part}.npy"
    numpy.save(path, numpy.column_stack([haar(count, numpy.concatenate(patches)), labels]))
    return path


def digits(folder, rows, part="train"):
    """Even against odd digits."""
    import numpy

    x, y = load(DATA / f"{part}-images-idx3-ubyte.gz")
    path = Path(folder) / f"mnist.{part}.npy"
    numpy.save(path, numpy.column_stack([x[:rows], (y[:rows] % 2)]).astype(numpy.uint8))
    return path


def train(program, path, options, way, rounds, folder, test=None, algorithm="adaboost"):
    """One run: its JSON and model file."""
    model = Path(folder) / f"{way}.rebel"
    command = [
        program, "train", path, "--algorithm", algorithm, "--rounds", rounds, "--pruning", way, "--threads", 1, "--json", "--history",
        "--out", model, *options, *(["--min-rounds", rounds, "--stop-loss", 0] if algorithm == "adaboost" else []),
    ]
    return run([str(word) for word in command + (["--test", test] if test else [])]), model


def spans(history, ends):
    """Additions in per cent of a full search, between these rounds."""
    out, before = [], {"all": 0, "added": 0}
    for end in ends:
        now = history[min(end, len(history)) - 1]["work"]
        out.append(100 * (now["added"] - before["added"]) / max(now["all"] - before["all"], 1))
        before = now
    return out


def compare(program, name, path, options, rounds, repeats, lines, records):
    """All ways on one table; the models must be equal."""
    ends = [end for end in (100, 500, 2000) if end <= rounds] or [rounds]
    few = max(rounds // 10, 1)
    with tempfile.TemporaryDirectory() as folder:
        times, work = {way: [] for way in WAYS}, {}
        for _ in range(repeats):
            for way in WAYS:
                first, _ = train(program, path, options, way, few, folder)
                result, model = train(program, path, options, way, rounds, folder)
                if way != "off" and not filecmp.cmp(model, Path(folder) / "off.rebel", shallow=False):
                    sys.exit(f"{name}: {way} gives another model")
                taken = result["train"]["cpu_seconds"] - first["train"]["cpu_seconds"]
                times[way].append(taken / (rounds - few))
                work[way] = spans(result["history"], ends)
                print(f"{name} {way}: {1000 * times[way][-1]:.2f} ms a round, {work[way]}", file=sys.stderr)
    medians = {way: statistics.median(times[way]) for way in WAYS}
    for way in WAYS:
        cells = [f"{share:.1f} %" for share in work[way]] + ["-"] * (3 - len(ends))
        speed = medians["off"] / medians[way]
        lines.append(f"| {name} | {way} | {' | '.join(cells)} | {1000 * medians[way]:.2f} | {speed:.2f}x |")
        records.append({"task": name, "way": way, "additions": work[way], "round": medians[way], "runs": times[way]})


def area_over_roc(program, model, path, folder):
    """One minus the area under the ROC curve of a model, on a table of zeros and ones."""
    import numpy

    answers = Path(folder) / "answers.csv"
    subprocess.run([program, "predict", model, path, "--scores", "-q", "--out", answers], check=True, capture_output=True)
    scores = numpy.loadtxt(answers, delimiter=",", skiprows=1, usecols=2)
    positive = numpy.load(path, mmap_mode="r")[:, -1] > 0.5
    order = scores.argsort(kind="stable")
    # Equal scores share their mean rank.
    _, place, counts = numpy.unique(scores[order], return_inverse=True, return_counts=True)
    ranks = (counts.cumsum() - (counts - 1) / 2)[place]
    count = positive.sum()
    return 1 - (ranks[positive[order]].sum() - count * (count + 1) / 2) / (count * (len(scores) - count))


def heuristics(program, rounds, lines, records):
    """Thesis Fig. 3.6-3.8: heuristics, plain and quick: what is reached for how many additions."""
    stages = [stage for stage in (100, 200, 500, 1000, 2000) if stage <= rounds]
    with tempfile.TemporaryDirectory() as folder:
        tasks = {
            "faces": (faces(4300, folder), faces(4300, folder, "test", 4)),
            "MNIST": (digits(folder, 10_000), digits(folder, None, "t10k")),
        }
        for task, (path, test) in tasks.items():
            budget = None
            for name, options in HEURISTICS.items():
                for way in ("off", "quickboost", "delta"):
                    curve = []
                    for stage in stages:
                        result, model = train(program, path, ["--learner", "stump", *options], way, stage, folder, test)
                        last = result["history"][-1]
                        over = 100 * area_over_roc(program, model, test, folder) if task == "faces" else None
                        curve.append([last["work"]["added"] / 1e9, last["loss"], 100 * result["test"]["error"], over])
                    # The additions of the first line, vanilla and plain, up to round 100.
                    budget = budget or curve[stages.index(100)][0]
                    which = 3 if task == "faces" else 2
                    affordable = [stage[which] for stage in curve if stage[0] <= budget]
                    best = min(curve, key=lambda stage: stage[which])
                    area = f"{curve[-1][3]:.2f} %" if task == "faces" else "-"
                    within = f"{min(affordable):.2f} %" if affordable else "-"
                    lines.append(
                        f"| {task} | {name} | {way} | {curve[-1][0]:.3f} | {curve[-1][1]:.3g} | {curve[-1][2]:.2f} % | {area} "
                        f"| {within} | {best[which]:.2f} % for {best[0]:.3f} |"
                    )
                    records.append({"task": f"{task}, {name}", "way": way, "stages": stages, "curve": curve})
                    print(lines[-1], file=sys.stderr)


def main():
    """Parses the command line and runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rebel", default="target/release/rebel", help="our program")
    parser.add_argument("--only", action="append", choices=["faces", "faces-all", "mnist", "heuristics", "paper-sets"])
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    wanted = lambda name: not arguments.only or name in arguments.only
    notes = machine(arguments)
    records = []
    head = ["", "| task | pruning | additions, rounds to 100 | to 500 | to 2000 | ms a round | speed |", "|---|---|---:|---:|---:|---:|---:|"]
    lines = [f"# What pruning saves, {notes['date']}", "", *__doc__.splitlines()[4:9], *head]

    def keep():
        """Writes what there is so far."""
        text = "\n".join(lines + ["", "Machine:", ""] + [f"- {key}: {value}" for key, value in notes.items()]) + "\n"
        stem = arguments.out / f"{notes['date']}-pruning"
        stem.with_suffix(".md").write_text(text)
        stem.with_suffix(".json").write_text(json.dumps({"machine": notes, "results": records}, indent=1) + "\n")

    def case(name, path, options, rounds):
        compare(arguments.rebel, name, path, options, rounds, arguments.repeats, lines, records)
        keep()

    with tempfile.TemporaryDirectory() as folder:
        for count, key in ((4300, "faces"), (20_000, "faces-all")):
            if wanted(key):
                case(f"faces, {count:,} features, stumps", faces(count, folder), ["--learner", "stump"], arguments.rounds)
        if wanted("faces"):
            path = faces(4300, folder)
            case("faces, 4,300 features, depth 2", path, ["--depth", 2], min(arguments.rounds, 500))
        if wanted("mnist"):
            path = digits(folder, 10_000)
            for depth in (1, 2, 4):
                case(f"MNIST, 10,000 rows, depth {depth}", path, ["--depth", depth], min(arguments.rounds, 500))
        if wanted("paper-sets"):
            for name in PAPER_SETS:
                path = next(p for p in (DATA / f"{name}.train.csv.gz", DATA / f"{name}.csv.gz") if p.exists())
                with tempfile.TemporaryDirectory() as models:
                    times = {way: [] for way in ("off", "auto")}
                    for _ in range(max(arguments.repeats, 7)):
                        for way in times:
                            result, _ = train(arguments.rebel, path, ["--depth", 2], way, 200, models, algorithm="one-vs-all")
                            times[way].append(result["train"]["cpu_seconds"])
                off, auto = (statistics.median(times[way]) for way in ("off", "auto"))
                lines.append(f"| {name}, one-vs-all, depth 2 | auto | - | - | - | {5 * auto:.2f} | {off / auto:.2f}x |")
                records.append({"task": name, "way": "auto", "runs": times})
                print(lines[-1], file=sys.stderr)
                keep()
    if wanted("heuristics"):
        lines += ["", "## Heuristics, plain and quick (thesis Fig. 3.6-3.8)", ""]
        lines += [
            f"Up to {arguments.rounds} stumps on 4,300 Haar features of faces (tested on a quarter of the test part), and on even against odd digits (10,000 of MNIST). Additions in",
            "billions, training loss, test error and area over the ROC curve at the end; then the lowest area (MNIST: error) within the",
            "additions that vanilla boosting without pruning makes in 100 rounds, and the lowest of all with its additions.",
            "",
            "| task | heuristic | pruning | additions | loss | test error | area over ROC | within the budget | lowest |",
            "|---|---|---|---:|---:|---:|---:|---:|---:|",
        ]
        heuristics(arguments.rebel, arguments.rounds, lines, records)
        keep()
    print("\n".join(lines))


if __name__ == "__main__":
    main()
