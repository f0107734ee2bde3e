"""What `[llm]` says of a model by itself: where it runs, and how many tools it gets at a time."""

import pytest
from pydantic import ValidationError

from config.settings import LlmSettings

AT_HOME = [
    ("ollama:qwen3", ""),
    ("ollama:qwen3", "http://localhost:11434"),
    ("openai-chat:x", "http://127.0.0.1:8080/v1"),
    ("openai-chat:x", "http://[::1]:8080/v1"),
    ("openai-chat:x", "http://192.168.1.5:1234/v1"),
    ("openai-chat:x", "http://gpu.local:8080/v1"),
    ("openai-chat:x", "http://llama:8080/v1"),
    ("ollama:qwen3", "http://10.0.0.7:11434/v1"),
]
ELSEWHERE = [
    ("embedded", ""),
    ("openai-chat:x", ""),
    ("openai-chat:x", "https://api.example.com/v1"),
    ("openai-chat:x", "http://8.8.8.8:8080/v1"),
    ("openai:gpt-4o", ""),
    ("openai:gpt-4o", "http://localhost:4000/v1"),
    ("anthropic:claude-sonnet-5", ""),
    ("google:gemini-2.5-flash", ""),
    ("ollama:qwen3", "https://ollama.com"),
]


@pytest.mark.parametrize(("model", "url"), AT_HOME)
def test_a_model_at_home_gets_fewer_tools_at_a_time(model: str, url: str) -> None:
    settings = LlmSettings(model=model, base_url=url)
    assert settings.at_home
    assert settings.most_tools == 8


@pytest.mark.parametrize(("model", "url"), ELSEWHERE)
def test_others_get_more(model: str, url: str) -> None:
    settings = LlmSettings(model=model, base_url=url)
    assert not settings.at_home
    assert settings.most_tools == 15


def test_what_the_owner_sets_holds() -> None:
    assert LlmSettings(model="ollama:qwen3", tools=20).most_tools == 20
    assert LlmSettings(model="openai:gpt-4o", tools=5).most_tools == 5
    with pytest.raises(ValidationError):
        LlmSettings(context=100)
    with pytest.raises(ValidationError):
        LlmSettings.model_validate({"thinking": "a lot"})
