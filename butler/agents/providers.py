"""Makes the model that `[llm]` names, of any provider, through pydantic-ai."""

from typing import Any

from pydantic_ai import exceptions
from pydantic_ai.models import Model
from pydantic_ai.profiles.openai import OpenAIModelProfile

from butler.contract.errors import ConfigError
from config.settings import LlmSettings


def make_model(settings: LlmSettings, api_key: str) -> Model:
    """Make the provider's model; raise `ConfigError` that says what to set."""
    provider, _, name = settings.model.partition(":")
    if not name:
        raise ConfigError(f"[llm] model is {settings.model!r}; write it as PROVIDER:NAME, or embedded")
    if not api_key and provider != "ollama" and not settings.base_url:
        raise ConfigError(f"[llm] model is {settings.model!r}, but the variable {settings.api_key_env} holds no key")
    try:
        return _of_provider(settings, api_key or None)
    except ImportError as error:
        raise ConfigError(f"[llm] model is {settings.model!r}; install butler[models] for it") from error
    except exceptions.UserError as error:
        raise ConfigError(f"[llm] model is {settings.model!r}, which cannot be used as set") from error


def _whole_streams() -> OpenAIModelProfile:
    """Take no stream for whole that ends without saying so."""
    return OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)


def _of_provider(llm: LlmSettings, api_key: str | None) -> Model:
    provider, _, name = llm.model.partition(":")
    base_url = llm.base_url or None
    match provider:
        case "openai":
            from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415
            from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

            return OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=base_url, api_key=api_key or "none"))
        case "openai-chat":
            from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
            from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

            provided = OpenAIProvider(base_url=base_url, api_key=api_key or "none")
            return OpenAIChatModel(name, provider=provided, profile=_whole_streams())
        case "ollama":
            import httpx2  # noqa: PLC0415
            from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
            from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

            from butler.agents.ollama import OllamaTransport, address_of  # noqa: PLC0415

            client = httpx2.AsyncClient(transport=OllamaTransport(llm))
            address = f"{address_of(llm.base_url)}/v1"
            provided = OllamaProvider(base_url=address, api_key=api_key or "none", http_client=client)
            return OllamaModel(name, provider=provided, profile=_whole_streams())
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
