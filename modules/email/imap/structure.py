"""Reads a mail's BODYSTRUCTURE (RFC 3501, 7.4.2): whether one of its parts is an attachment."""

import re

_STARTS = re.compile(rb"\bBODYSTRUCTURE \(", re.IGNORECASE)
_TOKEN = re.compile(rb'\(|\)|"((?:[^"\\]|\\.)*)"|[^\s()"]+')
_DISPOSITION_AT = {"text": 9, "message": 11}
_BASIC = 8
_SIGNATURES = frozenset({"pgp-signature", "pkcs7-signature", "x-pkcs7-signature"})
_MOST_TOKENS = 20_000
_DEEPEST = 50

Node = bytes | list["Node"]


def cut_structure(text: bytes) -> tuple[bytes, bytes]:
    """Return an answer without its structure, and the structure; empty if there is none."""
    start = _STARTS.search(text)
    if start is None:
        return text, b""
    first, depth = start.end() - 1, 0
    for token in _TOKEN.finditer(text, first):
        depth += {b"(": 1, b")": -1}.get(token[0], 0)
        if depth == 0:
            return text[: start.start()] + text[token.end() :], text[first : token.end()]
    return text[: start.start()], b""


def has_attachment(structure: bytes) -> bool:
    """Return whether a mail has a file: a part declared as one, or neither text nor shown inline."""
    tree = _read(structure)
    return tree is not None and _brings(tree)


def _read(structure: bytes) -> list[Node] | None:
    """Return the nested lists; None if they are broken or nested too deep."""
    stack: list[list[Node]] = [[]]
    for at, token in enumerate(_TOKEN.finditer(structure)):
        if at > _MOST_TOKENS or len(stack) > _DEEPEST:
            return None
        if token[0] == b"(":
            stack.append([])
        elif token[0] == b")":
            if len(stack) == 1:
                return None
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token[0] if token[1] is None else token[1])
    root = stack[0][0] if len(stack) == 1 and stack[0] else None
    return root if isinstance(root, list) else None


def _brings(part: list[Node]) -> bool:
    if part and isinstance(part[0], list):
        return any(_brings(inner) for inner in part if isinstance(inner, list) and _is_part(inner))
    kind, subtype = (_word(part, at) for at in (0, 1))
    disposition = _disposition(part, kind, subtype)
    if disposition == "attachment":
        return True
    shown = disposition == "inline" or _word(part, 3) not in {"", "nil"}
    return kind not in {"text", "multipart"} and subtype not in _SIGNATURES and not shown


def _is_part(node: list[Node]) -> bool:
    """Return whether a list is a part; a parameter list never begins with a list or a media type."""
    return bool(node) and (isinstance(node[0], list) or len(node) >= _BASIC - 1)


def _disposition(part: list[Node], kind: str, subtype: str) -> str:
    at = _DISPOSITION_AT.get(kind, _BASIC)
    if kind == "message" and subtype != "rfc822":
        at = _BASIC
    node = part[at] if len(part) > at else b""
    return _word(node, 0) if isinstance(node, list) else ""


def _word(part: list[Node], at: int) -> str:
    node = part[at] if len(part) > at else b""
    return node.decode("ascii", "replace").lower() if isinstance(node, bytes) else ""
