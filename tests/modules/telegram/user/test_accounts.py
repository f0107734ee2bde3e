"""Several accounts of one person: each with its own session, never mixed, and each on its own when one ends."""

from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.errors import IntegrationErrorCode
from butler.tool_invoker import UnknownAccountError
from butler_demo.mtproto.datacentre import DataCentre
from modules.telegram.config import AccountSettings, TelegramSettings
from modules.telegram.module import TelegramModule
from modules.telegram.user_scope import Scope
from tests.modules.telegram.user.conftest import ANNA, BOB, EVE, SAM, Harness, MakeHouse
from tests.support.context import make_context

WORK: dict[str, Any] = {"accounts": {"work": {}}}


@pytest.fixture
def both(make_harness: MakeHouse, centre: DataCentre) -> Harness:
    """Sam's account, and Eve's as the one for work."""
    centre.befriend(EVE, ANNA)
    sessions = {
        "USER_TELEGRAM_SESSION": centre.session_string(SAM),
        "USER_TELEGRAM_SESSION_WORK": centre.session_string(EVE),
    }
    return make_harness(sessions=sessions, **WORK)


async def test_a_call_goes_through_the_account_that_it_names(both: Harness, centre: DataCentre) -> None:
    to = {"address": f"telegram:{ANNA}"}

    await both.use("send_message", to=to, text="private")
    await both.use("send_message", to=to, text="at work", account="work")

    assert [message.text for message in centre.sent_by(SAM)] == ["private"]
    assert [message.text for message in centre.sent_by(EVE)] == ["at work"]


def test_every_tool_lists_the_accounts_the_default_one_first(both: Harness) -> None:
    for spec in (*both.module.user_inputs(), *both.module.user_outputs()):
        assert getattr(spec, "accounts") == ("main", "work")  # noqa: B009 - an IOToolSpec has none
    with pytest.raises(UnknownAccountError, match="there are main, work"):
        both.call("list_dialogs", account="shop")


async def test_a_message_of_one_account_is_none_of_anothers(both: Harness, centre: DataCentre) -> None:
    centre.inject(ANNA, EVE, "about work")
    centre.inject(ANNA, SAM, "private")
    (item,) = (await both.get("get_message_history", chat=f"telegram:{ANNA}", account="work"))["items"]

    assert item["message_id"] == f"telegram:{ANNA}/1@work"
    assert both.call("read_message", message_id=item["message_id"]).account == "work"
    with pytest.raises(ValidationError, match="one of the account 'work'"):
        both.call("read_message", message_id=item["message_id"], account="main")
    beside = both.call("delete_message", to={"address": f"telegram:{ANNA}"}, message_ids=[1])
    crossed = beside.args.model_copy(update={"message_ids": (item["message_id"],)})
    result = await both.spec("delete_message").handler(
        both.call("list_dialogs").__class__(tool=beside.tool, args=crossed, call_id="c", trace_id="t", account="main")
    )
    assert result.error is not None
    assert "cannot be reached through 'main'" in result.error.message


async def test_one_session_that_ends_leaves_the_other(both: Harness, centre: DataCentre) -> None:
    centre.revoke(SAM, tell=False)

    gone = await both.use("list_dialogs")
    calls = len(centre.calls)
    again = await both.use("list_dialogs")
    there = await both.use("list_dialogs", account="work")

    for result in (gone, again):
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert result.error.message.endswith("run `butler login telegram`")
    assert len([call for call in centre.calls[calls:] if call.user_id == SAM]) == 0
    assert there.ok


async def test_an_account_that_was_signed_in_anew_goes_on(both: Harness, centre: DataCentre) -> None:
    centre.revoke(EVE, tell=False)
    gone = await both.use("list_dialogs", account="work")
    both.context.vault.put("USER_TELEGRAM_SESSION_WORK", centre.session_string(BOB))

    await both.module.signed_in()

    assert gone.error is not None
    assert "butler login telegram --account work" in gone.error.message
    assert (await both.use("list_dialogs", account="work")).ok


