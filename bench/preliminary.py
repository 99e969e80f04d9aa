"""What a part of the rows tells about features (thesis Fig. 3.2-3.5), and the faulty heuristic of thesis 3.4.

    bench/preliminary.py [--features 1000] [--rounds 100]

AdaBoost with stumps on CBCL faces, written out in numpy from the definitions, so that it checks nothing of ours and owes nothing to
it. Every tenth round is looked at: rows are added by falling weight, and each feature's best preliminary error is known at every
share Z_m / Z of the weight. Prints and writes results/YYYY-MM-DD-preliminary.md.
"""

import argparse
import tempfile
from datetime import date

import numpy

from peers import HERE
from pruning import faces

SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0]
BINS = 64


def edges(codes, signed):
    """|D| of the best threshold of every feature, and the threshold: one histogram of signed weights a feature."""
    rows, features = codes.shape
    index = (codes + BINS * numpy.arange(features)).ravel()
    sums = numpy.bincount(index, numpy.repeat(signed, features), BINS * features).reshape(features, BINS).cumsum(1)
    reach = numpy.abs(2 * sums - sums[:, -1:])
    return reach.max(1), reach.argmax(1), sums


def cost(errors, order, sizes, first, parts):
    """Rows added by QuickBoost, in units of rows times features: `errors[share]` are Z_m eps by feature at checkpoints."""
    marks = [min(range(len(errors)), key=lambda i: abs(errors[i][0] - (first + (1 - first) * j / parts))) for j in range(parts + 1)]
    marks = sorted(set(marks) | {len(errors) - 1})
    start = errors[marks[0]][1]
    added, best = sizes[marks[0]] * len(start), numpy.inf
    for feature in numpy.argsort(start, kind="stable"):
        for before, now in zip(marks, marks[1:]):
            if errors[before][1][feature] >= best:
                break
            added += sizes[now] - sizes[before]
        else:
            best = min(best, errors[-1][1][feature])
    return added / (sizes[-1] * len(start))


def main():
    """Boosts, looks and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = numpy.load(faces(arguments.features, folder))
    x, y = data[:, :-1], 2 * data[:, -1] - 1
    low, high = x.min(0), x.max(0)
    codes = numpy.minimum((BINS * (x - low) / (high - low)).astype(numpy.int64), BINS - 1)
    weights = numpy.full(len(y), 1 / len(y))
    inside = {top: numpy.zeros(len(SHARES)) for top in ("1", "10", "1 %")}
    rows_at, fails, excess, looks = numpy.zeros(len(SHARES)), 0, 0.0, 0
    costs = {}
    for number in range(1, arguments.rounds + 1):
        reach, cuts, sums = edges(codes, y * weights)
        feature = int(reach.argmax())
        if number % 10 == 0:
            looks += 1
            order = numpy.argsort(-weights, kind="stable")
            masses = weights[order].cumsum()
            checkpoints, sizes = [], []
            for share in sorted(set(SHARES) | {0.9 + 0.005 * i for i in range(20)} | {0.5 + 0.025 * i for i in range(16)}):
                size = min(int(numpy.searchsorted(masses, share * masses[-1])) + 1, len(y))
                part = order[:size]
                found, _, _ = edges(codes[part], (y * weights)[part])
                checkpoints.append((share, (masses[size - 1] - found) / 2))
                sizes.append(size)
            final = checkpoints[-1][1]
            best = int(final.argmin())
            for i, share in enumerate(SHARES):
                at = next(j for j, (s, _) in enumerate(checkpoints) if s == share)
                place = int((checkpoints[at][1] < checkpoints[at][1][best]).sum())
                rows_at[i] += sizes[at] / len(y)
                for top, count in (("1", 1), ("10", 10), ("1 %", max(arguments.features // 100, 1))):
                    inside[top][i] += place < count
            part = next(errors for share, errors in checkpoints if share == 0.75)
            kept = numpy.argsort(part, kind="stable")[:10]
            fails += best not in kept
            excess += final[kept].min() / final[best] - 1
            for first in (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0):
                for parts in (1, 5, 20):
                    costs.setdefault((first, parts), []).append(cost(checkpoints, order, sizes, first, parts))
        error = max((weights.sum() - reach[feature]) / 2 / weights.sum(), 1e-9)
        side = codes[:, feature] <= cuts[feature]
        signs = numpy.where(side, 1, -1) * numpy.sign(2 * sums[feature, cuts[feature]] - sums[feature, -1])
        weights = weights * numpy.exp(-0.5 * numpy.log((1 - error) / error) * y * signs)
        weights /= weights.sum()
    lines = [
        f"# What a part of the rows tells, {date.today().isoformat()}", "",
        f"`bench/preliminary.py`: CBCL faces, {arguments.features} Haar features, {arguments.rounds} stumps, {looks} rounds looked at.", "",
        "Thesis Fig. 3.3 and 3.4: how often the best feature is among the best so far when the heaviest rows that hold a share of the",
        "weight are added.", "", "| Z_m / Z | rows | among the best 1 | 10 | 1 % of the features |", "|---:|---:|---:|---:|---:|",
    ]
    for i, share in enumerate(SHARES):
        chances = " | ".join(f"{100 * inside[top][i] / looks:.0f} %" for top in ("1", "10", "1 %"))
        lines.append(f"| {100 * share:.0f} % | {100 * rows_at[i] / looks:.1f} % | {chances} |")
    lines += [
        "", f"Faulty heuristic (judge on 75 % of the weight, complete the best ten): the best feature was lost in {fails} of {looks} rounds; the error "
        f"of the one taken instead was {100 * excess / looks:.2f} % higher on average over all of them.", "",
        "Thesis Fig. 3.5: additions of QuickBoost in per cent of a full search, by first share eta and number of further parts M.", "",
        "| eta | M = 1 | 5 | 20 |", "|---:|---:|---:|---:|",
    ]
    for first in (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0):
        lines.append(f"| {100 * first:.0f} % | " + " | ".join(f"{100 * numpy.mean(costs[first, parts]):.1f}" for parts in (1, 5, 20)) + " |")
    text = "\n".join(lines) + "\n"
    (HERE / "results" / f"{date.today().isoformat()}-preliminary.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
