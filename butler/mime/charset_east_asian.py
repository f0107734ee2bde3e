"""Decodes East Asian encodings as programs write and browsers read them: with characters that Python's codecs lack.

Each function takes `errors` as `bytes.decode` does, `strict` or `replace`, and raises `ValueError` if it is strict.
"""

import re

_CELLS = range(0x21, 0x7F)
_LOWER_ROWS = range(0x21, 0x5F)
_BELOW_DEL = range(0x21, 0x60)
_ESCAPE = re.compile(rb"\x1b(\$[@B]|\([BIJ])")
_EUC_PIECES = re.compile(
    rb"(?P<pairs>(?:[\xa1-\xfe][\xa1-\xfe])+)"
    rb"|(?P<rest>(?:[\x00-\x7f]|\x8e[\xa1-\xdf]|\x8f[\xa1-\xfe]{2})+|.)",
    re.DOTALL,
)
_BIG5_PIECES = re.compile(
    rb"(?P<signs>(?:[\xa1\xa2][\x40-\x7e\xa1-\xfe])+)"
    rb"|(?P<rest>(?:[\x00-\x7f]|[\x81-\xa0\xa3-\xfe][\x40-\x7e\xa1-\xfe])+|.)",
    re.DOTALL,
)
_GB_SINCE_2005 = str.maketrans(
    "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854"
    "\ue864",
    "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba"
    "\u9fbb",
)
"""Private-use characters of Python's codec, and the characters that have their own code points since."""


def decode_gb(data: bytes, errors: str) -> str:
    """Decode GB 18030, which includes GBK and GB 2312."""
    return data.decode("gb18030", errors).translate(_GB_SINCE_2005)


def decode_big5(data: bytes, errors: str) -> str:
    """Decode Big5 with the characters of Hong Kong, and its symbols as in Windows."""
    pieces = _BIG5_PIECES.finditer(data)
    return "".join(piece[0].decode("cp950" if piece["signs"] else "big5hkscs", errors) for piece in pieces)


def decode_euc_jp(data: bytes, errors: str) -> str:
    """Decode EUC-JP with the characters of Windows."""
    pieces = _EUC_PIECES.finditer(data)
    return "".join(
        _shifted(bytes(byte & 0x7F for byte in piece["pairs"])).decode("cp932", errors)
        if piece["pairs"]
        else piece[0].decode("euc_jp", errors)
        for piece in pieces
    )


def decode_iso_2022_jp(data: bytes, errors: str) -> str:
    """Decode ISO-2022-JP; with the characters of Windows if the standard's own are not enough."""
    try:
        return data.decode("iso2022_jp")
    except UnicodeDecodeError:
        try:
            return _decode_jis(data)
        except ValueError:
            return data.decode("iso2022_jp", errors)


def _decode_jis(data: bytes) -> str:
    # The characters between two escapes are also in Windows's code page, at places computed in another way.
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
    """Convert JIS rows and columns to Shift_JIS; keep line ends and blanks, which some programs leave among them."""
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
