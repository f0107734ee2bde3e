"""Rejoins text whose lines were broken for transport (format=flowed, RFC 3676)."""

from modules.email.parsing.forwards import introduces


def unflowed(text: str, *, delete_space: bool) -> str:
    """Return the text with each paragraph on one line; quoted text stays quoted.

    With `delete_space` (DelSp=yes), the space that a line was broken at is not part of the text. Lines that programs
    put above another's words stay on their own: a signature may allow adding blanks to a line's end, and such a line
    would be lost in the text.
    """
    lines: list[list[str]] = []
    going_on: int | None = None
    """The quote depth of the paragraph that the next line continues; None if it continues none."""
    for raw in text.split("\n"):
        stripped = raw.lstrip(">")
        depth = len(raw) - len(stripped)
        line = stripped.removeprefix(" ")
        is_signature = line == "-- "
        stands_alone = (line.endswith(" ") or going_on == depth) and introduces(line)
        flows = line.endswith(" ") and not is_signature and not stands_alone
        content = line[:-1] if flows and delete_space else line
        if going_on == depth and not is_signature and not stands_alone:
            lines[-1].append(content)
        else:
            lines.append([f"{'>' * depth} {content}" if depth else content])
        going_on = depth if flows else None
    return "\n".join(map("".join, lines))
