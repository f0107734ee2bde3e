"""What keeps the daemon from starting is said in one sentence, with exit code 1."""

import asyncio

import pytest

from tests.app.command import command
from tests.app.words import answers

AWAY = "postgresql://butler:secret@127.0.0.1:1/butler"


def wrong(what, said, old, new):
    """What is wrong, a part of the sentence about it, and what is replaced in a configuration that works."""
    return pytest.param({old: new}, said, id=what)


WRONG = (
    wrong("no TOML", "is not valid TOML", "[butler]", "[butler"),
    wrong("an unknown key", "butler.nmae is no setting that Butler knows", "name = ", "nmae = "),
    wrong("an unknown key of a module", "bot.tokenenv is no setting", "token_env =", "tokenenv ="),
    wrong("no duration", "undo_window", 'undo_window = "0s"', 'undo_window = "soon"'),
    wrong("no such module", "there is no module 'telegraph'", "[modules.telegram.", "[modules.telegraph."),
    wrong(
        "no way to the owner",
        "no way to its owner",
        "[modules.telegram.bot]",
        "[modules.telegram.bot]\nenabled = false",
    ),
    wrong("a file for a data folder", "butler.toml cannot be used", '"data"', '"butler.toml"'),
    wrong("no such database", "sqlite:///", "[owner]", '[store]\nurl = "mysql://somewhere/x"\n[owner]'),
    wrong("a database server that is away", "cannot be reached", "[owner]", f'[store]\nurl = "{AWAY}"\n[owner]'),
    wrong(
        "a pattern that matches no tool",
        '[[approvals.deny]] tool = "user_emial_*" matches no tool; `butler tools` lists them',
        "[owner]",
        '[[approvals.deny]]\ntool = "user_emial_*"\n[owner]',
    ),
    wrong("experts that are not there", "is no folder; see [experts]", "[owner]", '[experts]\nfolder = "x"\n[owner]'),
    wrong("no web address", "write api_base_url as", 'api_base_url = "http', 'api_base_url = "socks'),
)


@pytest.mark.parametrize(("replaced", "said"), WRONG)
async def test_a_wrong_configuration_is_refused_in_one_sentence(harness, replaced, said):
    home = await harness(replaced=replaced)
    assert await home.end() == 1
    sentence = home.log().strip()
    assert said in sentence
    assert "\n" not in sentence
    assert "secret" not in sentence


@pytest.mark.parametrize("token", ["", "  "])
async def test_without_a_bot_token_it_refuses_and_names_the_variable(harness, token):
    home = await harness(run=False)
    home.set_secret("BUTLER_TELEGRAM_TOKEN", token)
    await home.start()
    assert await home.end() == 1
    sentence = home.log().strip()
    assert "BUTLER_TELEGRAM_TOKEN, which [modules.telegram.bot] needs, is not set; write it into" in sentence
    assert "\n" not in sentence


async def test_secrets_that_others_can_read_are_refused(harness):
    home = await harness(run=False)
    (home.folder / "secrets.env").chmod(0o644)
    await home.start()
    assert await home.end() == 1
    assert "can be read by others; run `chmod 600" in home.log()


@pytest.mark.parametrize("name", ["config", "modules"])
def test_a_package_of_somebody_else_is_told_before_it_is_used(name, tmp_path):
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    ended = command("run", PYTHONPATH=str(tmp_path))
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"butler: the package '{name}' comes from {tmp_path}")
    assert ended.stderr.count("\n") == 1


@pytest.mark.nightly
async def test_a_second_daemon_on_the_same_data_refuses_and_the_first_lives(home):
    ended = await asyncio.to_thread(command, "run", "--config", str(home.config))
    assert ended.returncode == 1
    assert ended.stderr == (
        f"butler: Another Butler is running on this data: process {home.pid} uses {home.folder}/data; stop it first\n"
    )
    await answers(home)
