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
