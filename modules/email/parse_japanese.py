"""ISO-2022-JP as it is really written: with the characters of Windows, which the standard and Python's codec lack."""

import re

_CELLS = range(0x21, 0x7F)
_LOWER_ROWS = range(0x21, 0x5F)
_BELOW_DEL = range(0x21, 0x60)
_ESCAPE = re.compile(rb"\x1b(\$[@B]|\([BIJ])")


def decode_japanese(data: bytes) -> str:
    """The text. Raises `ValueError` where there is something else in it."""
    # What is between two escapes has the same place in the code page of Windows, reached by another arithmetic.
    pieces = _ESCAPE.split(data)
    text = pieces[0].decode("ascii")
    for escape, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if escape == b"(I":
            text += bytes(byte | 0x80 for byte in piece).decode("cp932")
        elif escape.startswith(b"$"):
            text += _shifted(piece).decode("cp932")
        else:
            text += piece.decode("ascii")
    return text


def _shifted(pairs: bytes) -> bytes:
    """JIS rows and columns as Shift_JIS; ends of lines stay, as some leave them among the pairs."""
    shifted = bytearray()
    rest = iter(pairs)
    for row in rest:
        if row in b"\r\n\t ":
            shifted.append(row)
            continue
        column = next(rest, 0)
        if row not in _CELLS or column not in _CELLS:
            raise ValueError
        shifted.append((row + 1) // 2 + (0x70 if row in _LOWER_ROWS else 0xB0))
        shifted.append(column + (0x7E if row % 2 == 0 else 0x1F if column in _BELOW_DEL else 0x20))
    return bytes(shifted)
