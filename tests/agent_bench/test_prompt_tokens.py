"""`make bench NAME=prompt_tokens` counts what a model would be sent, and knows a request whose tool is missing."""

import argparse
import json

import pytest

from bench import prompt_tokens
from bench.prompt_tokens import Sent, has_its_tools
from bench.token_counters import Tokenizer, xlm_r


def sent(expected: str, *tools: str) -> Sent:
    return Sent({"expected": expected}, "", "\n".join(f"## {tool} (asks the owner)" for tool in tools))


async def test_the_bench_counts_and_reports(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counters = (Tokenizer("o200k_base", "characters here", len),)
    monkeypatch.setattr(prompt_tokens, "tokenizers", lambda: counters)
    await prompt_tokens.measured(argparse.Namespace(requests=4, show=False))
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["bench"], set(last)) == ("prompt_tokens", {"bench", "machine", "ratios", "figures"})
    figures = last["figures"]
    assert figures["requests"] == 4
    assert 1_000 < figures["o200k_median"] <= figures["o200k_p90"] <= figures["o200k_max"]
    assert 0 < figures["tools_max"] <= 15


@pytest.mark.parametrize(
    ("expected", "tools", "has"),
    [
        ("TG", ["user_telegram_send_message"], True),
        ("TG", ["user_email_send_message"], False),
        ("TG/MAIL", ["user_email_send_message"], True),
        ("TG+REM", ["user_telegram_send_message"], False),
        ("TG+REM", ["user_telegram_send_message", "bot_reminders_create"], True),
        ("FORWARD", ["user_email_send_message"], False),
        ("FORWARD", ["user_email_send_message", "user_email_read_message"], True),
        ("COUNT", ["user_email_search_inbox"], True),
        ("ASK", [], None),
        ("APPROVE", [], None),
        ("APPROVE+REM", ["bot_reminders_create"], True),
        ("ASK/TG", ["user_telegram_send_message"], True),
    ],
)
def test_a_request_has_its_tools(expected: str, tools: list[str], has: bool | None) -> None:
    assert has_its_tools(sent(expected, *tools)) is has


def test_the_embedders_own_tokenizer_counts_pieces() -> None:
    count = xlm_r()
    assert count("") == 0
    assert count("hello world") == 2
    assert count("hello " * 1_000) >= 1_000
