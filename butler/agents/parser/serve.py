"""The child process: reads one file after another, and can do nothing else. Imports nothing heavy itself."""

import gc
import mimetypes
import resource
import sys
from pathlib import Path
from typing import Any, BinaryIO

from butler.agents.parser.bounds import TimeUpError, bound, clock
from butler.agents.parser.read import TOO_MUCH_MEMORY, read
from butler.agents.parser.request import LENGTH, LONGEST_ANSWER, Request, to_answer, too_long
from butler.contract.speech import prepare, say, speak
from config.language import OwnerLanguage

_GROWN_MB = 350
"""Peak memory after which the process ends once it has answered, so that nothing is kept for long."""
_UNIT = 1 if sys.platform == "darwin" else 1024
"""The unit of the system's memory figures, in bytes."""


def serve(source: BinaryIO, target: BinaryIO, status: BinaryIO | None) -> None:
    """Answer requests until there are no more, or one took much memory.

    `status` is Linux's status file of this process, opened while that is still possible.
    """
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        (size,) = LENGTH.unpack(head)
        request = Request.from_bytes(source.read(size))
        answer = to_answer({**_answer(request, source.read(request.size)), "used": _used(status)})
        del request
        if len(answer) > LONGEST_ANSWER:
            answer = to_answer(_too_large(say("The file holds too much text to be read at once.")))
        target.write(answer)
        target.flush()
        if _used(status)["peak_mb"] > _GROWN_MB:
            return


def _answer(request: Request, data: bytes) -> dict[str, Any]:
    try:
        with clock(request.seconds):
            return read(request, data)
    except MemoryError:
        return _too_large(say(TOO_MUCH_MEMORY))
    except TimeUpError:
        return {"failure": {"code": "ERR_TIMEOUT", "message": too_long(request.seconds), "why": "timeout"}}


def _too_large(sentence: str) -> dict[str, Any]:
    return {"failure": {"code": "ERR_PARSER_UNSUPPORTED", "message": sentence, "why": "too_large"}}


def _used(status: BinaryIO | None) -> dict[str, float]:
    """Return what this process has used so far: seconds of processor time, and peak memory."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss * _UNIT
    if status is not None:
        # On Linux the figure above begins with the memory of the parent process.
        status.seek(0)
        peak = int(status.read().partition(b"VmHWM:")[2].split()[0]) * 1024
    return {"processor_s": round(used.ru_utime + used.ru_stime, 2), "peak_mb": round(peak / 1e6)}


def main() -> None:
    """Run the child process. Arguments: its memory limit in megabytes, and the owner's language."""
    # Stays open for the life of the process.
    status = Path("/proc/self/status").open("rb", buffering=0) if sys.platform == "linux" else None  # noqa: SIM115
    speak(OwnerLanguage(sys.argv[2]))
    prepare()
    bound(int(sys.argv[1]))
    # The sandbox allows no reading of these system files, which libraries request while they load.
    mimetypes.knownfiles.clear()
    # Each page makes thousands of small objects, and hardly any cycles.
    gc.set_threshold(100_000, 50, 50)
    serve(sys.stdin.buffer, sys.stdout.buffer, status)
