"""Writes ``rebelboost/_parameters.py`` from the registry: signatures, types and docstrings of the estimators.

Run it (``make python-parameters``) after a change of the registry; a test says when it is needed. Parameters that only
Python has are declared here.
"""

import json
import keyword
import sys
import textwrap
from pathlib import Path

from rebelboost._core import registry

TARGET = Path(__file__).parent / "rebelboost" / "_parameters.py"

#: Name, type, default and text of what the registry does not know.
OWN = [
    ("costs", "Any", "None", "array-like of shape (K, K), DataFrame or dict, default=None",
     "Price of each mistake: rows are the truth, columns the answer, in the order of `classes_`; a DataFrame by class "
     "names; or `{(truth, answer): cost}`, where mistakes that are not named cost 1. None: every mistake costs 1."),
    ("taxonomy", "Mapping[Any, Any] | None", "None", "dict, default=None",
     "Tree of classes as `{child: parent}`; a mistake costs the distance in the tree."),
    ("class_weight", "Mapping[Any, float] | Literal['balanced'] | None", "None", "dict or 'balanced', default=None",
     "Price of mistakes on the rows of each class, as `{class: weight}`: multiplies the rows of `costs`. 'balanced' makes "
     "all classes equally important. By itself it changes the answers, not the probabilities; row weights do both."),
    ("categorical", "Sequence[str | int] | None", "None", "list of names or positions, default=None",
     "Columns that are categories although they hold numbers. Text and categorical columns of frames need no mention."),
    ("seed", "int", "0", "int, default=0", "Seed of all random choices: the same seed gives the same model."),
    ("time_limit", "float | None", "None", "float, default=None",
     "Seconds after which training stops and keeps the model so far."),
    ("warm_start", "bool", "False", "bool, default=False",
     "Whether `fit` goes on from the last fit, on the same data, with more `rounds`; algorithms without rounds begin "
     "anew."),
    ("n_jobs", "int | None", "None", "int, default=None",
     "Threads; None and -1 use all cores, or what joblib allows. The result does not depend on it."),
    ("progress", "bool | None", "None", "bool, default=None",
     "Whether a progress bar is shown; None: at a Python prompt and in notebooks, not in scripts."),
    ("on_round", "Callable[[RoundInfo], Any] | None", "None", "callable, default=None",
     "Called after every round with a :class:`RoundInfo`; training stops if it returns True."),
]


def python_name(name: str) -> str:
    """`learning-rate` is `learning_rate`, `lambda` is `lambda_`."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def quoted(words) -> str:
    """Words as in a list of strings."""
    return ", ".join(f'"{word}"' for word in words)


def annotation(parameter: dict) -> str:
    """The type of a parameter's values."""
    if parameter["kind"] == "str":
        kind = f"Literal[{quoted(parameter['words'])}]"
    else:
        kind = parameter["kind"]
    return kind + (' | Literal["auto"]' if parameter["auto"] else "") + " | None"


