"""What goes out is what the owner said: on one line or with a capital, never reworded."""

SUBJECT_WORDS, SUBJECT_SIGNS = 6, 200


def capital(text: str) -> str:
    """With a capital at the beginning; names such as `iPhone` and words without case stay."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text[:1].upper() + text[1:] if first.islower() and "@" not in first and "/" not in first else text


def one_line(text: str) -> str:
    """On one line, without signs that cannot be seen."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def subject_of(body: str) -> str:
    """A subject for a mail that was given none: the first words of its first line."""
    line = body.strip().splitlines()[0] if body.strip() else ""
    return capital(" ".join(one_line(line).split()[:SUBJECT_WORDS])[:SUBJECT_SIGNS].rstrip(".,:;!"))
