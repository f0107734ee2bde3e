"""Transcribes speech: by Whisper on this machine, by a provider, or not at all, with an explanation for the owner."""

import asyncio
import json
import sys
from typing import Any

import structlog

from butler.agents.voice.port import Listener, Transcript
from butler.agents.voice.whisper_process import NAME
from butler.contract.agents import AgentFailure
from butler.contract.errors import AgentErrorCode, ConfigError
from butler.contract.speech import say, spoken
from config.agents import VoiceSettings

log = structlog.get_logger(__name__)

AGENT = "voice"
MEMORY = 4 * 1024**3
"""Bytes of address space, mostly reserved by the libraries; Whisper tiny itself takes some 300 MB."""
_ENVIRONMENT = {"HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
"""Without the daemon's own variables, which contain secrets, so that an exploited decoder finds none."""
SOUND = ("audio/", "video/")


class UnavailableListener:
    """Refuses every recording, and says how to set up transcription."""

    async def hear(self, recording: bytes, media_type: str) -> Transcript | AgentFailure:
        del recording, media_type
        return failure(
            AgentErrorCode.REFUSED,
            say("I cannot listen to voice messages yet; [voice] model in butler.toml says what may write them down"),
        )


class WhisperListener:
    """Whisper `tiny.en` in a process of its own, one recording at a time. English only."""

    def __init__(self, settings: VoiceSettings) -> None:
        self._settings = settings
        self._one = asyncio.Lock()

    async def hear(self, recording: bytes, media_type: str) -> Transcript | AgentFailure:
        if not media_type.startswith(SOUND):
            return failure(AgentErrorCode.PARSER_UNSUPPORTED, say("this is not a recording"))
        async with self._one:
            return await self._hear(recording)

    async def _hear(self, recording: bytes) -> Transcript | AgentFailure:
        limits = (str(self._settings.longest_s), str(MEMORY), str(int(self._settings.timeout_s) + 1))
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "butler.agents.voice.whisper_process", *limits, spoken()),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd="/",
                env=_ENVIRONMENT,
            )
        except OSError:
            return failure(AgentErrorCode.UNAVAILABLE, say("nothing can be listened to now; try again later"))
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                answer, _ = await process.communicate(recording)
        except TimeoutError:
            return failure(AgentErrorCode.TIMEOUT, say("writing this recording down took too long"))
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return _read(answer, process.returncode)


def _read(answer: bytes, code: int | None) -> Transcript | AgentFailure:
    try:
        data: dict[str, Any] = json.loads(answer)
    except ValueError:
        log.warning("listening_failed", code=code)
        return failure(AgentErrorCode.PARSER_UNSUPPORTED, say("this recording could not be listened to"))
    if problem := data.get("problem"):
        # Tell an unreadable recording from a program that is not set up.
        return failure(
            AgentErrorCode.REFUSED if data.get("not_set_up") else AgentErrorCode.PARSER_UNSUPPORTED, str(problem)
        )
    if not data["text"]:
        return failure(AgentErrorCode.PARSER_UNSUPPORTED, say("I heard nobody say anything in it"))
    return Transcript.model_validate(data | {"heard_by": NAME})


def make_listener(settings: VoiceSettings, api_key: str) -> Listener:
    """Make the listener of `[voice]`; raise `ConfigError` that says what to set."""
    engine, _, name = settings.model.partition(":")
    match engine:
        case "":
            return UnavailableListener()
        case "whisper":
            return WhisperListener(settings)
        case "openai" if name:
            from butler.agents.voice.provider import ProviderListener  # noqa: PLC0415 - a client is heavy

            return ProviderListener(settings, name, api_key)
        case _:
            raise ConfigError(f"[voice] model is {settings.model!r}; write whisper, or openai:NAME, or leave it out")


def failure(code: AgentErrorCode, message: str) -> AgentFailure:
    """Return why nothing was heard, in one sentence."""
    return AgentFailure(agent_id=AGENT, error_code=code.value, message=message)
