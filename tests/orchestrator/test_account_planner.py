"""Which account is meant, said in words: in four languages, for whatever tool has several; doubt asks."""

from dataclasses import replace
from typing import Any

import pytest

from butler.contract.agents import PlanStep
from butler.contract.names import Direction
from butler.orchestrator.planning.account_planner import AccountPlanner
from butler.orchestrator.planning.account_words import named_account
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear
from modules.drive.module import FindArgs
from modules.trello.module import TrelloModule
from tests.orchestrator.embedded import scene
from tests.orchestrator.harness import MAIL, Harness
from tests.support.reading import reading_planner

SEND, SEARCH = "user_email_send_message", "user_email_search_inbox"
BRANDS = ("gmail", "google", "telegram")
DRIVE = scene.tool("user_drive_search", FindArgs, Direction.INPUT, accounts=("main", "work"))


async def plan(words: str, **more: Any) -> PlannerOutput:
    request = scene.request(words, **({"tools": scene.TWO_ACCOUNTS} | more))
    return await AccountPlanner(reading_planner()).plan(request)


def through(output: PlannerOutput) -> list[tuple[str, Any]]:
    assert isinstance(output, Planned), output
    return [(step.tool_call, step.args.get("account")) for step in output.steps]


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ("email Carol from my work account: hi", "hi"),
        ("email Carol from my office account: hi", "hi"),
        ("schick Carol eine Mail von meinem Arbeitskonto: hallo", "hallo"),
        ("schreib Carol mit meinem Arbeitskonto eine Mail: hallo", "hallo"),
        ("schick Carol eine Mail von meinem work-Konto: hallo", "hallo"),
        ("schick Carol eine Mail von meinem dienstlichen Konto: hallo", "hallo"),
        ("schreib Carol von meinem Arbeitskonto eine Mail: schreib mir bald", "schreib mir bald"),
        ("envía un correo a Carol desde mi cuenta de trabajo: hola", "hola"),
        ("envía un correo a Carol con mi cuenta work: hola", "hola"),
        ("envoie un mail à Carol depuis mon compte professionnel : salut", "salut"),
        ("envoie un mail à Carol avec mon compte work : salut", "salut"),
    ],
)
async def test_a_mail_goes_through_the_account_that_is_named(words: str, body: str) -> None:
    output = await plan(words)
    assert through(output) == [(SEND, "work")]
    assert isinstance(output, Planned)
    assert output.steps[0].args["body"] == body


@pytest.mark.parametrize(
    "words",
    [
        "any mail from Carol in my work account?",
        "zeig mir ungelesene Mails in meinem Arbeitskonto",
        "muéstrame los correos sin leer de mi cuenta de trabajo",
        "montre-moi les mails non lus de mon compte professionnel",
    ],
)
async def test_only_the_mailbox_that_is_named_is_looked_into(words: str) -> None:
    assert through(await plan(words)) == [(SEARCH, "work")]


@pytest.mark.parametrize(
    "words",
    [
        "email Carol from my bank account: hi",
        "email Carol from my private account: hi",
        "schick Carol eine Mail von meinem privaten Konto: hallo",
        "schick Carol eine Mail von meinem Vereinskonto: hallo",
        "envía un correo a Carol desde mi cuenta de banco: hola",
        "envoie un mail à Carol depuis mon compte de club : salut",
    ],
)
async def test_an_account_that_there_is_not_is_asked_about_and_a_tap_names_one(words: str) -> None:
    output = await plan(words)
    assert isinstance(output, Unclear), output
    assert output.question.endswith("There are main and work.")
    assert [one.label for one in output.choices] == ["main", "work"]
    assert through(await plan(output.choices[1].words)) == [(SEND, "work")]


async def test_a_word_that_fits_two_accounts_is_asked_about() -> None:
    tools = tuple(
        replace(spec, accounts=("work", "office")) if spec.channel == "email" else spec for spec in scene.TOOLS
    )
    output = await plan("schick Carol eine Mail von meinem Geschäftskonto: hallo", tools=tools)
    assert isinstance(output, Unclear)
    assert [one.label for one in output.choices] == ["work", "office"]
    assert through(await plan("email Carol from my office account: hi", tools=tools)) == [(SEND, "office")]


async def test_an_account_that_only_another_channel_has_is_asked_about() -> None:
    output = await plan("schick Carol eine Mail von meinem Shop-Konto: hallo")
    assert isinstance(output, Unclear)
    assert "There are main and work" in output.question


@pytest.mark.parametrize(
    "words",
    [
        "email Carol that I am late from my work account",
        "schreib Carol, dass ich zu spät komme, von meinem Arbeitskonto",
        "schreib Carol eine Mail, dass ich zu spät komme, von meinem Arbeitskonto",
    ],
)
async def test_an_account_behind_the_text_may_belong_to_it_and_is_asked_about(words: str) -> None:
    assert isinstance(await plan(words), Unclear)


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ("email Carol: I paid it from my work account", "I paid it from my work account"),
        ("schreib Carol eine Mail: von meinem Arbeitskonto ging es nicht", "von meinem Arbeitskonto ging es nicht"),
    ],
)
async def test_what_stands_behind_a_colon_is_the_text(words: str, body: str) -> None:
    output = await plan(words)
    assert through(output) == [(SEND, None)]
    assert isinstance(output, Planned)
    assert output.steps[0].args["body"] == body


