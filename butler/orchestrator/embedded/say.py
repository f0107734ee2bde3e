"""Formats the owner's text for sending: on one line or with a capital, never reworded."""

SUBJECT_WORDS, SUBJECT_SIGNS = 6, 200


def capital(text: str) -> str:
    """Return the text with a capital at the beginning; names such as `iPhone` and words without case stay."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text[:1].upper() + text[1:] if first.islower() and "@" not in first and "/" not in first else text


def one_line(text: str) -> str:
    """Return the text on one line, without invisible characters."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def subject_of(body: str) -> str:
    """Return the default subject of a mail: the first words of its first line."""
    line = body.strip().splitlines()[0] if body.strip() else ""
    return capital(" ".join(one_line(line).split()[:SUBJECT_WORDS])[:SUBJECT_SIGNS].rstrip(".,:;!"))
