"""What a request to a provider says besides its words: its limits, how long to think, and what to keep in a cache."""

from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel
from pydantic_ai.settings import CacheConfig, ModelSettings, ThinkingLevel

from config.settings import LlmSettings

SDK_RETRIES = 1
"""How often the provider's client repeats a request that the provider could not serve."""
LONGEST_ANSWER = 16_000
"""Tokens of one answer, thinking included: it limits the cost of a request in advance."""
LONGEST_THOUGHT = 32_000
"""The same where the owner wants long thinking, of which some models take this much alone."""
BOUNDED = frozenset({"openai", "anthropic", "google"})
"""Providers that accept this limit; self-hosted servers refuse one that exceeds their context."""
CACHING = frozenset({"openai", "anthropic"})
"""Providers that are told what to cache; Google caches whatever begins alike, and so do servers at home."""
OPENAI: Final = "api.openai.com"


def request_settings(settings: LlmSettings) -> ModelSettings:
    """Return what is the same for every request to a model."""
    provider = settings.model.partition(":")[0]
    asking = ModelSettings(timeout=settings.timeout_s, request_timeout=settings.timeout_s, max_retries=SDK_RETRIES)
    if provider in BOUNDED:
        asking["max_tokens"] = LONGEST_THOUGHT if settings.thinking == "high" else LONGEST_ANSWER
    if provider in CACHING:
        # The tools and the instructions, which the next request begins with too; the conversation is another each time.
        asking["cache"] = CacheConfig(messages=False)
    return asking | _thinking(settings, provider)


def prefix_settings(settings: LlmSettings, instructions: str, form: type[BaseModel]) -> ModelSettings:
    """Return what tells OpenAI that requests begin alike, so that it sends them to where the beginning is cached."""
    provider = settings.model.partition(":")[0]
    host = urlsplit(settings.base_url).hostname or OPENAI
    # Other servers may refuse a field that they do not know.
    if provider != "openai" and not (provider == "openai-chat" and host == OPENAI):
        return ModelSettings()
    from pydantic_ai.models.openai import OpenAIChatModelSettings  # noqa: PLC0415 - only with OpenAI's client

    beginning = f"{form.__name__}\n{instructions}"
    return OpenAIChatModelSettings(openai_prompt_cache_key=f"butler-{sha256(beginning.encode()).hexdigest()[:24]}")


def _thinking(settings: LlmSettings, provider: str) -> ModelSettings:
    """Return how long to think. pydantic-ai leaves it out for a model that cannot be told; Ollama has its own way."""
    if settings.thinking == "auto" or provider == "ollama":
        return ModelSettings()
    if provider == "openai-chat" and settings.at_home:
        from pydantic_ai.models.openai import OpenAIChatModelSettings  # noqa: PLC0415 - only with OpenAI's client

        # No list tells which models of a server at home can think, so it is told in any case: llama.cpp's and LM
        # Studio's take this field, and pass over it for a model that does not think.
        return OpenAIChatModelSettings(
            openai_reasoning_effort="none" if settings.thinking == "off" else settings.thinking
        )
    level: ThinkingLevel = False if settings.thinking == "off" else settings.thinking
    return ModelSettings(thinking=level)
