"""Rows in every form: the same values give the same answers, and what is not understood is refused by name."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import quick
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from rebelboost import RebelError, RebelWarning
from rebelboost.errors import DataError

DTYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", "?", ">f8", ">i4", "O", "g"]


@st.composite
def arrays(draw):
    """The same numbers in some type and layout, beside a plain array of them."""
    rows, columns = draw(st.integers(8, 40)), draw(st.integers(1, 6))
    seed = draw(st.integers(0, 2**32 - 1))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    rng = np.random.default_rng(seed)
    high = 2 if dtype.kind == "b" else 100
    plain = rng.integers(0, high, (rows, columns)).astype(np.float64)
    plain[0], plain[1] = 0, high - 1  # every column varies
    if dtype.kind in "fO" and draw(st.booleans()):
        plain[rng.random(plain.shape) < 0.2] = np.nan
        plain[0], plain[1] = 0, high - 1
    y = rng.integers(0, 3, rows)
    y[:2] = 0, 1
    layout = draw(st.sampled_from(["C", "F", "strided", "reversed", "read-only", "unaligned"]))
    made = plain.astype(dtype)
    if layout == "F":
        made = np.asfortranarray(made)
    elif layout == "strided":
        wide = np.zeros((2 * rows, 3 * columns), dtype=dtype)
        wide[::2, ::3] = made
        made = wide[::2, ::3]
    elif layout == "reversed":
        made = np.ascontiguousarray(made[::-1, ::-1])[::-1, ::-1]
    elif layout == "read-only":
        made.setflags(write=False)
    elif layout == "unaligned" and dtype.kind != "O":
        space = np.zeros(made.nbytes + 1, dtype=np.uint8)
        space[1:] = made.ravel().view(np.uint8)
        made = space[1:].view(dtype).reshape(made.shape)
    return plain, made, y


@settings(max_examples=150, deadline=None)
@given(arrays())
def test_type_and_layout_do_not_matter(case):
    plain, made, y = case
    expected = quick(rounds=5).fit(plain, y)
    model = quick(rounds=5).fit(made, y)
    assert model.model_.to_bytes() == expected.model_.to_bytes()
    np.testing.assert_array_equal(model.decision_function(made), expected.decision_function(plain))
    np.testing.assert_array_equal(expected.predict(made), expected.predict(plain))


def mixed_frame():
    rng = np.random.default_rng(0)
    size = 120
    return pd.DataFrame(
        {
            "number": rng.normal(size=size),
            "small": rng.integers(0, 200, size).astype(np.uint8),
            "word": rng.choice(["red", "green", "blue"], size),
            "flag": rng.random(size) < 0.5,
            "gap": np.where(rng.random(size) < 0.3, np.nan, rng.normal(size=size)),
            "kind": pd.Categorical(rng.choice(["u", "v"], size)),
        }
    ), rng.choice(["no", "yes", "perhaps"], size)


def forms(frame):
    """The same rows as other libraries have them."""
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    yield "polars", pl.from_pandas(frame)
    yield "pyarrow", arrow
    yield "chunked", pa.concat_tables([arrow.slice(0, 50), arrow.slice(50)])
    yield "strings", frame.astype({"word": "string", "kind": object})
    yield "nullable", frame.astype({"number": "Float64", "small": "UInt8", "flag": "boolean", "gap": "Float64"})
    yield "arrow-backed", frame.astype({"number": pd.ArrowDtype(pa.float64()), "small": pd.ArrowDtype(pa.uint8())})


def test_frames_agree():
    frame, y = mixed_frame()
    expected = quick().fit(frame, y)
    for name, other in forms(frame):
        model = quick().fit(other, y)
        assert model.model_.to_bytes() == expected.model_.to_bytes(), name
        np.testing.assert_array_equal(expected.predict_proba(other), expected.predict_proba(frame), err_msg=name)
        assert list(model.feature_names_in_) == list(frame.columns), name


def test_numeric_frames_agree_with_arrays(iris_frame):
    X, y = iris_frame
    expected = quick().fit(X, y)
    plain = quick().fit(X.to_numpy(), y)
    np.testing.assert_array_equal(plain.decision_function(X.to_numpy()), expected.decision_function(X))
    for other in (pl.from_pandas(X), pa.Table.from_pandas(X)):
        np.testing.assert_array_equal(expected.decision_function(other), expected.decision_function(X))


def test_labels_of_any_kind(iris):
    X, y = iris
    expected = quick().fit(X, y).predict(X)
    names = np.array(["ten", "9", "10"])
    for values in (names, names.astype(object), np.array([1.0, 2.0, 30.0]), np.array([7, -3, 10]), np.array(["9", "10", "1"])):
        model = quick().fit(X, values[y])
        np.testing.assert_array_equal(model.classes_, np.unique(values))
        np.testing.assert_array_equal(model.predict(X), values[expected])
        best = model.classes_[model.predict_proba(X).argmax(axis=1)]
        assert (best == model.predict(X)).all()
    for series in (pd.Series(y, name="kind"), pl.Series("kind", y), pd.Series(names[y], dtype="category")):
        assert quick().fit(X, series).score(X, series) > 0.9
    truth = y == 1
    assert quick().fit(X, truth).predict(X).dtype == bool


def test_unseen_categories_are_missing_and_said():
    frame, y = mixed_frame()
    model = quick().fit(frame, y)
    strange = frame.assign(word="violet")
    with pytest.warns(RebelWarning, match=r"column 'word': 120 value\(s\) never seen"):
        answers = model.decision_function(strange)
    missing = frame.assign(word=pd.Series([None] * 120, dtype=object))
    np.testing.assert_array_equal(answers, model.decision_function(missing))


def test_columns_are_checked_by_name(iris_frame):
    X, y = iris_frame
    model = quick().fit(X, y)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"sepal_length": "length"}))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pl.from_pandas(X).rename({"sepal_length": "length"}))
    with pytest.raises(ValueError, match="same order"):
        model.predict(pa.Table.from_pandas(X[X.columns[::-1]]))
    with pytest.raises(ValueError, match="3 features"):
        model.predict(pl.from_pandas(X.iloc[:, :3]))
    with pytest.raises(ValueError, match="3 features"):
        quick().fit(X.to_numpy(), y).predict(X.to_numpy()[:, :3])


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f)])
def test_dates_are_refused_by_name(convert):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "born": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])})
    with pytest.raises(DataError, match="'born'.*dates and times"):
        quick().fit(convert(frame), [0, 1, 0])


def test_other_types_are_refused():
    days = [datetime.date(2020, 1, i + 1) for i in range(4)]
    with pytest.raises(DataError, match="'day'.*dates and times"):
        quick().fit(pd.DataFrame({"day": days}), [0, 1, 0, 1])
    with pytest.raises(DataError, match="'cells'.*collections"):
        quick().fit(pd.DataFrame({"cells": [[1], [2], [3], [4]]}), [0, 1, 0, 1])
    with pytest.raises(DataError, match="'list'.*not understood"):
        quick().fit(pa.table({"list": [[1], [2], [3], [4]]}), [0, 1, 0, 1])
    with pytest.raises(DataError, match="dates and times"):
        quick().fit(np.array([["2020-01-01"], ["2021-01-01"]], dtype="M8[D]"), [0, 1])
    with pytest.raises(TypeError, match="[Ss]parse"):
        quick().fit(sparse.eye(4, format="csr"), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="[Cc]omplex"):
        quick().fit(np.ones((2, 2)) * 1j, [0, 1])
    with pytest.raises(ValueError, match="inf"):
        quick().fit([[1.0], [np.inf], [3.0]], [0, 1, 0])


def test_infinity_is_refused_in_prediction(iris):
    X, y = iris
    model = quick().fit(X, y)
    bad = X.copy()
    bad[3, 1] = -np.inf
    with pytest.raises(DataError, match="column 'c2': data row 4 is infinite"):
        model.predict(bad)


@pytest.mark.parametrize("jobs", [1, 2])
def test_parts_make_a_whole(blobs, jobs):
    X, y = blobs
    X = X.copy()
    model = quick(n_jobs=jobs, rounds=5).fit(X, y)
    unused = [i for i, asked in enumerate(model.model_.asked) if not asked]
    assert unused  # columns that are not read
    for kind in (np.float64, np.float32):
        rows = X.astype(kind)
        np.testing.assert_array_equal(model._scores(rows), model.model_.scores(*model._rows(rows)))
        np.testing.assert_array_equal(model._scores(rows), model._scores(np.asfortranarray(rows)))
    small = np.clip(X, 0, 255).astype(np.uint8)
    np.testing.assert_array_equal(model.predict(small), model.predict(small.astype(np.float64)))
    X[3999, unused[0]] = np.inf
    with pytest.raises(DataError, match=f"column 'c{unused[0] + 1}': data row 4000 is infinite"):
        model.predict(X)


def test_masked_values_are_missing(iris):
    X, y = iris
    gaps = np.random.default_rng(0).random(X.shape) < 0.2
    masked, filled = np.ma.masked_array(X, gaps), np.where(gaps, np.nan, X)
    model = quick().fit(masked, y)
    assert model.model_.to_bytes() == quick().fit(filled, y).model_.to_bytes()
    np.testing.assert_array_equal(model.predict(masked), model.predict(filled))


def test_words_in_arrays_are_categories():
    X = np.array([["a", 1.0], ["b", 2.0], ["a", None], ["b", 1.0]] * 5, dtype=object)
    y = [0, 1] * 10
    model = quick().fit(X, y)
    assert model.score(X, y) == 1.0
    with pytest.raises(TypeError, match="argument must be"):
        quick().fit(np.array([[{}], [1.0]], dtype=object), [0, 1])


def test_declared_categories_and_constant_columns(iris):
    X, y = iris
    X = np.column_stack([np.ones(len(X)), np.round(X)])
    model = quick(categorical=[2]).fit(X, y)
    assert model.n_features_in_ == 5 and model.feature_importances_[0] == 0
    assert any("never vary: c1" in note for note in model.notes_)
    assert not model.model_.is_numeric
    assert model.score(X, y) > 0.8
    with pytest.raises(RebelError, match="column 9"):
        quick(categorical=[9]).fit(X, y)


def test_weight_two_is_twice_and_zero_is_absent(iris):
    X, y = iris
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, len(y))
    twice = np.repeat(np.arange(len(y)), weights)
    a = quick().fit(X, y, sample_weight=weights)
    b = quick().fit(X[twice], y[twice])
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-9)
    with pytest.raises(DataError, match="weight of data row 1 is -1"):
        quick().fit(X, y, sample_weight=np.r_[-1, np.ones(len(y) - 1)])


def test_not_fitted_and_nothing_to_tell_apart(iris):
    X, y = iris
    with pytest.raises(NotFittedError):
        quick().predict(X)
    for rows in (X, pd.DataFrame(X), pl.DataFrame(X)):
        with pytest.raises(ValueError, match="requires y to be passed"):
            quick().fit(rows, None)
        with pytest.raises(ValueError, match="inconsistent"):
            quick().fit(rows, y[:-1])
        with pytest.raises(ValueError, match="NaN"):
            quick().fit(rows, np.where(y == 0, np.nan, y))
    with pytest.raises(DataError, match="only one class"):
        quick().fit(X, np.zeros(len(y)))


def test_names_of_columns_need_not_be_strings(iris):
    X, y = iris
    frame = pd.DataFrame(X)
    model = quick().fit(frame, y)
    assert not hasattr(model, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(frame), model.predict(X))
