"""Voice messages: written down on this machine or by a provider, and where neither works, it is said plainly."""

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from butler.agents.voice import listener, whisper_process
from butler.agents.voice.listener import WhisperListener, make_listener
from butler.agents.voice.port import Listener, Transcript
from butler.contract.agents import AgentFailure
from butler.contract.errors import AgentErrorCode, ConfigError
from config.agents import VoiceSettings

KEY = "sk-of-a-test"


def spoken(words: str, file: Path) -> bytes:
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not there to speak")
    subprocess.run(["espeak-ng", "-v", "en-us", "-s", "130", "-w", str(file), words], check=True)
    return file.read_bytes()


def whisper(**settings: float) -> Listener:
    pytest.importorskip("faster_whisper", reason="the extra butler[voice] is not installed")
    return make_listener(VoiceSettings.model_validate({"model": "whisper"} | settings), "")


async def refusal(listener: Listener, recording: bytes = b"x", media_type: str = "audio/ogg") -> tuple[str, str]:
    heard = await listener.hear(recording, media_type)
    assert isinstance(heard, AgentFailure), heard
    return heard.error_code, heard.message


async def test_what_was_said_is_written_down_on_this_machine(tmp_path: Path) -> None:
    recording = spoken("Please remind me to call the dentist tomorrow.", tmp_path / "said.wav")
    heard = await whisper().hear(recording, "audio/wav")
    assert isinstance(heard, Transcript)
    assert "dentist" in heard.text.lower()
    assert 1 < heard.seconds < 10
    assert 0 < heard.confidence <= 1
    assert heard.heard_by == "whisper tiny.en"


@pytest.mark.nightly
async def test_a_recording_that_is_too_long_damaged_or_none_is_said(tmp_path: Path) -> None:
    recording = spoken("This is longer than a second.", tmp_path / "said.wav")
    code, said = await refusal(whisper(longest_s=1), recording, "audio/wav")
    assert (code, "at most 1 s" in said) == (AgentErrorCode.PARSER_UNSUPPORTED, True)
    assert (await refusal(whisper(), b"no sound at all" * 50))[1].startswith("this recording cannot be read")
    assert (await refusal(whisper(), b"x", "image/png"))[1] == "this is not a recording"


async def test_listening_that_takes_too_long_is_ended() -> None:
    code, said = await refusal(whisper(timeout_s=0.01), b"x" * 1000)
    assert (code, said) == (AgentErrorCode.TIMEOUT, "writing this recording down took too long")


async def test_a_process_that_dies_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MEMORY", 1)
    assert (await refusal(whisper()))[1] == "this recording could not be listened to"


@pytest.mark.parametrize(("not_set_up", "code"), [(True, "REFUSED"), (False, "PARSER_UNSUPPORTED")])
async def test_a_program_that_is_not_set_up_is_told_from_an_unreadable_recording(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, not_set_up: bool, code: str
) -> None:
    answer = json.dumps({"problem": "it is not installed", "not_set_up": not_set_up})
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{answer}'\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    found, said = await refusal(make_listener(VoiceSettings(model="whisper"), ""))
    assert (found, said) == (AgentErrorCode[code], "it is not installed")


def test_weights_that_are_not_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(whisper_process.PACKAGE, reason="the extra butler[voice] is not installed")
    assert (whisper_process.checked_weights() / "model.bin").exists()
    monkeypatch.setattr(whisper_process, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(whisper_process.TranscriptionError, match="not those that Butler knows"):
        whisper_process.checked_weights()
    monkeypatch.setattr(whisper_process, "PACKAGE", "no_such_package")
    with pytest.raises(whisper_process.TranscriptionError, match="is not installed"):
        whisper_process.checked_weights()


async def test_nobody_listens_unless_the_settings_say_who() -> None:
    assert "[voice] model" in (await refusal(make_listener(VoiceSettings(), "")))[1]


@pytest.mark.parametrize("model", ["telepathy", "openai", "openai:"])
def test_a_listener_that_there_is_not_is_refused(model: str) -> None:
    with pytest.raises(ConfigError, match="write whisper, or openai:NAME"):
        make_listener(VoiceSettings(model=model), KEY)


def test_a_provider_without_a_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="BUTLER_LLM_KEY holds no key"):
        make_listener(VoiceSettings(model="openai:whisper-1"), "")


class Provider:
    """OpenAI's `POST /audio/transcriptions`, with what it checks of a request."""

    def __init__(self) -> None:
        self.status, self.wait_s, self.text = 200, 0.0, " Call the dentist. "

    async def serve(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response({"error": {"message": f"Incorrect API key: {KEY}"}}, status=401)
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        with file.file as data:
            assert (file.filename, file.content_type, data.read()) == ("recording.ogg", "audio/ogg", b"sound")
        assert (form["model"], form["response_format"]) == ("whisper-1", "json")
        await asyncio.sleep(self.wait_s)
        if self.status != 200:
            return web.json_response({"error": {"message": "no"}}, status=self.status)
        return web.json_response({"text": self.text})


async def test_a_provider_writes_it_down_and_its_refusals_are_one_sentence_without_the_key() -> None:
    provider = Provider()
    app = web.Application()
    app.router.add_post("/v1/audio/transcriptions", provider.serve)
    async with TestServer(app) as server:
        settings = VoiceSettings(model="openai:whisper-1", base_url=str(server.make_url("/v1")), timeout_s=0.5)
        listener = make_listener(settings, KEY)
        heard = await listener.hear(b"sound", "audio/ogg")
        assert isinstance(heard, Transcript)
        assert heard.text == "Call the dentist."
        code, said = await refusal(make_listener(settings, "sk-of-yesterday"), b"sound")
        assert (code, "check [voice] api_key_env" in said, KEY in said) == (AgentErrorCode.CONNECTOR_AUTH, True, False)
        provider.text = " "
        assert (await refusal(listener, b"sound"))[1] == "I heard nobody say anything in it"
        provider.status = 400
        code, said = await refusal(listener, b"sound")
        assert (code, "HTTP status 400" in said) == (AgentErrorCode.REFUSED, True)
        provider.status = 503
        assert (await refusal(listener, b"sound"))[0] == AgentErrorCode.UNAVAILABLE
        provider.status, provider.wait_s = 200, 0.7
        code, said = await refusal(listener, b"sound")
        assert (code, "took too long" in said) == (AgentErrorCode.TIMEOUT, True)
        assert "is not taken" in (await refusal(listener, b"sound", "audio/x-odd"))[1]
    code, said = await refusal(listener, b"sound")
    assert (code, "cannot be reached" in said) == (AgentErrorCode.UNAVAILABLE, True)


async def test_what_listens_knows_no_secret_and_starts_in_no_folder_of_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BUTLER_LLM_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    given: dict[str, object] = {}

    async def starts(*_: object, **options: object) -> None:
        given.update(options)
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", starts)
    code, said = await refusal(WhisperListener(VoiceSettings(model="whisper")))
    assert (code, said) == (AgentErrorCode.UNAVAILABLE, "nothing can be listened to now; try again later")
    assert given["cwd"] == "/"
    assert KEY not in str(given["env"])
