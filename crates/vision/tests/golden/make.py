"""Makes the golden files: synthetic images, random cascades, and the boxes that OpenCV 4.14 finds.

python -m pip install opencv-python-headless==4.14.*; python make.py
"""

import csv
from pathlib import Path

import cv2
import numpy as np

here = Path(__file__).parent
random = np.random.default_rng(2001)


def image(width, height):
    y, x = np.mgrid[:height, :width]
    out = 128 + 40 * np.sin(x / 7.0) * np.cos(y / 9.0)
    for _ in range(12):
        cx, cy, r = random.uniform(0, width), random.uniform(0, height), random.uniform(3, 20)
        out += random.uniform(-90, 90) * (np.hypot(x - cx, y - cy) < r)
    out += random.normal(0, 6, out.shape)
    return out.clip(0, 255).astype(np.uint8)


def haar_feature(size, tilted):
    while True:
        w, h = random.integers(2, 8, 2)
        kind = random.integers(3)
        if tilted:
            x, y = random.integers(0, size, 2)
            parts = [(x, y, 2 * w, h, -1.0), (x, y, w, h, 2.0)]
            ok = all(x - h >= 0 and x + w <= size and y + w + h <= size for x, y, w, h, _ in parts)
        elif kind == 0:
            x, y = random.integers(0, size, 2)
            parts = [(x, y, 2 * w, h, -1.0), (x + w, y, w, h, 2.0)]
            ok = x + 2 * w <= size and y + h <= size
        else:
            x, y = random.integers(0, size, 2)
            parts = [(x, y, 2 * w, 2 * h, -1.0), (x, y, w, h, 2.0), (x + w, y + h, w, h, 2.0)]
            ok = x + 2 * w <= size and y + 2 * h <= size
        if ok:
            return parts


def cascade(name, size, stages, trees, nodes, tilted=False, lbp=False):
    features, text = [], []
    for _ in range(stages):
        weak = []
        for _ in range(trees):
            inner, leaves = [], []
            for node in range(nodes):
                if lbp:
                    w, h = random.integers(1, size // 3, 2)
                    features.append(f"<_><rect>{random.integers(0, size - 3 * w + 1)} {random.integers(0, size - 3 * h + 1)} {w} {h}</rect></_>")
                    test = " ".join(str(v) for v in random.integers(-2**31, 2**31, 8))
                else:
                    turned = tilted and random.random() < 0.5
                    rects = "".join(f"<_>{a} {b} {c} {d} {e}</_>" for a, b, c, d, e in haar_feature(size, turned))
                    features.append(f"<_><rects>{rects}</rects><tilted>{int(turned)}</tilted></_>")
                    test = repr(float(np.float32(random.normal(0, 0.03))))
                # The last node has two leaves, each other one a leaf and the next node.
                left = -len(leaves)
                leaves.append(random.uniform(-1, 1))
                if node + 1 < nodes:
                    right = node + 1
                else:
                    right = -len(leaves)
                    leaves.append(random.uniform(-1, 1))
                inner.append(f"{left} {right} {len(features) - 1} {test}")
            weak.append(f"<_><internalNodes>{' '.join(inner)}</internalNodes><leafValues>{' '.join(repr(float(v)) for v in leaves)}</leafValues></_>")
        text.append(f"<_><maxWeakCount>{trees}</maxWeakCount><stageThreshold>{random.uniform(-0.1, 0.3)!r}</stageThreshold><weakClassifiers>{''.join(weak)}</weakClassifiers></_>")
    kind = "LBP" if lbp else "HAAR"
    (here / f"{name}.xml").write_text(
        f"<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade><stageType>BOOST</stageType><featureType>{kind}</featureType>"
        f"<height>{size}</height><width>{size}</width><stageParams><maxWeakCount>{trees}</maxWeakCount></stageParams>"
        f"<featureParams><maxCatCount>{256 if lbp else 0}</maxCatCount></featureParams><stageNum>{stages}</stageNum>\n<stages>"
        + "\n".join(text) + "</stages>\n<features>" + "\n".join(features) + "</features></cascade>\n</opencv_storage>\n"
    )


images = {"a": image(150, 100), "b": image(83, 121)}
for name, pixels in images.items():
    cv2.imwrite(str(here / f"{name}.png"), pixels)


def until_some_boxes(name, *shape, **kind):
    """Random cascades until one finds some, but not too many."""
    while True:
        cascade(name, *shape, **kind)
        classifier = cv2.CascadeClassifier(str(here / f"{name}.xml"))
        if all(60 <= len(classifier.detectMultiScale(pixels, 1.1, 0)) <= 250 for pixels in images.values()):
            return


until_some_boxes("stumps", 20, 5, 3, 1)
until_some_boxes("trees", 18, 4, 3, 2)
until_some_boxes("tilted", 20, 5, 3, 1, tilted=True)
until_some_boxes("lbp", 24, 5, 3, 1, lbp=True)

with open(here / "boxes.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow("cascade,image,scale_factor,min_neighbors,min_size,max_size,boxes".split(","))
    for name in ["stumps", "trees", "tilted", "lbp"]:
        classifier = cv2.CascadeClassifier(str(here / f"{name}.xml"))
        assert not classifier.empty()
        for key, pixels in images.items():
            for scale, neighbors, low, high in [(1.1, 0, 0, 0), (1.1, 3, 0, 0), (1.37, 2, 25, 60), (1.25, 1, 31, 31)]:
                found = classifier.detectMultiScale(pixels, scale, neighbors, 0, (low, low), (high, high))
                boxes = sorted(tuple(int(v) for v in box) for box in found)
                out.writerow([name, key, scale, neighbors, low, high, ";".join(" ".join(map(str, box)) for box in boxes)])
                print(name, key, scale, neighbors, len(boxes))
