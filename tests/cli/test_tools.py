"""`butler tools` tells what each tool asks, also which reads do."""

import json
from pathlib import Path

from approvals.states import State


def configure(text: str) -> None:
    Path("butler.toml").write_text(text)


async def test_reads_of_what_is_private_are_marked(butler):
    rows = {row["name"]: row for row in json.loads((await butler("tools", "--json")).stdout)}
    private = {name for name, row in rows.items() if row["sensitive_read"]}
    assert "user_telegram_get_message_history" in private
    assert {rows[name]["direction"] for name in private} == {"input"}
    lines = {line.split()[0]: line for line in (await butler("tools")).stdout.splitlines()}
    assert {name for name, line in lines.items() if "  private: asks  " in line} == private
    assert "  asks: always" in lines["user_email_send_message"]


async def test_the_states_of_approvals_stand_in_the_help(butler):
    told = (await butler("approvals", "--help")).stdout
    assert all(state in told for state in State)


async def test_the_accounts_of_the_configuration_are_listed_where_there_are_several(butler):
    configure("[modules.email.user.accounts.work]\nprovider = 'gmail_oauth'\n[modules.telegram.user]\n")
    rows = {row["name"]: row for row in json.loads((await butler("tools", "--json")).stdout)}
    assert rows["user_email_send_message"]["accounts"] == ["main", "work"]
    assert rows["user_telegram_send_message"]["accounts"] == ["main"]
    assert rows["bot_email_send_message"]["accounts"] == []
    lines = {line.split()[0]: line for line in (await butler("tools")).stdout.splitlines()}
    assert lines["user_email_send_message"].endswith(" Through main, work.")
    assert "Through" not in lines["user_telegram_send_message"]


async def test_a_tool_says_what_it_is_for_and_what_it_takes(butler):
    told = (await butler("tools", "help", "user_email_archive")).stdout
    assert told.startswith("user_email_archive: ")
    assert "acts as you; output; asks: always" in told
    assert "Example" not in told
    assert "  contact_id" not in told
    reminder = (await butler("tools", "help", "bot_reminders_create")).stdout
    assert "Example" in reminder
    search = (await butler("tools", "help", "bot_qdrant_search")).stdout
    assert "Gives back\n  count (integer)\n  matches (list of Match)" in search
    assert "string or string" not in search
    as_json = json.loads((await butler("tools", "help", "user_email_archive", "--json")).stdout)
    assert as_json["ops"] == ["help", "status", "list_methods", "list_providers"]


async def test_a_tool_says_of_which_methods_and_providers_it_is_made(butler):
    methods = (await butler("tools", "list-methods", "user_trello_move_card")).stdout
    assert "trello.cards." in methods
    assert "uses the butler's own rows" in (await butler("tools", "list-methods", "bot_notes_remember")).stdout
    assert (await butler("tools", "list-providers", "bot_notes_remember")).stdout == "butler\n"


async def test_the_status_of_a_tool_says_whether_its_account_can_be_used(butler):
    configure("[modules.trello.user]\n")
    told = await butler("tools", "status", "user_trello_list_boards")
    assert told.stdout.startswith("user_trello_list_boards: cannot be used now\n  NOT trello")
    assert "butler login trello" in told.stdout
    missing = await butler("tools", "status", "user_drive_search", "--json")
    assert missing.exit_code == 1
    assert "[modules.drive]" in missing.stderr


async def test_a_tool_that_there_is_not_is_said_in_one_sentence(butler):
    told = await butler("tools", "help", "user_email_explode")  # names: wrong on purpose
    assert told.exit_code == 1
    assert len(told.stderr.strip().splitlines()) == 1
