"""How many threads: what joblib would allow, so that nested parallel work does not crowd the machine."""

from __future__ import annotations

from joblib import effective_n_jobs


def threads_for(n_jobs: int | None) -> int:
    """Threads for `n_jobs`; all cores unless told otherwise, one inside a joblib worker."""
    return max(1, int(effective_n_jobs(-1 if n_jobs is None else n_jobs)))
