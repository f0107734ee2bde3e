"""The mails that the mailbox benchmark fetches: the same ones each time, shaped like those of a private mailbox."""

import base64
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from random import Random

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = """
    invoice lunch project meeting tomorrow please find attached the report for our budget house garden weather
    dinner thanks regards update agenda minutes contract signed train ticket booking Grüße später naïve café
""".split()  # noqa: SIM905 - a list would be a column of words
_PEOPLE = 400
_SEED = 1


def fill(maildir: Path, count: int) -> int:
    """Put so many mails into an empty Maildir; how many bytes they are in all."""
    for part in ("cur", "new", "tmp"):
        (maildir / part).mkdir(parents=True, exist_ok=True)
    total = 0
    for number, raw in enumerate(mails(count)):
        at = int((_BEGIN + timedelta(minutes=number)).timestamp())
        (maildir / "cur" / f"{at}.M{number}P1.bench,S={len(raw)}:2,{'S' if number % 4 else ''}").write_bytes(raw)
        total += len(raw)
    return total


def mails(count: int) -> Iterator[bytes]:
    """One in three is plain, the others have a rich form, too; one in ten has a file, one in two answers another."""
    chance = Random(_SEED)
    for number in range(count):
        yield _mail(number, chance).as_bytes().replace(b"\n", b"\r\n")


def _mail(number: int, chance: Random) -> EmailMessage:
    person = chance.randrange(_PEOPLE)
    message = EmailMessage()
    for hop in range(4):
        message["Received"] = (
            f"from mx{hop}.example (mx{hop}.example [192.0.2.{hop + 1}]) by mx{hop + 1}.example with ESMTPS "
            f"id {number:08x}{hop}; {format_datetime(_BEGIN + timedelta(minutes=number, seconds=-hop))}"
        )
    message["DKIM-Signature"] = f"v=1; a=rsa-sha256; d=friends{person}.example; s=2026; b={'A' * 172}"
    message["From"] = f"Person {person} <person{person}@friends{person}.example>"
    message["To"] = "Me <me@home.example>"
    message["Subject"] = f"{'Re: ' if number % 2 else ''}{' '.join(chance.choices(_WORDS, k=4))} {number // 2}"
    message["Date"] = format_datetime(_BEGIN + timedelta(minutes=number))
    message["Message-ID"] = f"<{number}.{person}@friends{person}.example>"
    if number % 2:
        message["In-Reply-To"] = message["References"] = f"<{number - 1}.0@home.example>"
    lines = [" ".join(chance.choices(_WORDS, k=chance.randint(4, 14))) for _ in range(chance.randint(3, 60))]
    message.set_content("\n".join(lines))
    if number % 3:
        rich = "".join(f"<p style='margin:0'>{line}</p>\n" for line in lines)
        message.add_alternative(f"<html><head></head><body>{rich}</body></html>", subtype="html")
    if number % 10 == 0:
        data = base64.b64encode(chance.randbytes(15_000))
        message.add_attachment(data, maintype="application", subtype="pdf", filename=f"file {number}.pdf")
    return message
