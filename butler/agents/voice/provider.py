"""Transcribes a recording through a provider with OpenAI's transcription interface."""

from openai import APIError, APIStatusError, APITimeoutError, AsyncOpenAI

from butler.agents.voice.port import Transcript
from butler.contract.agents import AgentFailure
from butler.contract.errors import AgentErrorCode, ConfigError
from butler.contract.speech import say
from config.agents import VoiceSettings

AGENT = "voice"
_SUFFIX = {"audio/ogg": "ogg", "audio/mpeg": "mp3", "audio/wav": "wav", "audio/mp4": "m4a", "video/mp4": "mp4"}
_LARGEST = 25 * 1024 * 1024
_KEY_REFUSED = {401, 403}
_LATER = {408, 409, 425, 429}


class ProviderListener:
    """Implements `Listener`. The recording leaves this machine, as the owner's settings say."""

    def __init__(self, settings: VoiceSettings, model: str, api_key: str) -> None:
        if not api_key and not settings.base_url:
            raise ConfigError(f"[voice] model is {settings.model!r}, but {settings.api_key_env} holds no key")
        self._settings, self._model, self._key = settings, model, api_key

    async def hear(self, recording: bytes, media_type: str) -> Transcript | AgentFailure:
        if media_type not in _SUFFIX or len(recording) > _LARGEST:
            text = say(
                "a recording of the type {type} and {size:.1f} MB is not taken",
                type=media_type,
                size=len(recording) / 1000000.0,
            )
            return self._failure(AgentErrorCode.PARSER_UNSUPPORTED, text)
        client = AsyncOpenAI(
            api_key=self._key or "none",
            base_url=self._settings.base_url or None,
            timeout=self._settings.timeout_s,
            max_retries=1,
        )
        file = (f"recording.{_SUFFIX[media_type]}", recording, media_type)
        try:
            async with client:
                transcription = await client.audio.transcriptions.create(
                    model=self._model, file=file, response_format="json"
                )
        # A provider's message may repeat the key, so it is not quoted.
        except APIError as error:
            return self._refused(error)
        if not transcription.text.strip():
            return self._failure(AgentErrorCode.PARSER_UNSUPPORTED, say("I heard nobody say anything in it"))
        # This interface returns neither a confidence nor the recording's length.
        return Transcript(
            text=transcription.text.strip(), language="", seconds=0, confidence=1, heard_by=self._settings.model
        )

    def _refused(self, error: APIError) -> AgentFailure:
        if isinstance(error, APITimeoutError):
            return self._failure(AgentErrorCode.TIMEOUT, say("the provider took too long to write it down"))
        if not isinstance(error, APIStatusError):
            return self._failure(
                AgentErrorCode.UNAVAILABLE, say("the provider that writes recordings down cannot be reached")
            )
        if error.status_code in _KEY_REFUSED:
            text = say(
                "the provider refuses the key; check [voice] api_key_env ({variable})",
                variable=self._settings.api_key_env,
            )
            return self._failure(AgentErrorCode.CONNECTOR_AUTH, text)
        text = say("the provider would not write it down (HTTP status {status})", status=error.status_code)
        later = error.status_code in _LATER or error.status_code >= 500  # noqa: PLR2004 - as HTTP counts
        return self._failure(AgentErrorCode.UNAVAILABLE if later else AgentErrorCode.REFUSED, text)

    def _failure(self, code: AgentErrorCode, message: str) -> AgentFailure:
        return AgentFailure(agent_id=AGENT, error_code=code.value, message=message)
