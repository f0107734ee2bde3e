# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false
"""Throws inputs at what reads mails: with atheris, which looks for new paths, or by chance where it is not there.

A target takes bytes and raises for what must not be. Run `python -m tests.fuzz.fuzz_parse --runs 100000` by hand; the
suite runs each for about two seconds. What it finds becomes a test with the input.
"""

import argparse
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from tests.support.corpora import MAILS

_LONGEST = 20_000
SLOWEST_S = 5
"""Seconds of CPU; an input that takes longer is a find."""
_PIECES = (
    *(b"\n", b"\r\n", b"\r", b"\0", b"\xff", b";", b'"', b"=", b"--", b"\r\n\r\n", b"\t", b" ", b"<", b">"),
    *(b"Content-Type: ", b"multipart/mixed; boundary=b", b"--b\r\n", b"--b--", b"text/html", b"message/rfc822\r\n\r\n"),
    *(b"Content-Transfer-Encoding: base64\r\n", b"charset=", b"utf-7", b"<style>", b"<div style='", b"display:none"),
    *(b"=?", b"?=", b"filename*0*=", b"\x1b$B", b"<a href=", b"From: a@b.example\r\n", b"On Monday Anna wrote:\r\n> "),
)
Target = Callable[[bytes], object]


def seeds() -> list[bytes]:
    """Mails to begin with."""
    found = [path.read_bytes() for path in sorted(MAILS.rglob("*.eml"))]
    return [raw for raw in found if len(raw) < 20_000]


def mangled(raw: bytes, chance: Random) -> bytes:
    """An input in which a few places went wrong."""
    damaged = bytearray(raw)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(damaged) + 1)
        match chance.randrange(5):
            case 0:
                del damaged[at : at + chance.randint(1, 60)]
            case 1:
                damaged[at:at] = chance.choice(_PIECES) * chance.choice((1, 1, 1, 2, 50))
            case 2:
                damaged[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                damaged[at:at] = damaged[chance.randrange(len(damaged) + 1) :][:200]
            case _:
                damaged[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 12)))
    return bytes(damaged)


def by_chance(target: Target, starts: Sequence[bytes], *, seconds: float, runs: int, seed: int) -> int:
    """How many inputs were tried. Raises what the target raises, with the input."""
    chance, ends, count = Random(seed), time.monotonic() + seconds, 0
    while count < runs and time.monotonic() < ends:
        one_run(target, mangled(chance.choice(starts), chance))
        count += 1
    return count


def one_run(target: Target, data: bytes) -> None:
    """Try one input, bounded in time."""

    def too_slow(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, too_slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOWEST_S)
    try:
        target(data)
    except BaseException as error:
        error.add_note(f"input: {data!r}")
        raise
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def run(target: Target, modules: Sequence[str], starts: Sequence[bytes] | None = None) -> None:
    """Be the program that fuzzes a target: `modules` are watched for new paths, `starts` are what it begins with."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=("atheris", "chance"), default="atheris")
    options = parser.parse_args()
    starts = seeds() if starts is None else starts
    if options.engine == "atheris":
        _by_paths(target, modules, starts, options)
    else:
        count = by_chance(target, starts, seconds=options.seconds, runs=options.runs, seed=options.seed)
        print(f"{count} inputs, nothing found")


def _most_mb() -> int:
    """What it may use: what is counted begins with the memory of the process that started this one."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024 + 1_500


def _by_paths(target: Target, modules: Sequence[str], starts: Sequence[bytes], options: argparse.Namespace) -> None:
    import atheris  # noqa: PLC0415 - there for some systems only

    for name in modules:
        for module in [sys.modules[name], *(m for key, m in sys.modules.items() if key.startswith(f"{name}."))]:
            for key, value in list(vars(module).items()):
                if callable(value) and getattr(value, "__module__", "") == name and hasattr(value, "__code__"):
                    setattr(module, key, atheris.instrument_func(value))
    with tempfile.TemporaryDirectory() as folder:
        for number, raw in enumerate(starts):
            (Path(folder) / str(number)).write_bytes(raw)
        arguments = [sys.argv[0], folder, f"-runs={options.runs}", f"-max_total_time={int(options.seconds)}"]
        arguments += [f"-seed={options.seed}", f"-timeout={SLOWEST_S}", f"-max_len={_LONGEST}"]
        arguments += [f"-rss_limit_mb={_most_mb()}", "-print_final_stats=1", f"-artifact_prefix={folder}/"]
        atheris.Setup(arguments, lambda data: target(data) and None)
        atheris.Fuzz()
