"""Watching a run: callbacks and the progress bar. Watching never changes the result."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RoundInfo:
    """What happened in a round.

    Attributes
    ----------
    round : int
        Number of terms so far.
    rounds : int
        Rounds asked for.
    loss : float
        Loss on the training rows.
    error : float
        Weighted share of training rows that are answered wrongly.
    edge : float
        How far the round's weak learner is from guessing.
    holdout : float or None
        Mean cost on the rows held out, if there are any.
    """

    round: int
    rounds: int
    loss: float
    error: float
    edge: float
    holdout: float | None


def is_interactive() -> bool:
    """Whether someone is watching: a notebook, or a Python prompt at a terminal; not a script."""
    if "ipykernel" in sys.modules:
        return True
    return hasattr(sys, "ps1") and sys.stderr is not None and sys.stderr.isatty()


class Bar:
    """A progress bar on standard error, for runs that take longer than a moment."""

    WIDTH = 30
    PATIENCE = 0.5
    PAUSE = 0.1

    def __init__(self) -> None:
        self.started = self.drawn = time.monotonic()
        self.length = 0

    def show(self, share: float, text: str) -> None:
        """Draws the bar, unless it was drawn a moment ago."""
        now = time.monotonic()
        if now - self.started < self.PATIENCE or now - self.drawn < self.PAUSE:
            return
        self.drawn = now
        done = min(max(share, 0.0), 1.0)
        full = int(done * self.WIDTH)
        left = f"{(now - self.started) / done * (1 - done):.0f} s left" if done > 0 else ""
        self._write(f"[{'=' * full}{' ' * (self.WIDTH - full)}] {100 * done:3.0f} %  {text}  {left}")

    def close(self) -> None:
        """Removes the bar."""
        if self.length:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self.length))
        sys.stderr.flush()
        self.length = len(line)


class Watcher:
    """What training talks to."""

    def __init__(self, on_round: Callable[[RoundInfo], Any] | None, bar: Bar | None) -> None:
        self.on_round = on_round
        self.bar = bar

    def round(
        self, round: int, rounds: int, loss: float, error: float, edge: float, holdout: float | None
    ) -> bool:
        """After a round; true to stop."""
        if self.bar is not None:
            self.bar.show(round / max(rounds, 1), f"round {round} of {rounds}  loss {loss:.4f}  error {error:.4f}")
        if self.on_round is None:
            return False
        return bool(self.on_round(RoundInfo(round, rounds, loss, error, edge, holdout)))

    def progress(self, share: float, what: str) -> bool:
        """Where an algorithm without rounds has got to."""
        if self.bar is not None:
            self.bar.show(share, what)
        return False


def watcher(on_round: Callable[[RoundInfo], Any] | None, progress: bool | None) -> Watcher | None:
    """The watcher of a run, if anyone watches; ``progress=None`` shows a bar where someone can see it."""
    bar = Bar() if (is_interactive() if progress is None else progress) else None
    return Watcher(on_round, bar) if bar is not None or on_round is not None else None
