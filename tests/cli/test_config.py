"""`butler config check` says what would keep Butler from starting, all of it, and where."""

import json
from pathlib import Path

import pytest

from config.load import ordinal

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


async def test_all_faults_are_told_at_once_with_their_place(butler):
    write("""[web]
port = "x"
[[contacts]]
name = "Anna"
phone = "1"
[[contacts]]
email = "bob@friends.example"
[modules.telegram.bot]
tokenenv = "X"
[modules.email.bot]
imap = "imaps://imap.home.example"
""")
    result = await butler("config", "check")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    for fault in (
        "butler.toml: web.port: write a whole number",
        "phone of the 1st [[contacts]] is no setting that Butler knows",
        "name of the 2nd [[contacts]] is missing",
        "butler.toml: modules.telegram.bot.tokenenv is no setting that Butler knows",
        "butler.toml: modules.email.bot.smtp is missing",
    ):
        assert fault in result.stderr


async def test_a_fault_in_a_further_mailbox_is_told_at_its_place_in_the_file(butler):
    write(
        """[modules.telegram.bot]
[modules.email.user.accounts.work]
provider = "smtp_imap"
imap = "nowhere"
smtp = "smtps://smtp.work.example:465"
"""
    )
    result = await butler("config", "check")
    assert result.exit_code == 1
    assert "modules.email.user.accounts.work.imap: " in result.stderr


async def test_an_unknown_channel_is_told_beside_the_rest(butler):
    write('[modules.telegraph.bot]\n[modules.telegram.bot]\nmode = "pooling"\n')
    result = await butler("config", "check")
    assert "there is no module 'telegraph'" in result.stderr
    assert 'set mode = "polling" or mode = "webhook"' in result.stderr


@pytest.mark.parametrize(
    ("number", "said"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (21, "21st"), (112, "112th")]
)
def test_places_are_counted_as_people_do(number, said):
    assert ordinal(number) == said


async def test_a_folder_for_a_configuration_is_told_without_a_programs_words(butler):
    result = await butler("config", "check", "--config", ".")
    assert (result.exit_code, result.stderr) == (
        1,
        "butler: The configuration does not work: . cannot be read: it is a folder\n",
    )


async def test_a_section_that_stands_there_twice_is_named(butler):
    write('[approvals]\nexpires = "1h"\n[modules.telegram.bot]\n[approvals]\nstale_after = "1h"\n')
    result = await butler("config", "check")
    assert result.exit_code == 1
    assert "butler.toml: [approvals] stands there twice; put all its lines into one section\n" in result.stderr


async def test_a_section_that_is_a_list_elsewhere_is_not_said_to_stand_there_twice(butler):
    write("[[contacts]]\n[contacts]\n")
    assert "butler.toml is not valid TOML" in (await butler("config", "check")).stderr


IDLE = """[[approvals.deny]]
tool = "user_emial_*"
[[approvals.limit]]
tool = "bot_emails_*"
per_day = 1
[[approvals.policy]]
tool = "user_telegram_reed*"
approval = "always"
[approvals.undo_windows]
"user_mail_*" = "30s"
[modules.telegram.bot]
"""


async def test_a_pattern_that_matches_no_tool_is_refused_since_it_protects_from_nothing(butler):
    write(IDLE)
    says = (
        'butler.toml: [[approvals.deny]] tool = "user_emial_*" matches no tool; '
        '[[approvals.policy]] tool = "user_telegram_reed*" matches no tool; '
        '[[approvals.limit]] tool = "bot_emails_*" matches no tool; '
        '[approvals.undo_windows] "user_mail_*" matches no tool; `butler tools` lists them'
    )
    result = await butler("config", "check")
    assert (result.exit_code, result.stderr) == (1, f"butler: The configuration does not work: {says}\n")
    found = json.loads((await butler("doctor", "--json")).stdout)
    todo = "Correct butler.toml."
    assert {"name": "Configuration", "ok": False, "detail": says, "todo": todo, "in_use": True} in found


async def test_a_pattern_may_name_tools_of_an_account_that_is_not_set_up(butler):
    write('[[approvals.deny]]\ntool = "user_email_*"\n[approvals.undo_windows]\n"*" = "5s"\n[modules.telegram.bot]\n')
    assert (await butler("config", "check")).exit_code == 0
