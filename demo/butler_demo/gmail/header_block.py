"""Editing the header block of a raw mail in place, so that the rest of its bytes stays as it was sent."""

import re

_FIELD_BREAK = re.compile(rb"\r\n(?![ \t])")


def canonical(raw: bytes) -> bytes:
    """Return the mail with CRLF line ends."""
    return re.sub(rb"\r?\n", b"\r\n", raw)


def set_field(raw: bytes, name: str, value: str) -> bytes:
    """Return the mail with exactly one header `name`; an existing one keeps its place. Needs CRLF."""
    line = f"{name}: {value}".encode()
    fields, body = _split(raw)
    places = [index for index, field in enumerate(fields) if _is(field, name)]
    kept = [field for index, field in enumerate(fields) if index not in places[1:]]
    if places:
        kept[places[0]] = line
    else:
        kept.append(line)
    return _join(kept, body)


def drop_field(raw: bytes, name: str) -> bytes:
    """Return the mail without any header `name`. Needs CRLF."""
    fields, body = _split(raw)
    return _join([field for field in fields if not _is(field, name)], body)


def _split(raw: bytes) -> tuple[list[bytes], bytes]:
    if raw.startswith(b"\r\n"):
        return [], raw[2:]
    block, _, body = raw.partition(b"\r\n\r\n")
    return [field for field in _FIELD_BREAK.split(block) if field], body


def _join(fields: list[bytes], body: bytes) -> bytes:
    return b"\r\n".join(fields) + b"\r\n\r\n" + body


def _is(field: bytes, name: str) -> bool:
    return field.partition(b":")[0].strip().lower() == name.lower().encode()
