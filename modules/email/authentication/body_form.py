"""Checks that a mail's body can be read in one way only, even if its signature does not state which.

Many signers, Gmail among them, do not sign `Content-Type` and `Content-Transfer-Encoding`. Anybody who handles such a
mail on its way can name another boundary, from a part that was only quoted, or another encoding, and so make quoted
text pass for the author's. So if these lines are not signed, the body has to show that they are true.
"""

import binascii
import quopri
import re
from collections.abc import Collection, Mapping

from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase
from butler.mime.tolerant import head_and_body
from modules.email.authentication.signatures import SignedMail

OPEN = in_own_words(phrase("its signature leaves open how its text is to be read"))
_NAMES = ("content-type", "content-transfer-encoding")
_TYPE = re.compile(r'([\w.+-]+)/([\w.+-]+)((?:\s*;\s*[\w-]+\s*=\s*(?:"[^"\\]*"|[^\s;"]+))*)\s*;?\s*', re.ASCII)
_PARAMETER = re.compile(r';\s*([\w-]+)\s*=\s*(?:"([^"\\]*)"|([^\s;"]+))', re.ASCII)
_PLAIN_CHARSETS = re.compile(
    r"utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d|koi8-[ru]|gbk|gb2312|gb18030|big5|euc-jp|euc-kr|shift_jis"
    r"|iso-2022-jp|ks_c_5601-1987|tis-620"
)
"""Charsets that contain ASCII unchanged."""
_PREAMBLE = re.compile(rb"this is a multi-?part message in mime format\.?", re.IGNORECASE)
_MULTIPARTS = frozenset({"alternative", "mixed", "related", "signed"})
_AS_IT_IS = frozenset({"", "7bit", "8bit", "binary"})
_NOT_QUOTED = re.compile(rb"[^\t\r\n -~]|\r(?!\n)|=(?!(?!0[AaDd])[0-9A-Fa-f]{2}|\r?\n|\Z)")
"""What quoted-printable cannot contain; an escaped line end counts, too, as line ends are written as they are."""
_ESCAPED = re.compile(rb"=(?:[89A-F][0-9A-F]|\r?\n|\Z)")
"""Escapes that quoted-printable uses for non-ASCII letters and for continued lines."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/]*={0,2}")


def why_open(mail: SignedMail, covered: Collection[str]) -> Reason | None:
    """Return why the body could be read differently, given the signed headers; None if it cannot."""
    if all(name in covered for name in _NAMES):
        return None
    types, encodings = (mail.values(name) for name in _NAMES)
    match = _TYPE.fullmatch(types[0].lower() if types else "text/plain")
    # A boundary is case-sensitive.
    found = _PARAMETER.findall(types[0]) if types else []
    parameters = {name.lower(): quoted or bare for name, quoted, bare in found}
    if match is None or len(parameters) != len(found):
        return OPEN
    encoding, body = encodings[0].strip().lower() if encodings else "", _body(mail)
    text = body if match[1] == "multipart" and encoding in _AS_IT_IS else _decoded(body, encoding)
    sure = text is not None and ("content-type" in covered or _is_of_type(match[1], match[2], parameters, body, text))
    return None if sure else OPEN


def _is_of_type(kind: str, subtype: str, parameters: Mapping[str, str], body: bytes, text: bytes) -> bool:
    """Return whether the body itself shows that it has this type."""
    if kind == "multipart":
        return subtype in _MULTIPARTS and body is text and _is_bounded(body, parameters.get("boundary", "").encode())
    if kind != "text" or not _is_charset(parameters.get("charset", "us-ascii").lower(), text):
        return False
    looks_rich = text.lstrip().startswith(b"<")
    return subtype in {"plain", "html"} and looks_rich is (subtype == "html") and not _is_bounded(body)


def _is_charset(name: str, text: bytes) -> bool:
    """Return whether a text can only be in this charset; a wrong one hides the lines above a quoted mail."""
    if text.isascii():
        return b"\x1b" not in text and _PLAIN_CHARSETS.fullmatch(name) is not None
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return name in {"utf-8", "utf8"}


def _body(mail: SignedMail) -> bytes:
    return head_and_body(mail.raw)[1]


def _is_bounded(body: bytes, boundary: bytes | None = None) -> bool:
    """Return whether the whole body lies between this boundary, or any, and its end."""
    first, rest = _first_line(body)
    if _PREAMBLE.fullmatch(first):
        first, rest = _first_line(rest)
    between, _, last = rest.rstrip().rpartition(b"\n")
    if not first.startswith(b"--") or not between.strip():
        return False
    return last == first + b"--" and boundary in {None, first[2:]}


def _first_line(text: bytes) -> tuple[bytes, bytes]:
    """Return the first non-blank line without trailing blanks, and the text after it."""
    begins = text.rfind(b"\n", 0, len(text) - len(text.lstrip())) + 1
    ends = text.find(b"\n", begins)
    return (text[begins:ends].rstrip(), text[ends + 1 :]) if ends >= 0 else (text[begins:].rstrip(), b"")


def _decoded(body: bytes, encoding: str) -> bytes | None:
    """Return the decoded text; None if it could be encoded otherwise."""
    if encoding in _AS_IT_IS:
        return None if _ESCAPED.search(body) else body
    if encoding == "quoted-printable":
        return None if _NOT_QUOTED.search(body) else quopri.decodestring(body)
    packed = body.translate(None, b" \t\r\n")
    if encoding == "base64" and len(packed) % 4 == 0 and _BASE64.fullmatch(packed):
        return binascii.a2b_base64(packed)
    return None
