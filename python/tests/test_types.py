"""What is generated is current, types are complete, the package is light."""

import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent


def run(*command):
    done = subprocess.run([sys.executable, *command], cwd=HOME, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_parameters_are_those_of_the_registry():
    current = run("-c", "import generate; print(generate.source(), end='')")
    written = (HOME / "rebelboost" / "_parameters.py").read_text()
    assert current == written, "the registry has changed: run `make python-parameters`"


def test_types():
    pytest.importorskip("mypy")
    run("-m", "mypy")
    run("-m", "mypy.stubtest", "rebelboost", "--mypy-config-file", "pyproject.toml")


def test_importing_loads_neither_sklearn_nor_numpy():
    heavy = run("-c", "import rebelboost, sys; print([m for m in ('numpy', 'sklearn', 'pandas') if m in sys.modules])")
    assert heavy == "[]\n"
    # scikit-learn itself may load pandas.
    script = "import sklearn.utils.validation, sys; before = 'pandas' in sys.modules; import rebelboost; "
    script += "rebelboost.RebelClassifier; print(('pandas' in sys.modules) == before, 'matplotlib' in sys.modules)"
    assert run("-c", script) == "True False\n"


def test_every_parameter_is_documented():
    import inspect

    from rebelboost import RebelClassifier

    for name in inspect.signature(RebelClassifier).parameters:
        assert f"\n    {name} : " in RebelClassifier.__doc__, name
