"""The console script: reports fatal problems before loading any code of ours that they could break."""

import signal
import sys
from types import FrameType

from butler.own_packages import foreign_package


def main() -> None:
    """Run a command."""
    # The first process of a container has no default for it, and the next imports take a moment.
    signal.signal(signal.SIGTERM, leave)
    if wrong := foreign_package():
        sys.exit(f"butler: {wrong}")
    from butler.cli.main import app  # noqa: PLC0415 - see above

    app()


def leave(_number: int, _frame: FrameType | None) -> None:
    """Exit cleanly."""
    sys.exit(0)


if __name__ == "__main__":
    main()
