"""Makes the golden files for tests/extract.rs and tests/select.rs: scikit-learn's mutual information, PCA, LDA, KMeans
and Isomap on a small table. Run: python make.py (needs scikit-learn and numpy).
"""

import csv
import json
import pathlib

import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.manifold import Isomap

HERE = pathlib.Path(__file__).parent
rng = np.random.default_rng(3)


def write(name, header, rows):
    with open(HERE / name, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


# Three classes on a bent sheet in five dimensions: 90 rows to learn from, 10 to map.
n = 100
y = np.arange(n) % 3
t = rng.uniform(0, 3, n) + y
X = np.column_stack([t * np.cos(t), t * np.sin(t), rng.uniform(0, 2, n), t + rng.normal(size=n), rng.normal(size=n)])
X = np.round(X @ np.diag([1, 1, 1, 0.5, 3.0]), 3)
write("points.csv", ["a", "b", "c", "d", "e", "class"], [[*x, "uvw"[k]] for x, k in zip(X.tolist(), y.tolist())])
fit, new = X[:90], X[90:]

pca = PCA(3).fit(fit)
lda = LinearDiscriminantAnalysis(solver="eigen").fit(fit, y[:90])
start = fit[[3, 40, 77, 11]]
kmeans = KMeans(4, init=start, n_init=1, tol=0).fit(fit)
isomap = Isomap(n_neighbors=6, n_components=2, eigen_solver="dense").fit(fit)
centred = fit.mean(axis=0)

# Discrete features of 2 to 7 values.
codes = np.column_stack([rng.integers(0, k, 200) for k in (2, 3, 5, 7)])
label = (codes[:, 1] + (rng.random(200) < 0.4) * rng.integers(0, 3, 200)) % 3
codes[:, 3] = np.where(rng.random(200) < 0.3, label, codes[:, 3])
write("codes.csv", ["a", "b", "c", "d", "class"], [[*c, "uvw"[k]] for c, k in zip(codes.tolist(), label.tolist())])

golden = {
    "made_with": f"scikit-learn {sklearn.__version__}",
    "pca": {
        "components": pca.components_.tolist(),
        "shares": (pca.explained_variance_ / fit.var(axis=0, ddof=1).sum()).tolist(),
        "new": pca.transform(new).tolist(),
    },
    # Its transform does not centre; shares are of the variance between classes.
    "lda": {
        "shares": lda.explained_variance_ratio_.tolist(),
        "new": (lda.transform(new) - lda.transform(centred[None])).tolist(),
    },
    "kmeans": {
        "start": start.tolist(),
        "centres": kmeans.cluster_centers_.tolist(),
        "labels": kmeans.labels_.tolist(),
        "inertia": float(kmeans.inertia_),
    },
    "isomap": {"fit": isomap.embedding_.tolist(), "new": isomap.transform(new).tolist()},
    # In nats.
    "mutual_information": mutual_info_classif(codes, label, discrete_features=True).tolist(),
    "f": f_classif(codes, label)[0].tolist(),
}
(HERE / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")
