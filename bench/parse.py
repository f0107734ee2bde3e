"""How fast mails are read, and how alike: beside the standard library, mail-parser and fast-mail-parser.

All read the same mails in this process, in turns within one run: the odd mails of the test data, and
generated ones that are like a private mailbox's. Equal fields are compared, so none wins by reading less; what one
refuses, by whatever exception, counts as not read. Also how long hostile mails take.
"""

import argparse
import importlib.util
import logging
import signal
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from bench.machine import report, table
from bench.mailbox_mails import mails
from bench.parse_readers import (
    Fields,
    Reader,
    butler,
    butler_understanding,
    fast_mail_parser,
    mail_parser,
    standard,
)
from tests.support.corpora import MAILS

BUTLER, UNDERSTANDING, STANDARD = "Butler", "Butler, understanding", "standard library"
FAST, MAIL_PARSER = "fast-mail-parser", "mail-parser"
_LONGEST_S = 5
_SHOWN = ("sender", "subject", "date", "text", "files")


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader made of a set of mails: None for one that it refused."""

    fields: Sequence[Fields | None]
    slowest_ms: float


def readers() -> Mapping[str, Reader]:
    """Those that can be had; what cannot is said."""
    found: dict[str, Reader] = {BUTLER: butler, UNDERSTANDING: butler_understanding, STANDARD: standard}
    others = ((FAST, "fast_mail_parser", fast_mail_parser), (MAIL_PARSER, "mailparser", mail_parser))
    for name, module, reader in others:
        if importlib.util.find_spec(module) is None:
            print(f"{name} is missing: pip install {name}")
        else:
            found[name] = reader
    return found


def read_all(reader: Reader, raws: Sequence[bytes]) -> Read:
    """Every mail once, each for itself."""
    fields: list[Fields | None] = []
    slowest = 0.0
    for raw in raws:
        began = time.process_time()
        try:
            fields.append(reader(raw))
        except Exception:  # noqa: BLE001 - what a parser refuses, it refuses in any way
            fields.append(None)
        slowest = max(slowest, time.process_time() - began)
    return Read(fields, slowest * 1000)


def seconds(reader: Reader, raws: Sequence[bytes]) -> float:
    """CPU seconds for all of them."""
    began = time.process_time()
    for raw in raws:
        try:
            reader(raw)
        except Exception:  # noqa: BLE001 - a refusal takes its time, too
            continue
    return time.process_time() - began


def alike(one: str | tuple[tuple[str, int], ...], other: str | tuple[tuple[str, int], ...]) -> bool:
    """Whether a field says the same; blanks at ends and of lines are nobody's mistake."""
    if isinstance(one, str) and isinstance(other, str):
        return one.split() == other.split()
    return one == other


def agreement(read: Mapping[str, Read], name: str) -> list[object]:
    """How often each field of a reader's is what at least one of the others, who do not share its code, reads, too."""
    others = [other for other in read if other != name and {name, other} != {BUTLER, UNDERSTANDING}]
    row: list[object] = []
    for field in _SHOWN:
        agreed = total = 0
        for at, ours in enumerate(read[name].fields):
            theirs = [found for other in others if (found := read[other].fields[at]) is not None]
            total += 1
            agreed += ours is not None and any(alike(getattr(ours, field), getattr(one, field)) for one in theirs)
        row.append(f"{agreed / total:.1%}")
    return row


def hostile() -> Mapping[str, bytes]:
    """Mails that are built to take long."""
    head = b"From: a@b.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
    mixed = head + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(1000))
    return {
        "10,000 parts": mixed + b"--b\r\n\r\nx\r\n" * 10_000 + b"--b--",
        "1,000 levels": head + nested,
        "a folded header of 10,000 lines": head + b"X: y" + b"\r\n      z" * 10_000 + b"\r\n\r\nx",
        "10,000 recipients": head + b"To: " + b"a@b.example, " * 10_000 + b"\r\n\r\nx",
        "10,000 open comments": head + b"To: " + b"(" * 10_000 + b"\r\n\r\nx",
        "5,000 encoded words": head.replace(b": x", b": " + b"=?utf-8?q?x?= " * 5_000, 1) + b"\r\nx",
        "20,000 nested tags": head + b"Content-Type: text/html\r\n\r\n" + b"<div>" * 20_000,
    }


def patience(reader: Reader, raw: bytes) -> str:
    """How many milliseconds a reader takes over one mail, and whether it refuses it; at most `_LONGEST_S`."""

    def too_long(*_: object) -> NoReturn:
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(_LONGEST_S)
    try:
        read = read_all(reader, [raw])
    finally:
        signal.alarm(0)
    slow = f"over {_LONGEST_S},000" if read.slowest_ms > _LONGEST_S * 900 else f"{read.slowest_ms:.0f}"
    return slow + (" refused" if read.fields[0] is None else "")


def compared(raws: Mapping[str, Sequence[bytes]], rounds: int) -> dict[str, dict[str, list[float]]]:
    """CPU seconds of each reader for each set, by round."""
    times: dict[str, dict[str, list[float]]] = {}
    for _ in range(rounds):
        for kind, some in raws.items():
            for name, reader in readers().items():
                times.setdefault(kind, {}).setdefault(name, []).append(seconds(reader, some))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.parse", description=__doc__)
    parser.add_argument("--mails", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    logging.disable()
    sets: dict[str, Sequence[bytes]] = {"generated": list(mails(options.mails))}
    sets["corpus"] = [path.read_bytes() for path in sorted(MAILS.rglob("*.eml"))]
    times = compared(sets, options.rounds)
    for kind, raws in sets.items():
        read = {name: read_all(reader, raws) for name, reader in readers().items()}
        print(f"\n{kind}: {len(raws):,} mails, {sum(map(len, raws)) / 1e6:.1f} MB\n")
        compared_rows: list[list[object]] = []
        for name, result in read.items():
            each = statistics.median(times[kind][name]) / len(raws)
            refused = sum(fields is None for fields in result.fields)
            row: list[object] = [name, f"{1 / each:.0f}", f"{each * 1e6:.0f}", f"{result.slowest_ms:.0f}", refused]
            compared_rows.append(row + agreement(read, name))
        table(
            ("", "mails/s", "CPU us each", "slowest ms", "refused", *(f"{field} agrees" for field in _SHOWN)),
            compared_rows,
        )
    print("\nmails that are built to take long, ms\n")
    several = readers()
    table(
        ("", *several), [[label, *(patience(one, raw) for one in several.values())] for label, raw in hostile().items()]
    )
    print()
    each = statistics.median(times["generated"][BUTLER]) / len(sets["generated"])
    report("parse", ratios(times), {"mails_per_s": round(1 / each), "cpu_us_each": round(each * 1e6)})


def ratios(times: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, float]:
    """How many times as fast Butler is, over all sets: the median over the rounds, so no busy moment decides."""
    found: dict[str, float] = {}
    pairs = {"stdlib": STANDARD, "mail_parser": MAIL_PARSER, "fast_mail_parser": FAST}
    for ours, prefix in ((BUTLER, ""), (UNDERSTANDING, "understanding_")):
        for key, other in pairs.items():
            if other in times["generated"]:
                rounds = range(len(times["generated"][ours]))
                both = [[sum(by[name][at] for by in times.values()) for name in (other, ours)] for at in rounds]
                found[f"{prefix}speed_vs_{key}"] = round(statistics.median(a / b for a, b in both), 2)
    return found


if __name__ == "__main__":
    main()
