"""Fuzzes what tells a sender's words from what they quote and forward: nothing is lost, invented or told twice."""

from modules.email.parsing import dates as parse_dates
from modules.email.parsing import forwards as parse_forwards
from modules.email.parsing import kind as parse_kind
from modules.email.parsing import lines as parse_lines
from modules.email.parsing import people as parse_people
from modules.email.parsing import quotes as parse_quotes
from modules.email.parsing import topics as parse_topics
from modules.email.parsing import words as parse_words
from modules.email.parsing.parsed import ParsedMail, from_json, to_json
from tests.fuzz.harness import run
from tests.support.corpora import FORWARDED_MAILS, REPLIES, rows

WATCHED = (
    *(parse_dates, parse_forwards, parse_kind, parse_lines, parse_people, parse_quotes, parse_topics),
    parse_words,
)


def target(data: bytes) -> None:
    """Take a text apart, whose first line is the subject, and hold what must hold of any."""
    subject, _, text = data.decode("utf-8", "replace").partition("\n")
    roles = parse_words.roles_of(subject, text)
    found = parse_words.split(subject, text)
    lines = text.split("\n")
    assert len(roles) == len(lines)
    own = [line for line, role in zip(lines, roles, strict=True) if role is parse_words.Role.OWN]
    assert set(map(str.rstrip, found.words.split("\n"))) <= {"", *map(str.rstrip, own)}
    marked = parse_words.Role.MARK in roles and found.forwarded is None
    assert found.quotes == (parse_words.Role.QUOTED in roles or marked)
    assert not any(parse_lines.depth_of(line) for line in found.words.split("\n"))
    mail = ParsedMail(subject=subject, text=text, words=found.words, quotes=found.quotes, forwarded=found.forwarded)
    topics, invoice = parse_kind.topics_of(mail)
    assert parse_kind.kind_of(mail) in {"personal", "reply", "forward"}
    assert (invoice is not None) == ("invoice" in topics)
    assert from_json(to_json([mail])) == [mail]


def starts() -> list[bytes]:
    """Texts of forwards and replies to begin with."""
    texts = [b"Fwd: a\n---------- Forwarded message ---------\nFrom: A <a@b.example>\nDate: x\nSubject: a\n\nHi"]
    found = [*rows(FORWARDED_MAILS), *rows(REPLIES)]
    return texts + [f"{row.get('subject') or 'Re: a'}\n{row.get('body') or row['text']}".encode() for row in found]


if __name__ == "__main__":
    run(target, [module.__name__ for module in WATCHED], starts())