def entry(name: str, kind: str, text: str) -> str:
    """A parameter in the manner of numpydoc."""
    body = textwrap.fill(text, 110, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return f"{name} : {kind}\n{body}\n"


def described(parameter: dict, defaults: dict[str, list[str]], of: str = "") -> str:
    """Text, range and the defaults, which may differ between algorithms; `of` names those that have it."""
    ordered = sorted(defaults.items(), key=lambda item: -len(item[1]))
    said = [f"{ordered[0][0]}"] + [f"{value} for {' and '.join(users)}" for value, users in ordered[1:]]
    text = f"{parameter['help'][0].upper()}{parameter['help'][1:]}. {parameter['range'][0].upper()}"
    text += f"{parameter['range'][1:]}. None: {', '.join(said)}.{of}"
    kind = {"str": "str", "int": "int", "float": "float", "bool": "bool"}[parameter["kind"]]
    return entry(python_name(parameter["name"]), f"{kind}{' or ' + repr('auto') if parameter['auto'] else ''}, default=None", text)


def documented(declared: dict) -> str:
    """The text of all parameters."""
    names = ", ".join(algorithm["name"] for algorithm in declared["algorithms"])
    algorithms = f"Algorithm: one of {names}. None: {declared['default']}, or the first that has the options given."
    parts = [entry("algorithm", "str, default=None", algorithms)]
    for parameter in declared["parameters"]:
        defaults: dict[str, list[str]] = {}
        for algorithm in declared["algorithms"]:
            for name, default in algorithm["defaults"]:
                if name == parameter["name"]:
                    defaults.setdefault(default, []).append(algorithm["name"])
        users = [name for names in defaults.values() for name in names]
        of = "" if len(users) == len(declared["algorithms"]) else f" Only for {', '.join(users)}."
        parts.append(described(parameter, defaults, of))
    parts += [entry(name, kind, text) for name, _, _, kind, text in OWN]
    return "".join(parts)


def active(declared: dict) -> tuple[str, str, str]:
    """Types, names and text of the options of active learning."""
    options = "".join(f"    {python_name(p['name'])}: {annotation(p)}\n" for p in declared["active"])
    names = "".join(f'    "{python_name(p["name"])}": "{p["name"]}",\n' for p in declared["active"])
    text = "".join(described(p, {p["default"]: []}) for p in declared["active"])
    return options, names, text


def source() -> str:
    """The text of the module."""
    declared = json.loads(registry())
    algorithms = quoted(algorithm["name"] for algorithm in declared["algorithms"])
    known = declared["algorithms"]
    in_rounds = quoted(a["name"] for a in known if a["in_rounds"])
    on_costs = quoted(a["name"] for a in known if a["trains_on_costs"])
    two_classes = quoted(a["name"] for a in known if a["most_classes"] == 2)
    parameters = [(python_name(p["name"]), p["name"], annotation(p)) for p in declared["parameters"]]
    clash = {name for name, _, _ in parameters} & {name for name, *_ in OWN}
    if clash:
        sys.exit(f"the registry now declares {clash}: remove it from OWN")
    signature = "".join(f"        {name}: {kind} = None,\n" for name, _, kind in parameters)
    signature += "".join(f"        {name}: {kind} = {default},\n" for name, kind, default, *_ in OWN)
    every = ["algorithm", *(name for name, _, _ in parameters), *(name for name, *_ in OWN)]
    body = "".join(f"        self.{name} = {name}\n" for name in every)
    settings = "".join(f'    "{name}": "{registered}",\n' for name, registered, _ in parameters)
    active_options, active_settings, active_text = active(declared)
    return f'''"""Generated from the registry by generate.py: `make python-parameters` writes it anew. Do not edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._progress import RoundInfo

#: Algorithm used when none is named.
DEFAULT = "{declared["default"]}"

#: Algorithms that add one term a round.
IN_ROUNDS = frozenset({{{in_rounds}}})

#: Algorithms that can use costs in training.
TRAINS_ON_COSTS = frozenset({{{on_costs}}})

#: Algorithms that tell two classes apart and no more.
TWO_CLASSES = frozenset({{{two_classes}}})

#: Parameters of algorithms by their names in Python; a value of None leaves the algorithm's default.
SETTINGS = {{
{settings}}}

#: The same for active learning.
ACTIVE_SETTINGS = {{
{active_settings}}}

PARAMETERS_DOC = r"""
{documented(declared)}"""

ACTIVE_DOC = r"""
{active_text}"""


class Parameters:
    """The parameters of the estimators."""

    def __init__(
        self,
        algorithm: Literal[{algorithms}] | None = None,
        *,
{signature}    ) -> None:
{body}

class ActiveOptions(TypedDict, total=False):
    """The options of active learning."""

{active_options}'''


if __name__ == "__main__":
    TARGET.write_text(source())
