"""A language model that fills typed forms, through pydantic-ai: any of its providers, no tools, bounded.

Meets the `Llm` port. The client's libraries are heavy, so this file is imported only where a model is set.
"""

from typing import Any, TypeVar

import structlog
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, UnexpectedModelBehavior, UserError
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from butler.contract.errors import ConfigError, ModelOutputError, ModelUnavailableError
from config.settings import LlmSettings

log = structlog.get_logger(__name__)
M = TypeVar("M", bound=BaseModel)

REPAIRS = 2
"""How often a model is shown what is wrong with its answer."""
OLLAMA = "http://localhost:11434/v1"


class ModelLlm:
    """One model of one provider, as `[llm]` names it."""

    def __init__(self, settings: LlmSettings, api_key: str) -> None:
        self._settings = settings
        self._model = make_model(settings, api_key)

    async def fill(self, form: type[M], *, instructions: str, prompt: str) -> M:
        agent: Agent[None, M] = Agent(
            self._model, output_type=form, instructions=instructions, retries=REPAIRS, name="planner"
        )
        limits = UsageLimits(request_limit=REPAIRS + 1)
        try:
            result = await agent.run(
                prompt, usage_limits=limits, model_settings={"timeout": self._settings.timeout_s, "temperature": 0.0}
            )
        except UnexpectedModelBehavior as error:
            raise ModelOutputError from error
        except ModelAPIError as error:
            raise ModelUnavailableError(_why(error)) from None
        except AgentRunError as error:
            raise ModelUnavailableError(type(error).__name__) from None
        log.info("model_used", model=self._settings.model, requests=result.usage.requests)
        return result.output


def _why(error: ModelAPIError) -> str:
    """One plain phrase; the provider's own text may repeat the prompt or the key."""
    match getattr(error, "status_code", None):
        case 401 | 403:
            return "it refuses the key; check [llm] api_key_env"
        case 402 | 429:
            return "it says that the quota is used up or that this was too fast"
        case 404:
            return "it has no model of this name; check [llm] model"
        case int() as status:
            return f"it answered with HTTP status {status}"
        case _:
            return "it cannot be reached"


def make_model(settings: LlmSettings, api_key: str) -> Model:
    """The provider's model; raises `ConfigError` that says what to set."""
    provider, _, name = settings.model.partition(":")
    if not name:
        raise ConfigError(f"[llm] model is {settings.model!r}; write it as PROVIDER:NAME, or embedded")
    if not api_key and provider != "ollama" and not settings.base_url:
        raise ConfigError(f"[llm] model is {settings.model!r}, but the variable {settings.api_key_env} holds no key")
    try:
        return _of_provider(provider, name, settings.base_url or None, api_key or None)
    except ImportError as error:
        raise ConfigError(f"[llm] model is {settings.model!r}; install butler[models] for it") from error
    except UserError as error:
        raise ConfigError(f"[llm] model is {settings.model!r}, which cannot be used as set") from error


def _of_provider(provider: str, name: str, base_url: str | None, api_key: str | None) -> Model:
    match provider:
        case "openai":
            from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415
            from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

            return OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=base_url, api_key=api_key or "none"))
        case "openai-chat":
            from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
            from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

            return OpenAIChatModel(name, provider=OpenAIProvider(base_url=base_url, api_key=api_key or "none"))
        case "ollama":
            from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
            from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

            return OllamaModel(name, provider=OllamaProvider(base_url=base_url or OLLAMA, api_key=api_key or "none"))
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
            from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

            return AnthropicModel(name, provider=AnthropicProvider(base_url=base_url, api_key=api_key))
        case "google":
            from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
            from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

            settings: dict[str, Any] = {"api_key": api_key} | ({"base_url": base_url} if base_url else {})
            return GoogleModel(name, provider=GoogleProvider(**settings))
        case _:
            raise ConfigError(
                f"[llm] knows no provider {provider!r}; there are openai, openai-chat, anthropic, google, ollama"
            )