async def test_a_new_session_learns_anew_whom_the_account_knows(harness: Harness, centre: DataCentre) -> None:
    centre.inject(EVE, SAM, "hello")
    to = {"address": f"telegram:{EVE}"}
    unknown = await harness.use("send_message", token="1", to={"address": "telegram:987654"}, text="hi")
    harness.context.vault.put("USER_TELEGRAM_SESSION", centre.session_string(SAM))

    await harness.module.signed_in()

    assert unknown.error is not None
    assert (await harness.use("send_message", token="2", to=to, text="hi")).ok


async def test_each_account_has_a_check_of_its_own(both: Harness, centre: DataCentre) -> None:
    first, second = await both.module.checks()

    assert (first.name, first.ok, second.name, second.ok) == (
        "Your Telegram account",
        True,
        "Your Telegram account work",
        True,
    )
    assert ("@sam_home" in first.detail, "@eve_e" in second.detail) == (True, True)


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        (406, "AUTH_KEY_DUPLICATED", "used from two places at once"),
        (401, "AUTH_KEY_UNREGISTERED", "no longer accepts your session"),
        (401, "USER_DEACTIVATED_BAN", "deleted or banned"),
    ],
)
async def test_tl_01_an_account_that_is_signed_out_says_why_and_asks_nothing_more(
    harness: Harness, centre: DataCentre, code: int, error: str, said: str
) -> None:
    centre.fail("messages.getHistory", code, error)

    first = await harness.use("get_message_history", chat=f"telegram:{ANNA}")
    calls = len(centre.calls)
    second = await harness.use("list_dialogs")

    for result in (first, second):
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert said in result.error.message
    assert len(centre.calls) == calls


def test_further_accounts_have_variables_of_their_own_and_share_the_application() -> None:
    user = TelegramSettings.model_validate(
        {
            "user": {
                "account": "home",
                "api_id": 7,
                "api_hash_env": "MY_HASH",
                "accounts": {"work": {}, "my-shop": {"api_id": 8}, "old": {"enabled": False}},
            }
        }
    ).user
    assert user is not None

    assert {name: (one.credentials_env, one.api_id, one.api_hash_env) for name, one in user.by_name.items()} == {
        "home": ("USER_TELEGRAM_SESSION", 7, "MY_HASH"),
        "work": ("USER_TELEGRAM_SESSION_WORK", 7, "MY_HASH"),
        "my-shop": ("USER_TELEGRAM_SESSION_MY_SHOP", 8, "USER_TELEGRAM_API_HASH_MY_SHOP"),
    }


def test_the_first_account_may_be_off_while_another_is_on() -> None:
    settings = TelegramSettings.model_validate({"user": {"enabled": False, "accounts": {"work": {}}}})

    assert settings.user is not None
    assert list(settings.user.by_name) == ["work"]


@pytest.mark.parametrize(
    ("section", "complaint"),
    [
        ({"account": "Main"}, "small letters"),
        ({"accounts": {"main": {}}}, "two accounts are called 'main'"),
        ({"accounts": {"a": {"credentials_env": "USER_TELEGRAM_SESSION"}}}, "credentials_env of its own"),
        ({"accounts": {"work": {"accounts": {}}}}, "Extra inputs"),
        ({"accounts": {"work": {"account": "x"}}}, "Extra inputs"),
        ({"accounts": {"work": 3}}, "valid dictionary"),
        ({"accounts": 3}, "valid dictionary"),
        ({"muted": ["Family"]}, "no Telegram address"),
        ({"excluded": ["telegram:-100:7"]}, "without its topic"),
    ],
)
def test_accounts_that_cannot_be_told_apart_are_refused(section: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        TelegramSettings.model_validate({"user": section})


def test_what_is_said_to_the_butler_itself_is_never_read_through_the_persons_account() -> None:
    scope = Scope.of(AccountSettings(), "700000042")
    assert scope.leaves_out(700000042)
    assert not scope.leaves_out(5)
    settings = TelegramSettings.model_validate({"bot": {}, "user": {"api_id": 1}})
    context = make_context(secrets={"BUTLER_TELEGRAM_TOKEN": "700000042:AAH-secret"})
    module = TelegramModule(settings, context)
    assert module.user is not None
    assert module.user.accounts[0].feed_filter.leaves_out(700000042)