async def test_with_one_account_the_words_are_left_as_they_are() -> None:
    assert isinstance(await plan("schick Carol eine Mail von meinem Arbeitskonto: hallo", tools=scene.TOOLS), Unclear)
    kept = await plan("note: pay from my work account")
    assert through(kept) == [("bot_notes_remember", None)]


async def test_words_that_were_taken_for_the_text_are_asked_about() -> None:
    """The mail that was shown is the butler's own, which has one account."""
    output = await plan("reply to the first one from my work account: thanks")
    assert isinstance(output, Unclear), output
    assert "or is it part of the text" in output.question


def test_times_and_quoted_names_may_stand_before_an_account() -> None:
    for words in ('add "Buy: milk" to the list "Todo" in my work account', "put lunch at 12:30 in my work account"):
        named = named_account(words, ["main", "work"], BRANDS)
        assert named is not None
        assert (named.meant, named.without(words)) == (("work",), words.removesuffix(" in my work account"))


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        ("find the lease in my work drive", "find the lease in my drive"),
        ("search my work drive for the lease", "search my drive for the lease"),
        ("search my drive for it in my work account", "search my drive for it"),
        ("cherche le bail dans mon Drive de mon compte pro", "cherche le bail dans mon Drive"),
    ],
)
def test_where_to_look_stays(words: str, rest: str) -> None:
    named = named_account(words, ["main", "work"], BRANDS)
    assert named is not None
    assert named.without(words) == rest


@pytest.mark.parametrize("words", ["find it in my google drive", "aus meinem Mailkonto", "from my email account"])
def test_a_kind_of_account_is_no_name_of_one(words: str) -> None:
    assert named_account(words, ["main", "work"], BRANDS) is None


@pytest.mark.parametrize(
    "words", ["add milk in my work trello account", "in meinem work-Trello-Konto", "con mi cuenta de trello work"]
)
def test_a_kind_of_account_is_known_by_what_a_module_calls_it(words: str) -> None:
    named = named_account(words, ["main", "work"], TrelloModule.about.brands)
    assert named is not None
    assert named.meant == ("work",)
    stranger = named_account(words, ["main", "work"], ())
    assert stranger is None or stranger.meant == ()


class Script:
    """A planner that knows nothing of accounts."""

    def __init__(self, *steps: PlanStep) -> None:
        self._steps, self.asked = steps, list[str]()

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        self.asked.append(request.words.value)
        return Unclear("what?") if "account" in request.words.value else Planned(self._steps)


def step(number: int, tool: str, **args: Any) -> PlanStep:
    return PlanStep(step_id=number, description="", tool_call=tool, args=args)


async def test_any_tool_with_several_accounts_is_given_it_and_no_other() -> None:
    script = Script(step(1, DRIVE.tool_name, words="lease"), step(2, "bot_notes_remember", text="x"))
    request = scene.request("find the lease in my work drive account", tools=(DRIVE, *scene.TOOLS))
    output = await AccountPlanner(script).plan(request)
    assert through(output) == [(DRIVE.tool_name, "work"), ("bot_notes_remember", None)]
    assert script.asked[-1] == "find the lease"


async def test_what_was_shown_from_another_account_is_not_answered_through_this_one() -> None:
    shown = tuple(one.model_copy(update={"account": "main"}) for one in scene.USER_LIST)
    script = Script(step(1, "user_email_reply_to_thread", thread_id={"handle": shown[0].handle}, body="ok"))
    request = scene.request("answer it from my work account: ok", tools=scene.TWO_ACCOUNTS, referents=shown)
    output = await AccountPlanner(script).plan(request)
    assert isinstance(output, Unclear)
    assert "lies in your account main" in output.question


async def test_of_several_acts_it_is_asked_which_one_goes_through_it() -> None:
    script = Script(step(1, SEND, to=[], body="a"), step(2, SEND, to=[], body="b"))
    request = scene.request("from my work account do both", tools=scene.TWO_ACCOUNTS)
    assert isinstance(await AccountPlanner(script).plan(request), Unclear)


@pytest.mark.parametrize(
    "words", ["von", "from my", "de mi cuenta", "mit meinem", "", "dans ma boîte aujourd'hui", "😀"]
)
def test_words_that_name_none_are_none(words: str) -> None:
    assert named_account(words, ["main", "work"], BRANDS) is None


async def test_in_a_chat_the_card_says_the_account_and_the_mail_goes_through_it(harness: Harness) -> None:
    harness.planner = AccountPlanner(reading_planner())
    harness.start()
    harness.registry._tools[MAIL] = replace(harness.registry.spec(MAIL), accounts=("main", "work"))
    await harness.meet()
    await harness.say("schick Anna eine Mail von meinem Arbeitskonto: hallo")
    (card,) = harness.phone.cards.values()
    assert "work" in str(card)
    await harness.tap("Approve")
    (call,) = harness.outputs()
    assert (call.account, call.args.body) == ("work", "hallo")
