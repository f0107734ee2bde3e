"""`butler config check` says what would keep Butler from starting, all of it, and where."""

from pathlib import Path

import pytest

TOKEN = "BUTLER_TELEGRAM_TOKEN=700123:a-token-that-nobody-may-see\n"


def write(text: str, secrets: str = TOKEN) -> Path:
    config = Path("butler.toml")
    config.write_text(text)
    Path("secrets.env").write_text(secrets)
    Path("secrets.env").chmod(0o600)
    return config


async def test_a_configuration_that_works_is_told_so(butler):
    write("[modules.telegram.bot]\n")
    result = await butler("config", "check")
    assert (result.exit_code, result.stdout) == (0, "butler.toml works.\n")


@pytest.mark.parametrize("text", ["", "[modules.telegram.user]\n", "[modules.telegram.bot]\nenabled = false\n"])
async def test_a_configuration_without_a_bot_has_no_way_to_its_owner(butler, text):
    write(text)
    result = await butler("config", "check")
    assert result.exit_code == 1
    assert result.stderr.endswith("Butler has no way to its owner; set up [modules.telegram.bot]\n")


async def test_a_variable_that_the_bot_needs_is_named(butler):
    write("[modules.telegram.bot]\n", secrets="")
    result = await butler("config", "check")
    assert result.exit_code == 1
    assert "BUTLER_TELEGRAM_TOKEN, which [modules.telegram.bot] needs, is not set" in result.stderr
