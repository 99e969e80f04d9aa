"""Looking inside: why an answer, which rows are alike, what matters, how training went."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _plots
from ._estimate import Estimate
from ._rows import Rows
from .errors import ModelError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class WhiteBox(Rows):
    """What a fitted classifier can say about itself."""

    history_: dict[str, NDArray[Any]]
    estimate_: Estimate | None

    def explain(self, X: Any) -> Any:
        """Why each answer: every term in words, with what it gave to each class.

        The contributions of a row and class, from the start (term -1) on, add up to its score.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Returns
        -------
        pandas.DataFrame
            Columns row, term, text, class and contribution.

        Examples
        --------
        >>> from rebelboost import RebelClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = RebelClassifier(algorithm="rebel", rounds=10).fit(X, y)
        >>> why = model.explain(X[:1])
        >>> list(why.columns), len(why)
        (['row', 'term', 'text', 'class', 'contribution'], 33)
        """
        import pandas as pd

        rows, _ = self._rows(X)
        row, term, text, given = self.model_.explain(rows)
        classes = len(self.classes_)
        return pd.DataFrame(
            {
                "row": np.repeat(row, classes),
                "term": np.repeat(term, classes),
                "text": np.repeat(np.array(text, dtype=object), classes),
                "class": np.tile(self.classes_, len(row)),
                "contribution": self._ordered(given).ravel(),
            }
        )

    def similar_rows(self, X: Any) -> Any:
        """The training rows most like each row, nearest first, of those that the model compares with.

        Only models with similarities (``learner="similarity"``, for one) compare with training rows.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Returns
        -------
        pandas.DataFrame
            Columns row, training_row (a position in the data of `fit`), class and distance.
        """
        import pandas as pd

        rows, _ = self._rows(X)
        if not self.model_.compares:
            raise ModelError("this model does not compare with training rows; train with learner='similarity'")
        row, found, place, distance = self.model_.similar(rows)
        classes = self.classes_ if self._order is None else self.classes_[np.argsort(self._order)]
        return pd.DataFrame({"row": row, "training_row": found, "class": classes[place], "distance": distance})

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much of the model each feature makes up; the shares sum to one.

        A tree is shared among its questions, a comparison of two rows among the features by their parts in the squared
        distance of the two. Of the model alone; `sklearn.inspection.permutation_importance` asks the data.
        """
        check_is_fitted(self)
        out = np.zeros(max(self.n_features_in_, max(self._columns) + 1))
        out[self._columns] = self.model_.importances()
        return out

    def plot_history(self, ax: Axes | None = None) -> Axes:
        """Loss and error after each round, on matplotlib axes."""
        check_is_fitted(self)
        return _plots.history(self.history_, ax)

    def plot_importance(self, ax: Axes | None = None, most: int = 20) -> Axes:
        """The most important features, on matplotlib axes."""
        shares = self.feature_importances_
        names = getattr(self, "feature_names_in_", [f"c{i + 1}" for i in range(len(shares))])
        return _plots.importance(shares, list(names), ax, most)

    def plot_confusion(self, X: Any, y: Any, costs: Any = None, ax: Axes | None = None) -> Axes:
        """Truth against answer, on matplotlib axes; with costs, decided by them and coloured by what each cell costs."""
        return _plots.confusion(self, X, y, costs, ax)

    def plot_regions(self, X: Any, y: Any = None, ax: Axes | None = None, resolution: int = 200) -> Axes:
        """The answers over the plane of two features, and the rows, on matplotlib axes."""
        check_is_fitted(self)
        return _plots.regions(self, X, y, ax, resolution)

    def _facts(self) -> list[tuple[str, str]]:
        """What a fitted classifier says about itself in a notebook."""
        header = json.loads(self.model_.header())
        made = header["provenance"]
        facts = [
            ("algorithm", f"{made['algorithm']} ({made['learner']})"),
            ("classes", ", ".join(self.model_.classes[:12]) + (" ..." if len(self.model_.classes) > 12 else "")),
            ("features", str(len(self.model_.features))),
            ("training rows", str(made["rows"])),
            ("terms", str(self.model_.terms)),
            ("stopped because", self.model_.stopped),
            ("decides by", header["decision"].replace("-", " ")),
        ]
        if header.get("parts"):
            facts.append(("members", ", ".join(part["name"] for part in header["parts"])))
        if self.estimate_ is not None:
            facts.append(("expected", str(self.estimate_)))
        elif len(self.history_["error"]):
            facts.append(("training error", f"{self.history_['error'][-1]:.4f}"))
        return facts

    def _with_facts(self, picture: str) -> str:
        """The estimator's own picture, then facts about the model."""
        if not hasattr(self, "model_"):
            return picture
        cells = (f"<tr><th style='text-align:left'>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in self._facts())
        return f"{picture}<table>{''.join(cells)}</table>"

    def _repr_html_inner(self) -> str:
        return self._with_facts(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._with_facts(bundle["text/html"])
        return bundle
