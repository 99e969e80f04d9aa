"""Seconds to a given test error: RebelBoost against LightGBM, XGBoost and CatBoost, one thread each.

A round of ours is one tree for all classes and a round of theirs one tree a class, so equal rounds are not equal models. Here
everyone trains until the test error is reached: CPU seconds of training with binning, reading and judging taken off. Peers
report the time after each round and are judged afterwards, round by round. Our program is trained anew for each number of
rounds of a geometric row, and the first that is good enough counts. Peers run at their defaults, but for depth where it is said.

    bench/run race [--only SET ...]
"""

import argparse
import json
import platform
import sys
import time
from datetime import date
from pathlib import Path

import peers

HERE = Path(__file__).resolve().parent
# Set, test errors to reach (None: that of LightGBM's default model), most rounds of a peer.
RACES = {"letter": ([None], 100), "pendigits": ([None], 100), "mnist": ([0.10, 0.05, 0.03], 100)}
PEERS = ["lightgbm", "xgboost", "catboost"]
OURS = {
    "rebel, depth 4": ["--algorithm", "rebel", "--depth", "4"],
    "softmax-trees": ["--algorithm", "softmax-trees"],
    "random-pairs": ["--algorithm", "random-pairs"],
}
# Rounds of ours; random pairs have none, and are tried by their number.
ROUNDS = [10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640, 900, 1280, 1800, 2560]
PAIRS = [100, 200, 400, 800, 1600, 3000]


def staged(library, name, rounds):
    """Trains a peer and prints CPU seconds and test error after each round, as JSON."""
    import numpy

    (features, train_names), (test_features, test_names) = (peers.load(path) for path in peers.files(name))
    classes, labels = numpy.unique(train_names, return_inverse=True)
    truth = numpy.searchsorted(classes, test_names)
    seconds = []
    start = time.process_time()
    if library == "lightgbm":
        import lightgbm

        options = {"objective": "multiclass", "num_class": len(classes), "num_threads": 1, "verbosity": -1}
        note = lambda _: seconds.append(time.process_time() - start)
        model = lightgbm.train(options, lightgbm.Dataset(features, labels), rounds, callbacks=[note])
        answer = lambda n: model.predict(test_features, num_iteration=n).argmax(axis=1)
    elif library == "xgboost":
        import xgboost

        class Note(xgboost.callback.TrainingCallback):
            def after_iteration(self, model, epoch, evals_log):
                seconds.append(time.process_time() - start)
                return False

        options = {"objective": "multi:softprob", "num_class": len(classes), "nthread": 1, "verbosity": 0}
        matrix = xgboost.QuantileDMatrix(features, labels, nthread=1)
        model = xgboost.train(options, matrix, rounds, callbacks=[Note()])
        test = xgboost.DMatrix(test_features, nthread=1)
        answer = lambda n: model.predict(test, iteration_range=(0, n)).argmax(axis=1)
    else:
        import catboost

        class Note:
            def after_iteration(self, _):
                seconds.append(time.process_time() - start)
                return True

        model = catboost.CatBoostClassifier(
            iterations=rounds, thread_count=1, verbose=False, allow_writing_files=False, loss_function="MultiClass"
        )
        model.fit(features, labels, callbacks=[Note()])
        answer = lambda n: model.predict(test_features, ntree_end=n).ravel()
    stages = sorted({n for n in range(1, rounds + 1) if n <= 10 or n % 5 == 0})
    errors = [float((answer(n) != truth).mean()) for n in stages]
    print(json.dumps([[n, seconds[n - 1], error] for n, error in zip(stages, errors)]))


def of_peer(library, name, rounds):
    return peers.run([sys.executable, __file__, "--measure", library, name, str(rounds)])


def of_ours(program, options, name, target):
    """Sizes of a model, its seconds and its error, until the error is reached."""
    train, test = map(str, peers.files(name))
    size, sizes = ("--pairs", PAIRS) if "random-pairs" in options else ("--rounds", ROUNDS)
    stages = []
    for count in sizes:
        words = [program, "train", train, "--test", test, *options, size, str(count), "--threads", "1", "--json", "-q"]
        result = peers.run([*words, "--out", "/dev/null"])
        stages.append([count, result["train"]["cpu_seconds"], result["test"]["error"]])
        if stages[-1][2] <= target or stages[-1][1] > 300:
            break
    return stages


def first(stages, target):
    return next(((count, seconds) for count, seconds, error in stages if error <= target), None)


def main():
    if sys.argv[1:2] == ["--measure"]:
        library, name, rounds = sys.argv[2:]
        return staged(library, name, int(rounds))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rebel", default="target/release/rebel", help="our program")
    parser.add_argument("--only", action="append", choices=list(RACES))
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    lines = [f"# Seconds to a test error\n\n{date.today()}, {platform.machine()}, one thread, CPU seconds (rounds or pairs).\n"]
    for name in arguments.only or RACES:
        targets, rounds = RACES[name]
        theirs = {library: of_peer(library, name, rounds) for library in PEERS}
        default = theirs["lightgbm"][-1]
        targets = [default[2] if target is None else target for target in targets]
        ours = {who: of_ours(arguments.rebel, options, name, min(targets)) for who, options in OURS.items()}
        lines.append(f"## {name}\n\nLightGBM's default: {100 * default[2]:.2f} % after {default[1]:.2f} s.\n")
        lines.append("| who | " + " | ".join(f"{100 * t:.2f} %" for t in targets) + " | lowest error seen |")
        lines.append("|---" * (len(targets) + 2) + "|")
        for who, stages in [*ours.items(), *theirs.items()]:
            cells = [first(stages, target) for target in targets]
            words = [f"{cell[1]:.2f} ({cell[0]})" if cell else "not reached" for cell in cells]
            lowest = min(stages, key=lambda stage: stage[2])
            lines.append(f"| {who} | " + " | ".join(words) + f" | {100 * lowest[2]:.2f} % ({lowest[1]:.1f} s) |")
            print(lines[-1], flush=True)
        lines.append("")
        (arguments.out / f"{date.today()}-race.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
