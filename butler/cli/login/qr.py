"""Draws QR codes in the terminal: black on white in any colour scheme, each in place of the last one."""

import io
import sys

import segno

WHITE_ON_BLACK, PLAIN = "\x1b[38;5;231;48;5;16m", "\x1b[0m"
"""Half blocks are the white of the code, so both colours must be set."""
BORDER = 2


class Screen:
    """Draws each code over the one before. Without a terminal, prints the codes one after another, uncoloured."""

    def __init__(self) -> None:
        self._lines = 0

    def show(self, text: str) -> None:
        """Draw a code that says `text`."""
        lines = half_blocks(text)
        if sys.stdout.isatty():
            up = f"\x1b[{self._lines}F" if self._lines else ""
            sys.stdout.write(up + "".join(f"{WHITE_ON_BLACK}{line}{PLAIN}\n" for line in lines))
            self._lines = len(lines)
        else:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()


def half_blocks(text: str) -> list[str]:
    """Return the lines of a code; one character holds two modules, one above the other."""
    drawn = io.StringIO()
    segno.make_qr(text, error="l").terminal(drawn, border=BORDER, compact=True)
    *lines, last = drawn.getvalue().splitlines()
    # A code has an odd number of rows, and segno fills the last line up with black.
    return [*lines, last.replace("▀", "█")]
