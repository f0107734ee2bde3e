"""The daemon with the machine's own clock, as a child of the demo's world. `python -m tests.clock.child`."""

import argparse
from pathlib import Path

from butler.daemon import run
from butler.logs import Redactor, setup


def main() -> None:
    """Serve until SIGTERM."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--clock", type=Path, required=True, help="left alone: the machine's clock is set instead")
    redactor = Redactor()
    setup(redactor)
    run(parser.parse_args().config, redactor=redactor)


if __name__ == "__main__":
    main()
