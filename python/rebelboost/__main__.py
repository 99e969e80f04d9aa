"""The program ``rebel``, the same as the compiled one: ``python -m rebelboost``."""

import signal
import sys

from ._core import cli


def main() -> int:
    """Runs the program with the arguments of the command line."""
    # The program stops training gracefully at Ctrl-C by itself, unless Python is in its way.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return cli(["rebel", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
