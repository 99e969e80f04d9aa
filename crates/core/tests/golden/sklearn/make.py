"""Makes the golden files for tests/sklearn_parity.rs: scikit-learn's AdaBoostClassifier on small data sets.

scikit-learn's own stumps minimise Gini impurity, AdaBoost's the weighted error, so it is given a stump of the latter
kind. Ties go to the lowest feature and threshold, as ours do. SAMME (samme.*) is boosted with scikit-learn's own trees:
Gini, best first. Run: python make.py (needs scikit-learn and numpy).
"""

import csv
import json
import pathlib

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

HERE = pathlib.Path(__file__).parent
ROUNDS = 25


class ErrorStump(ClassifierMixin, BaseEstimator):
    """Predicts by one threshold on one feature, chosen by weighted error."""

    def fit(self, X, y, sample_weight=None):
        w = np.full(len(y), 1 / len(y)) if sample_weight is None else sample_weight
        self.classes_ = np.unique(y)
        signed = np.where(y == self.classes_[1], w, -w)
        best = None
        for j in range(X.shape[1]):
            values = np.unique(X[:, j])
            for t in (values[:-1] + values[1:]) / 2:
                left = signed[X[:, j] <= t].sum()
                worth = abs(2 * left - signed.sum())
                if best is None or worth > best[0] + 1e-12:
                    best = (worth, j, t, left > signed.sum() - left)
        _, self.feature_, self.threshold_, self.left_is_one_ = best
        return self

    def predict(self, X):
        left = X[:, self.feature_] <= self.threshold_
        return self.classes_[(left == self.left_is_one_).astype(int)]


rng = np.random.default_rng(7)
X = np.round(rng.normal(size=(120, 4)), 2)
y = np.where(X[:, 0] + 0.8 * X[:, 1] * X[:, 2] + 0.4 * rng.normal(size=120) > 0, "yes", "no")

model = AdaBoostClassifier(ErrorStump(), n_estimators=ROUNDS).fit(X, y)
with open(HERE / "data.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["x0", "x1", "x2", "x3", "class"])
    writer.writerows([*row, label] for row, label in zip(X.tolist(), y.tolist()))
golden = {
    "made_with": f"scikit-learn {sklearn.__version__}",
    "rounds": [
        {"feature": int(s.feature_), "threshold": float(s.threshold_), "weight": float(w)}
        for s, w in zip(model.estimators_, model.estimator_weights_)
    ],
    "training_error": float(np.mean(model.predict(X) != y)),
}
(HERE / "adaboost.json").write_text(json.dumps(golden, indent=1) + "\n")

# ---- SAMME, four classes. Fewer rows than bins, so that every threshold is considered; weighted rows, so that no leaf
# ---- has two weightiest classes.
SAMME_ROUNDS = 20
LEAVES = 6
rng = np.random.default_rng(8)
X = np.round(rng.normal(size=(240, 4)), 3)
radius = np.sqrt(X[:, 0] ** 2 + X[:, 1] ** 2) + 0.3 * rng.normal(size=240)
y = np.array(["a", "b", "c", "d"])[np.digitize(radius, [0.7, 1.2, 1.8])]
w = np.round(rng.uniform(0.5, 1.5, size=240), 3)
tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=0)
model = AdaBoostClassifier(tree, n_estimators=SAMME_ROUNDS, random_state=0).fit(X, y, w)
with open(HERE / "samme.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["x0", "x1", "x2", "x3", "weight", "class"])
    writer.writerows([*row, weight, label] for row, weight, label in zip(X.tolist(), w.tolist(), y.tolist()))
golden = {
    "made_with": f"scikit-learn {sklearn.__version__}",
    "leaves": LEAVES,
    "votes": [float(w) for w in model.estimator_weights_],
    "training_errors": [float(np.average(p != y, weights=w)) for p in model.staged_predict(X)],
}
(HERE / "samme.json").write_text(json.dumps(golden, indent=1) + "\n")

# ---- The same with stumps and with four leaves; and the first stump of gradient boosting of the exponential loss on the
# ---- two classes of data.csv: where it splits and which way it goes. Its leaves are Newton steps, those of Gentle AdaBoost.
sizes = {}
for leaves in [2, 4]:
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    model = AdaBoostClassifier(tree, n_estimators=10, random_state=0).fit(X, y, w)
    sizes[str(leaves)] = {
        "votes": [float(w) for w in model.estimator_weights_],
        "training_errors": [float(np.average(p != y, weights=w)) for p in model.staged_predict(X)],
    }
with open(HERE / "data.csv") as lines:
    rows = list(csv.reader(lines))[1:]
X2, y2 = np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] for row in rows])
model = GradientBoostingClassifier(
    loss="exponential", max_depth=1, n_estimators=1, learning_rate=1.0, init="zero"
).fit(X2, y2)
stump = model.estimators_[0, 0].tree_
golden = {
    "made_with": f"scikit-learn {sklearn.__version__}",
    "samme": sizes,
    "gradient_boosting": {
        "feature": int(stump.feature[0]),
        "threshold": float(stump.threshold[0]),
        "leaves": [float(stump.value[1, 0, 0]), float(stump.value[2, 0, 0])],
    },
}
(HERE / "family.json").write_text(json.dumps(golden, indent=1) + "\n")

# Logistic regression: probabilities on standardised columns, two classes and four.
Z = np.round(rng.normal(size=(90, 3)), 2)
kinds = np.argmax(Z @ rng.normal(size=(3, 4)) + rng.gumbel(size=(90, 4)), axis=1)
with open(HERE / "logistic.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["x0", "x1", "x2", "class"])
    writer.writerows([*row, f"k{kind}"] for row, kind in zip(Z.tolist(), kinds.tolist()))


def logistic(features, labels, c):
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    model = LogisticRegression(C=c, tol=1e-12, max_iter=10000).fit(standard, labels)
    # Two classes have one vector here and two opposite halves of it in ours.
    factor = 2 if len(model.classes_) == 2 else 1
    return {"ridge": factor / (c * len(labels)), "probabilities": model.predict_proba(standard).ravel().tolist()}


with open(HERE / "data.csv", newline="") as text:
    _, *lines = csv.reader(text)
numbers = np.array([[float(value) for value in line[:-1]] for line in lines])
answers = {"two": logistic(numbers, [line[-1] for line in lines], 2.0), "many": logistic(Z, kinds, 0.5), "made_with": f"scikit-learn {sklearn.__version__}"}
(HERE / "logistic.json").write_text(json.dumps(answers) + "\n")
