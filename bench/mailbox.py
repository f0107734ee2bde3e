"""How fast a mailbox comes in from Dovecot: fetched, parsed and durably stored, beside mbsync, imaplib and IMAPClient.

All fetch the same mailbox of the same server in turns within one run. Butler reads each mail and keeps what it says,
which is what it does unless told otherwise, and in a row of its own (`keep = "whole"`) also the mail as it came,
deflated; the scripts read each mail and keep both; mbsync reads none and keeps the mail. What is stored is counted
after each turn, so a contender that loses mails fails the run.
"""

import argparse
import importlib.util
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bench.machine import report, table
from bench.mailbox_mails import fill
from bench.mailbox_turn import PASSWORD, USER, Turn, take_turn
from tests.services.dovecot import Dovecot

BUTLER, BUTLER_WHOLE = "Butler", "Butler, whole mails too"
MBSYNC, MBSYNC_FSYNC = "mbsync, no fsync", "mbsync"
IMAPLIB, IMAPCLIENT = "imaplib", "IMAPClient"
_MBSYNC_CONFIG = """FSync {fsync}

IMAPAccount far
Host {host}
Port {port}
User {user}
Pass "{password}"
SSLType None
AuthMechs LOGIN

IMAPStore far
Account far

MaildirStore near
Path {folder}/near/
Inbox {folder}/near/INBOX

Channel all
Far :far:
Near :near:
Patterns INBOX
Create Near
Sync Pull
SyncState *
"""


@dataclass(frozen=True, slots=True)
class Contender:
    """How it is run in a folder of its own, how the mails it kept are counted, and whether it says when it is ready."""

    arguments: Callable[[str, Path], list[str]]
    kept: Callable[[Path], int]
    waits: bool = True


@dataclass(slots=True)
class Results:
    """Of one contender, a turn a round."""

    turns: list[Turn] = field(default_factory=list[Turn])

    def per_s(self, count: int) -> list[float]:
        return [count / turn.seconds for turn in self.turns]


def butler(keep: str) -> Contender:
    def arguments(url: str, folder: Path) -> list[str]:
        return [sys.executable, "-m", "bench.mailbox_butler", url, str(folder), keep]

    table_of = "seen_raws" if keep == "whole" else "seen_messages"
    return Contender(arguments, lambda folder: count_rows(folder / "butler.db", table_of))


def plain(library: str) -> Contender:
    def arguments(url: str, folder: Path) -> list[str]:
        return [sys.executable, "-m", "bench.mailbox_plain", library, url, str(folder)]

    return Contender(arguments, lambda folder: count_rows(folder / "mails.db", "mails"))


def mbsync(*, fsync: bool) -> Contender:
    def arguments(url: str, folder: Path) -> list[str]:
        server = urlsplit(url)
        (folder / "near").mkdir()
        config = folder / "mbsyncrc"
        values = {"host": server.hostname, "port": server.port, "user": USER, "password": PASSWORD, "folder": folder}
        config.write_text(_MBSYNC_CONFIG.format(**values, fsync="yes" if fsync else "no"))
        return ["mbsync", "-q", "-c", str(config), "all"]

    def kept(folder: Path) -> int:
        return sum(len(list((folder / "near" / "INBOX" / part).iterdir())) for part in ("cur", "new"))

    return Contender(arguments, kept, waits=False)


def count_rows(database: Path, name: str) -> int:
    with sqlite3.connect(database) as connection:
        return connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]


def contenders() -> dict[str, Contender]:
    """Those that can be had; what cannot is said."""
    found = {BUTLER: butler("text"), BUTLER_WHOLE: butler("whole")}
    if installed("mbsync", "isync"):
        found |= {MBSYNC: mbsync(fsync=False), MBSYNC_FSYNC: mbsync(fsync=True)}
    else:
        print("mbsync is missing: install the Debian package isync (as root this is done by itself)")
    found[IMAPLIB] = plain("imaplib")
    if importlib.util.find_spec("imapclient") is not None:
        found[IMAPCLIENT] = plain("imapclient")
    else:
        print("IMAPClient is missing: pip install imapclient")
    return found


