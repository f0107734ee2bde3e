"""Set and clear the PIN, beside a running daemon: implements `butler pin`."""

from pathlib import Path

from approvals.pause import COMMAND_LINE
from approvals.pin import clear_pin, set_pin
from butler.cli.database import changing
from butler.clock import RealClock
from butler.contract.errors import Refuse


def set_pin_to(path: Path, typed: str, again: str) -> str:
    """Store the PIN as a hash; raise `Refuse` for an invalid PIN, or if the two differ."""
    if typed != again:
        raise Refuse("the two were not the same; the PIN is as it was")
    with changing(path) as connection:
        set_pin(connection, typed, COMMAND_LINE, RealClock().now())
    return "The PIN is set. Approve on a card of the highest risk asks for it, and so does /resume."


def clear_the_pin(path: Path) -> str:
    """Remove the PIN."""
    with changing(path) as connection:
        cleared = clear_pin(connection, COMMAND_LINE, RealClock().now())
    return "No PIN is asked for any more." if cleared else "No PIN was set."
