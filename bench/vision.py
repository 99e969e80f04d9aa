"""Vision beside OpenCV 4.14: CPU time of the same cascades on the same images in one run, and our XML in OpenCV.

    cargo build --release -p rebelboost-vision --example faces
    python -m venv venv && venv/bin/pip install opencv-python-headless==4.14.*
    venv/bin/python bench/vision.py target/release/examples/faces ../shared/data/faces [OUR.xml]
"""

import json
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import cv2
import numpy as np

program, faces = sys.argv[1], Path(sys.argv[2])


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def ours(model: Path, images: Path, threads: int) -> tuple[float, int]:
    before = cpu(resource.RUSAGE_CHILDREN)
    out = subprocess.run([program, "time", model, images, str(threads)], capture_output=True, text=True, check=True)
    return cpu(resource.RUSAGE_CHILDREN) - before, json.loads(out.stdout)["boxes"]


def theirs(model: Path, images: Path, threads: int) -> tuple[float, int]:
    """In a process of its own, like ours, with reading and decoding counted in both."""
    code = (
        "import cv2, sys, zipfile, numpy as np; cv2.setNumThreads(int(sys.argv[3])); c = cv2.CascadeClassifier(sys.argv[1]);"
        "z = zipfile.ZipFile(sys.argv[2]);"
        "print(sum(len(c.detectMultiScale(cv2.imdecode(np.frombuffer(z.read(n), np.uint8), 0))) for n in z.namelist()))"
    )
    base = cpu(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import cv2, numpy"], check=True)
    start = cpu(resource.RUSAGE_CHILDREN)
    out = subprocess.run([sys.executable, "-c", code, model, images, str(threads)], capture_output=True, text=True, check=True)
    # Less what starting Python costs.
    return cpu(resource.RUSAGE_CHILDREN) - start - (start - base), int(out.stdout)


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    zipfile.ZipFile(faces / "opencv_cascades.zip").extractall(folder)
    sets = {"CMU+MIT, every 16th": folder / "cmu.zip", "VGA": folder / "vga.zip"}
    with zipfile.ZipFile(faces / "cmu_mit_frontal_test.zip") as source:
        names = sorted(source.namelist())[::16]
        with zipfile.ZipFile(sets["CMU+MIT, every 16th"], "w") as some:
            for each in names:
                some.writestr(each, source.read(each))
        with zipfile.ZipFile(sets["VGA"], "w") as vga:
            for each in names[:8]:
                image = cv2.imdecode(np.frombuffer(source.read(each), np.uint8), 0)
                vga.writestr(each, cv2.imencode(".png", cv2.resize(image, (640, 480)))[1].tobytes())
    print("| images | cascade | threads | OpenCV CPU s | ours CPU s | ours / OpenCV | boxes |\n|---|---|---|---|---|---|---|")
    for label, images in sets.items():
        for cascade in ["haarcascade_frontalface_default", "haarcascade_frontalface_alt2", "lbpcascade_frontalface"]:
            for threads in [1, 2]:
                a, boxes = theirs(folder / f"{cascade}.xml", images, threads)
                b, same = ours(folder / f"{cascade}.xml", images, threads)
                assert boxes == same, (boxes, same)
                print(f"| {label} | {cascade} | {threads} | {a:.2f} | {b:.2f} | {b / a:.2f} | {boxes} |", flush=True)
    if len(sys.argv) > 3:
        classifier = cv2.CascadeClassifier(sys.argv[3])
        assert not classifier.empty(), "OpenCV does not load our XML"
        _, same = ours(Path(sys.argv[3]), sets["CMU+MIT, every 16th"], 1)
        _, boxes = theirs(Path(sys.argv[3]), sets["CMU+MIT, every 16th"], 1)
        print(f"\nOur XML in OpenCV {cv2.__version__}: {boxes} boxes, ours {same}.")
        assert boxes == same
