"""Detectors: the golden boxes of OpenCV through both classes."""

import csv
import threading
from pathlib import Path

import numpy as np
import pytest

from rebelboost import CascadeClassifier, Detector, RebelError

GOLDEN = Path(__file__).parents[2] / "crates" / "vision" / "tests" / "golden"


def image(name: str) -> np.ndarray:
    # Without an image library: the pixels are 8-bit grey, so PNG is zlib and filters.
    import struct
    import zlib

    data = (GOLDEN / f"{name}.png").read_bytes()
    at, parts, size = 8, b"", (0, 0)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        elif kind == b"IDAT":
            parts += body
        at += 12 + length
    width, height = size
    raw = np.frombuffer(zlib.decompress(parts), np.uint8).reshape(height, width + 1)
    out = np.zeros((height, width), np.int64)
    for y, row in enumerate(raw.astype(np.int64)):
        above = out[y - 1] if y else np.zeros(width, np.int64)
        for x in range(width):
            a, b, c = (out[y, x - 1] if x else 0), above[x], (above[x - 1] if x else 0)
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            out[y, x] = (row[x + 1] + [0, a, b, (a + b) // 2, nearest][row[0]]) % 256
    return out.astype(np.uint8)


@pytest.fixture(scope="module")
def images() -> dict[str, np.ndarray]:
    return {name: image(name) for name in "ab"}


def expected():
    with open(GOLDEN / "boxes.csv", newline="") as file:
        yield from csv.DictReader(file)


def test_boxes_are_those_of_opencv(images):
    for row in expected():
        boxes = [[int(side) for side in box.split()] for box in row["boxes"].split(";") if box]
        sizes = [(int(row[key]), int(row[key])) for key in ("min_size", "max_size")]
        classifier = CascadeClassifier(GOLDEN / f"{row['cascade']}.xml")
        scale, neighbors = float(row["scale_factor"]), int(row["min_neighbors"])
        found = classifier.detectMultiScale(images[row["image"]], scale, neighbors, 0, *sizes)
        assert found.tolist() == boxes


def test_detector_gives_names_and_scores(images):
    detector = Detector(GOLDEN / "stumps.xml")
    found = detector.detect(images["a"])
    assert found and all(0 <= d.score <= 1 and d.neighbors > 3 for d in found)
    assert detector.window == (20, 20)
    colours = np.repeat(images["a"][:, :, None], 3, axis=2)
    assert [d[:4] for d in detector.detect(colours)] == [d[:4] for d in found]
    assert detector.detect(images["a"][::-1, ::2], min_neighbors=0) is not None


def test_threads_may_share_a_detector(images):
    detector = Detector(GOLDEN / "trees.xml")
    alone = detector.detect(images["a"], min_neighbors=0)
    results: list = []
    threads = [
        threading.Thread(target=lambda: results.append(detector.detect(images["a"], min_neighbors=0, n_jobs=2)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [alone] * 4


def test_mistakes_are_said(images, tmp_path):
    with pytest.raises((RebelError, OSError), match="no such file"):
        Detector(tmp_path / "none.xml")
    with pytest.raises(TypeError, match="uint8"):
        Detector(GOLDEN / "lbp.xml").detect(images["a"].astype(float))
    with pytest.raises(ValueError, match="shape"):
        Detector(GOLDEN / "lbp.xml").detect(images["a"].ravel())
    with pytest.raises(ValueError, match="no cascade"):
        CascadeClassifier().detectMultiScale(images["a"])
    assert CascadeClassifier().empty()


def test_a_detector_says_whether_its_scores_are_probabilities():
    assert not Detector(GOLDEN / "stumps.xml").calibrated
    assert not Detector(GOLDEN / "version1.detector").calibrated
    assert Detector(GOLDEN / "version2.detector").calibrated
