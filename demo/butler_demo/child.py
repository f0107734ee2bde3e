"""The demo's daemon: the real one with a clock that the demo can turn. `python -m butler_demo.child`."""

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

from butler.contract.errors import ButlerError
from butler.daemon import run
from butler.logs import Redactor, setup
from butler_demo.clock import TurnedClock


def main() -> None:
    """Serve until SIGTERM, or until the demo at the other end of standard input is gone."""
    parser = argparse.ArgumentParser(prog="python -m butler_demo.child", description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--clock", type=Path, required=True, help="the file with the clock's offset in seconds")
    options = parser.parse_args()
    threading.Thread(target=_leave_with_the_demo, daemon=True).start()
    redactor = Redactor()
    setup(redactor)
    try:
        run(options.config, clock=TurnedClock(options.clock), redactor=redactor)
    except ButlerError as error:
        sys.exit(str(error))


def _leave_with_the_demo() -> None:
    while os.read(sys.stdin.fileno(), 64):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
