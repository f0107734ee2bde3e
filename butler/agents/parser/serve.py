"""The child process: reads one file after another, and cannot do anything else. Imports nothing heavy by itself."""

import gc
import resource
import sys
from typing import BinaryIO

from butler.agents.parser.bounds import allow_seconds, bound
from butler.agents.parser.read import read
from butler.agents.parser.request import LENGTH, LONGEST_ANSWER, Request, to_answer

_PROCESSORS = 2
"""Seconds of processor for each second of the clock, as libraries have threads of their own."""
_GROWN = 600 * 1024
"""KiB of memory at its most; who has taken more leaves after the answer, so that nothing is kept for long."""


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Answer requests until there is none, or until one took much memory."""
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        (size,) = LENGTH.unpack(head)
        request = Request.from_bytes(source.read(size))
        allow_seconds(request.seconds * _PROCESSORS)
        answer = _answer(request)
        del request
        if len(answer) > LONGEST_ANSWER:
            answer = _too_large("The file holds too much text to be read at once.")
        target.write(answer)
        target.flush()
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > _GROWN:
            return


def _answer(request: Request) -> bytes:
    try:
        return to_answer(read(request))
    except MemoryError:
        return _too_large("The file takes more memory to read than `[documents] memory_mb` allows.")


def _too_large(sentence: str) -> bytes:
    return to_answer({"failure": {"code": "ERR_PARSER_UNSUPPORTED", "message": sentence, "why": "too_large"}})


def main() -> None:
    """Be the child process; the argument is how much memory it may take, in megabytes."""
    bound(int(sys.argv[1]))
    # Thousands of small objects for each page, and hardly a cycle among them.
    gc.set_threshold(100_000, 50, 50)
    serve(sys.stdin.buffer, sys.stdout.buffer)