def installed(program: str, package: str) -> bool:
    """Whether a program is there, after an attempt to install it where we may."""
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    if shutil.which(program, path=places) is None and os.geteuid() == 0 and shutil.which("apt-get") is not None:
        for command in (["update", "-q"], ["install", "-qy", "--no-install-recommends", package]):
            subprocess.run(["apt-get", *command], check=False, capture_output=True)
    return shutil.which(program, path=places) is not None


def measure(count: int, rounds: int, folder: Path) -> tuple[dict[str, Results], float]:
    """Each contender's turns, and the mailbox's size in megabytes."""
    runners = contenders()
    results = {name: Results() for name in runners}
    server = Dovecot()
    try:
        server.add_mailbox(USER, PASSWORD)
        size = fill(server.maildir(USER), count)
        server.own(USER)
        for turn in range(rounds + 1):
            for name, runner in runners.items():
                if turn or name in {BUTLER, MBSYNC, IMAPLIB}:  # the first turn finds nothing warm, and does not count
                    with tempfile.TemporaryDirectory(dir=folder) as own:
                        result = one_turn(runner, server.imap_url, Path(own), count)
                    if turn:
                        results[name].turns.append(result)
    finally:
        server.stop()
    return results, size / 1e6


def one_turn(runner: Contender, url: str, folder: Path, count: int) -> Turn:
    turn = take_turn(runner.arguments(url, folder), waits=runner.waits)
    if (kept := runner.kept(folder)) != count:
        raise RuntimeError(f"{kept} of {count} mails were kept")
    return turn


def ratio(results: dict[str, Results], ours: str, other: str) -> float:
    """The median over the rounds of ours over theirs, so that a busy moment of the machine does not decide."""
    pairs = zip(results[ours].turns, results[other].turns, strict=True)
    return round(statistics.median(their.seconds / our.seconds for our, their in pairs), 3)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.mailbox", description=__doc__)
    parser.add_argument("--mails", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="on whose disk the mails are kept")
    options = parser.parse_args()
    if os.geteuid() != 0 or not installed("dovecot", "dovecot-imapd"):
        sys.exit("this needs root and Dovecot: run scripts/install-services.sh as root on Debian")
    results, size_mb = measure(options.mails, options.rounds, options.folder)
    print(f"{options.mails:,} mails, {size_mb:.0f} MB, the median of {options.rounds} rounds\n")
    rows: list[tuple[object, ...]] = []
    for name, result in results.items():
        cpu = statistics.median(turn.cpu_s for turn in result.turns)
        peak = statistics.median(turn.peak_mb for turn in result.turns)
        per_s = statistics.median(result.per_s(options.mails))
        rows.append((name, f"{per_s:.0f}", f"{cpu / options.mails * 1e6:.0f}", f"{peak:.0f}"))
    table(("", "mails/s", "CPU us each", "peak RSS MB"), rows)
    compared = {
        "messages_vs_mbsync": (BUTLER, MBSYNC),
        "messages_vs_mbsync_fsync": (BUTLER, MBSYNC_FSYNC),
        "messages_vs_imaplib": (BUTLER, IMAPLIB),
        "messages_vs_imapclient": (BUTLER, IMAPCLIENT),
        "whole_vs_mbsync": (BUTLER_WHOLE, MBSYNC),
        "whole_vs_mbsync_fsync": (BUTLER_WHOLE, MBSYNC_FSYNC),
    }
    ratios = {key: ratio(results, *pair) for key, pair in compared.items() if pair[1] in results}
    over = max(turn.peak_mb - turn.idle_mb for name in (BUTLER, BUTLER_WHOLE) for turn in results[name].turns)
    per_s = statistics.median(results[BUTLER].per_s(options.mails))
    report("mailbox", ratios, {"rss_over_idle_mb": round(over, 1), "mails_per_s": round(per_s)})


if __name__ == "__main__":
    main()
