"""How it behaves: interruptions, callbacks, threads, processes, memory, errors."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from conftest import quick

from rebelboost import RebelClassifier, RebelError, RoundInfo, errors


def test_ctrl_c_keeps_the_model_so_far():
    script = """
        import numpy as np, sys
        from rebelboost import RebelClassifier
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(3000, 10)), rng.integers(0, 3, 3000)
        model = RebelClassifier(algorithm="rebel", rounds=10_000_000, on_round=lambda i: print("go", flush=True) if i.round == 3 else None)
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print("stopped", model.n_iter_ >= 3, len(model.history_["loss"]) == model.n_iter_, model.predict(X[:2]).shape)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped True True (2,)\n"


def test_callbacks_see_every_round_and_can_stop(iris):
    X, y = iris
    seen = []
    model = quick(on_round=seen.append).fit(X, y)
    assert [info.round for info in seen] == list(range(1, 16)) and isinstance(seen[0], RoundInfo)
    assert seen[-1].rounds == 15 and seen[-1].loss == model.history_["loss"][-1]
    # Watching changes nothing, and a stopped run is the beginning of the whole one.
    assert model.model_.to_bytes() == quick().fit(X, y).model_.to_bytes()
    stopped = quick(on_round=lambda info: info.round == 4).fit(X, y)
    assert stopped.n_iter_ == 4 and stopped.model_.stopped == "it was interrupted"
    np.testing.assert_array_equal(stopped.predict(X), list(model.staged_predict(X))[3])


def test_an_exception_in_a_callback_arrives(iris):
    X, y = iris

    def fail(info):
        raise LookupError("mine")

    model = quick(on_round=fail)
    with pytest.raises(LookupError, match="mine"):
        model.fit(X, y)
    assert model.n_iter_ == 1


def test_callbacks_run_where_they_were_given(iris):
    X, y = iris
    threads = set()
    quick(on_round=lambda info: threads.add(threading.get_ident())).fit(X, y)
    assert threads == {threading.get_ident()}


def test_the_interpreter_is_free_while_training(blobs):
    X, y = blobs
    beats, done = [], threading.Event()

    def beat():
        while not done.is_set():
            beats.append(time.monotonic())
            time.sleep(0.002)

    heart = threading.Thread(target=beat)
    heart.start()
    start = time.monotonic()
    quick(rounds=300).fit(X, y)
    end = time.monotonic()
    done.set()
    heart.join()
    # A training that held the interpreter would let no beat through.
    assert sum(start < beat < end for beat in beats) >= 10


def test_threads_train_and_predict_at_once(blobs):
    X, y = blobs
    expected = quick().fit(X, y)
    answers = expected.predict_proba(X)
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda seed: quick(n_jobs=1 + seed % 3).fit(X, y), range(8)))
        found = list(pool.map(lambda _: expected.predict_proba(X), range(16)))
    assert {model.model_.to_bytes() for model in models} == {expected.model_.to_bytes()}
    assert all(np.array_equal(other, answers) for other in found)


def test_the_number_of_threads_does_not_matter(blobs):
    X, y = blobs
    made = {quick(rounds=40, n_jobs=jobs).fit(X, y).model_.to_bytes() for jobs in (None, 1, 2, 7, -1)}
    assert len(made) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork(blobs):
    X, y = blobs
    model = quick(n_jobs=2, rounds=40).fit(X, y)
    expected = model.predict(X)
    child = os.fork()
    if child == 0:
        try:
            good = np.array_equal(model.predict(X), expected)
            good &= quick(n_jobs=2, rounds=40).fit(X, y).model_.to_bytes() == model.model_.to_bytes()
        except BaseException:
            good = False
        os._exit(0 if good else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child process hangs")


def test_loky(iris):
    X, y = iris
    made = joblib.Parallel(n_jobs=2)(joblib.delayed(lambda: quick().fit(X, y))() for _ in range(2))
    assert {model.model_.to_bytes() for model in made} == {quick().fit(X, y).model_.to_bytes()}


def test_memory_does_not_grow(iris):
    X, y = iris

    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def work(times):
        for _ in range(times):
            quick(rounds=5, on_round=lambda info: None).fit(X, y).predict(X)

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no way to see the memory here")
    work(50)
    before = resident()
    work(200)
    assert resident() - before < 4e6


def test_warm_start_goes_on(iris):
    X, y = iris
    whole = quick(rounds=20).fit(X, y)
    model = quick(rounds=8, warm_start=True).fit(X, y)
    assert model.n_iter_ == 8
    model.set_params(rounds=20).fit(X, y)
    assert model.model_.to_bytes() == whole.model_.to_bytes()
    assert list(model.history_["round"]) == list(range(9, 21))
    with pytest.raises(errors.OptionError, match="training data were different"):
        model.set_params(rounds=30).fit(X[:100], y[:100])
    # Without rounds there is nothing to go on from.
    pairs = RebelClassifier(algorithm="random-pairs", warm_start=True)
    assert pairs.fit(X, y).fit(X, y).score(X, y) > 0.9


def test_time_limit(blobs):
    X, y = blobs
    # Nothing to be learned, and no loss is small enough: only time can end it, however fast the machine is.
    y = np.random.default_rng(0).permutation(y)
    model = quick(rounds=10_000_000, stop_loss=0, time_limit=0.2).fit(X, y)
    assert model.model_.stopped == "the time limit was reached"
    with pytest.raises(errors.OptionError, match="time_limit"):
        quick(time_limit=-1.0).fit(X, y)


def test_no_bar_in_scripts_and_one_on_request(blobs, capsys, monkeypatch):
    from rebelboost import _progress

    X, y = blobs
    quick().fit(X, y)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(_progress.Bar, "PATIENCE", 0.0)
    monkeypatch.setattr(_progress.Bar, "PAUSE", 0.0)
    quick(progress=True).fit(X, y)
    out, err = capsys.readouterr()
    assert out == "" and "round 15 of 15" in err and err.endswith("\r")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"algorithm": "rebl"}, "did you mean 'rebel'"),
        ({"depth": 99}, "depth cannot be '99'; a whole number from 1 to 8"),
        ({"rounds": 2.5}, "rounds cannot be '2.5'"),
        ({"learner": "three"}, "learner cannot be 'three'; one of tree"),
        ({"leaves": 5}, "rebel has no option 'leaves'"),
        ({"bias": "perhaps"}, "bias cannot be 'perhaps'; on or off"),
        ({"seed": -1}, "seed cannot be -1"),
        ({"seed": "x"}, "seed cannot be 'x'"),
        ({"seed": 2**64}, "seed cannot be 18446744073709551616"),
    ],
)
def test_mistakes_are_said_in_one_sentence(iris, parameters, words):
    with pytest.raises(errors.OptionError, match=words) as caught:
        quick(**parameters).fit(*iris)
    assert isinstance(caught.value, RebelError) and isinstance(caught.value, ValueError)
    assert "--" not in str(caught.value)


def test_a_panic_is_an_exception(iris, blobs):
    few, many = quick().fit(*iris), quick().fit(*blobs)
    rows, _ = few._rows(iris[0])
    # Rows of another model: no door leads here, so it is a bug by definition.
    with pytest.raises(errors.InternalError, match="a bug in rebelboost, please report it"):
        many.model_.scores(rows, 1)
    assert few.score(*iris) > 0.9


