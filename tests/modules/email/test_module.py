"""The module as the butler sees it: its tools, its settings, its checks."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from approvals.preview import left_out, preview_of
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.registry import Registry
from butler_demo.mailbox.server import MailServer
from modules.email import MODULE
from modules.email.bulk_actions import MailAction
from modules.email.config import EmailSettings, GmailSettings, UserServerSettings, endpoint
from tests.modules.email.mailhost import ANNA, BotUnderTest, mail_context
from tests.support.context import make_context

BOT = {"imap": "imaps://imap.home.example", "smtp": "smtp+starttls://smtp.home.example"}
SETTINGS = EmailSettings.model_validate({"bot": BOT, "user": {}})
FOLDER = Path(__file__).parents[3] / "modules" / "email"


def test_every_tool_is_registered_under_its_identity() -> None:
    registry = Registry()
    registry.add_module(MODULE(SETTINGS, make_context()))
    tools = {spec.tool_name: (spec.identity, spec.direction, spec.approval_default) for spec in registry.specs()}
    read, write = Direction.INPUT, Direction.OUTPUT
    assert tools == {
        "bot_email_search_inbox": (Identity.BOT, read, ApprovalDefault.NONE),
        "bot_email_read_message": (Identity.BOT, read, ApprovalDefault.NONE),
        "bot_email_check_and_route_inbox": (Identity.BOT, read, ApprovalDefault.NONE),
        "bot_email_send_message": (Identity.BOT, write, ApprovalDefault.CONDITIONAL),
        "bot_email_reply_to_thread": (Identity.BOT, write, ApprovalDefault.CONDITIONAL),
        "bot_email_unsubscribe": (Identity.BOT, write, ApprovalDefault.ALWAYS),
        "user_email_search_inbox": (Identity.USER, read, ApprovalDefault.NONE),
        "user_email_read_message": (Identity.USER, read, ApprovalDefault.NONE),
        "user_email_list_threads": (Identity.USER, read, ApprovalDefault.NONE),
        "user_email_rank_senders": (Identity.USER, read, ApprovalDefault.NONE),
        "user_email_send_message": (Identity.USER, write, ApprovalDefault.ALWAYS),
        "user_email_reply_to_thread": (Identity.USER, write, ApprovalDefault.ALWAYS),
        "user_email_draft_message": (Identity.USER, write, ApprovalDefault.ALWAYS),
        "user_email_draft_reply": (Identity.USER, write, ApprovalDefault.ALWAYS),
        "user_email_answer_invite": (Identity.USER, write, ApprovalDefault.ALWAYS),
        "user_email_unsubscribe": (Identity.USER, write, ApprovalDefault.ALWAYS),
        **{f"user_email_{action}": (Identity.USER, write, ApprovalDefault.ALWAYS) for action in MailAction},
    }
    assert {path.stem.removeprefix("tool_") for path in (FOLDER / "prompts").iterdir()} == set(tools)


@pytest.mark.parametrize("section", ["bot", "user"])
def test_a_side_that_is_off_has_no_tools(section: str) -> None:
    sides: dict[str, dict[str, Any]] = {"bot": dict(BOT), "user": {}}
    sides[section]["enabled"] = False
    registry = Registry()
    registry.add_module(MODULE(EmailSettings.model_validate(sides), make_context()))
    assert not [spec for spec in registry.specs() if spec.identity.value == section]


@pytest.mark.parametrize(
    ("section", "change"),
    [
        ("bot", {"imap": "https://imap.home.example"}),
        ("bot", {"imap": "imaps://me:secret@imap.home.example"}),
        ("bot", {"smtp": "imaps://imap.home.example"}),
        ("bot", {"poll_interval": "1h"}),
        ("bot", {"poll_interval": "soon"}),
        ("bot", {"pasword_env": "X"}),
        ("user", {"api_root": "gmail.googleapis.com"}),
        ("user", {"scopes": "all"}),
    ],
)
def test_a_setting_that_cannot_work_is_refused(section: str, change: dict[str, str]) -> None:
    sides: dict[str, dict[str, Any]] = {"bot": dict(BOT), "user": {}}
    sides[section] |= change
    with pytest.raises(ValidationError):
        EmailSettings.model_validate(sides)


def test_ports_follow_from_the_scheme() -> None:
    ports = {scheme: endpoint(f"{scheme}://h.example").port for scheme in ("imap", "imaps", "smtp", "smtps")}
    assert ports == {"imap": 143, "imaps": 993, "smtp": 25, "smtps": 465}
    assert endpoint("smtp+starttls://h.example").port == 587
    assert endpoint("imaps://h.example:1993").port == 1993


async def test_doctor_checks_both_directions(host: MailServer) -> None:
    bot = BotUnderTest(host, mail_context(host))
    reading, _abilities, sending, _stamps = await bot.module.checks()
    assert reading.ok, reading
    assert reading.detail.endswith(": 0 mails; the server tells of new mail at once")
    assert sending.ok, sending
    host.put(bot.address, b"Subject: one\r\n\r\nalone\r\n")
    reading, *_ = await bot.module.checks()
    assert ": 1 mail; the server" in reading.detail
    await bot.module.stop()


async def test_doctor_says_what_to_do(host: MailServer) -> None:
    bot = BotUnderTest(host, mail_context(host, WRONG="no"), password_env="WRONG")
    for check in (await bot.module.checks())[:2]:
        assert not check.ok
        assert "refused the login of" in check.detail
        assert "WRONG" in check.todo
        assert "no'" not in check.detail
    await bot.module.stop()


async def test_a_certificate_that_is_not_trusted_is_named(host: MailServer) -> None:
    bot = BotUnderTest(host, mail_context(host), tls_ca="")
    for check in (await bot.module.checks())[:2]:
        assert not check.ok
        assert "certificate is not trusted" in check.detail
        assert "tls_ca" in check.detail
    await bot.module.stop()


async def test_a_password_in_the_clear_is_pointed_out(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server), imap=server.imap_url, smtp=server.smtp_url)
    *_, encryption = await bot.module.checks()
    assert "without TLS" in encryption.detail
    result = await bot.do("bot_email_send_message", to=({"address": f"mail:{ANNA}"},), subject="x", body="x")
    assert result.ok, result.error
    await bot.module.stop()


@pytest.mark.parametrize(
    ("tool", "args", "effect", "facts"),
    [
        (
            "user_email_search_inbox",
            {"words": "invoice", "sender": "anna@x.example", "since": "2026-03-01", "before": "2026-03-04"},
            "Looks for mails in your mailbox",
            [
                ("Words", "invoice"),
                ("From", "anna@x.example"),
                ("Days", "since 1 March 2026, before 4 March 2026"),
                ("At most", "20 mails"),
            ],
        ),
        (
            "user_email_search_inbox",
            {"subject": "Bill", "unread": True, "limit": 1},
            "Looks for mails in your mailbox",
            [("Subject has", "Bill"), ("Only", "unread mails"), ("At most", "one mail")],
        ),
        (
            "user_email_read_message",
            {"message_id": "<a@b>"},
            "Reads one mail of your mailbox, which was found or shown before",
            [],
        ),
    ],
)
def test_a_look_into_the_persons_mailbox_is_shown_in_their_terms_and_nothing_twice(
    tool: str, args: dict[str, Any], effect: str, facts: list[tuple[str, str]]
) -> None:
    registry = Registry()
    registry.add_module(MODULE(SETTINGS, make_context()))
    spec = registry.spec(tool)
    values = spec.args.model_validate(args)
    shown = preview_of(spec, values)
    assert (shown.effect, list(shown.facts)) == (effect, facts)
    assert left_out(shown, values.model_dump(mode="json")) == ()


def test_a_card_shows_every_recipient_and_copies_apart() -> None:
    registry = Registry()
    registry.add_module(MODULE(SETTINGS, make_context()))
    spec = registry.spec("bot_email_send_message")
    assert spec.preview is not None
    args = {"to": [{"address": f"mail:{ANNA}"}], "cc": [{"address": "mail:c@x.example"}], "subject": "s", "body": "b"}
    shown = spec.preview(spec.args.model_validate(args | {"bcc": [{"address": "mail:b@x.example"}]}))
    assert [person.address for person in shown.recipients] == [f"mail:{ANNA}", "mail:c@x.example", "mail:b@x.example"]
    assert shown.facts == (("Cc", "c@x.example"), ("Bcc", "b@x.example"))
    assert shown.effect == "Sends a mail from the butler's own address"


@pytest.mark.parametrize(
    "change",
    [
        {"to": []},
        {"to": [{"address": "telegram:42"}]},
        {"to": [{"address": "mail:a@x.example\nBcc: b@x.example"}]},
        {"subject": "one\ntwo"},
        {"reply_to": "x"},
    ],
)
def test_arguments_that_no_mail_can_have_are_refused(change: dict[str, Any]) -> None:
    registry = Registry()
    registry.add_module(MODULE(SETTINGS, make_context()))
    args = {"to": [{"address": f"mail:{ANNA}"}], "subject": "s", "body": "b"}
    with pytest.raises(ValidationError):
        registry.spec("user_email_send_message").args.model_validate(args | change)


def test_importing_the_module_loads_no_google_client() -> None:
    code = "import sys, modules.email; print([m for m in ('googleapiclient', 'httplib2') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER.parents[1]
    )
    assert done.stdout.strip() == "[]"


ACCOUNTS = {"work": BOT | {"provider": "smtp_imap"}, "club": {}}


def test_further_accounts_have_variables_of_their_own_and_the_same_tools() -> None:
    settings = EmailSettings.model_validate({"user": {"account": "private", "accounts": ACCOUNTS}})
    accounts = settings.user_accounts()
    assert list(accounts) == ["private", "work", "club"]
    work, club = accounts["work"], accounts["club"]
    assert isinstance(work, UserServerSettings)
    assert isinstance(club, GmailSettings)
    assert (work.address_env, work.password_env) == ("USER_EMAIL_ADDRESS_WORK", "USER_EMAIL_PASSWORD_WORK")
    assert club.credentials_env == "USER_EMAIL_OAUTH_JSON_CLUB"
    registry = Registry()
    registry.add_module(MODULE(settings, make_context()))
    mine = {spec.tool_name: spec.accounts for spec in registry.specs() if spec.identity is Identity.USER}
    many = {f"user_email_{action}" for action in MailAction}
    assert len(mine.keys() - many) == 10
    assert {mine[name] for name in mine.keys() - many} == {("private", "work", "club")}
    assert {mine[name] for name in many} == {("private", "work", "club")}


def test_a_person_without_gmail_has_the_same_tools_for_many_mails_at_once() -> None:
    server = {"provider": "smtp_imap", "imap": "imaps://mail.example", "smtp": "smtps://mail.example"}
    registry, module = Registry(), MODULE(EmailSettings.model_validate({"user": server}), make_context())
    registry.add_module(module)
    assert {spec.tool_name for spec in registry.specs()} >= {f"user_email_{action}" for action in MailAction}
    assert [adapter.tool_name for adapter in module.bulk_adapters()] == ["imap"]


def test_an_account_that_is_off_is_not_there_and_the_next_one_is_the_default() -> None:
    settings = EmailSettings.model_validate({"user": {"enabled": False, "accounts": ACCOUNTS}})
    assert list(settings.user_accounts()) == ["work", "club"]
    module = MODULE(settings, make_context())
    assert [source.name for source in module.sources()] == ["email.user:work", "email.user:club"]


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ({"accounts": {"main": {}}}, "two accounts are called main"),
        ({"accounts": {"Work": {}}}, "should match pattern"),
        ({"account": "a b"}, "should match pattern"),
        ({"accounts": {"work": {"accounts": {}}}}, "not permitted"),
        ({"provider": "pop3"}, "'gmail_oauth', 'smtp_imap'"),
        (BOT | {"provider": "smtp_imap", "auth": "xoauth2"}, "xoauth2 needs the client_id"),
        (BOT | {"provider": "smtp_imap", "keep": "all"}, "'text' or 'whole'"),
    ],
)
def test_accounts_that_cannot_work_are_refused(user: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        EmailSettings.model_validate({"user": user})
