"""What an order is not to touch stays untouched, in each language."""

from dataclasses import replace

import pytest

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.mail.bulk import BUILDERS, leaves_out
from butler.orchestrator.understanding.mail.senders import senders
from butler.orchestrator.understanding.requests.forbidden import ordered
from butler.orchestrator.understanding.requests.left_out import (
    exception,
    with_kept_sender,
    without_left_out,
)
from butler.understanding.reader import Request
from scripts.train_understanding.examples import parsed
from tests.understanding.conversations import Marked, asked, calls, planned
from tests.understanding.marked import said
from tests.understanding.shown import after

NOT = "I do nothing. If it shall be done, say it without “{}”."
FIRST = "So that I leave the right ones alone, I show you all of them first. Then say which ones shall be dealt with."


async def read_as(line: str, language: str, intent: str) -> PlannerOutput:
    """Return the output for a marked line that is read with an intent, in a language."""
    example = parsed(line, language, intent)
    (one,) = Marked().knows(line, **{intent.replace(".", "__"): 0.99}).read(example.text)
    reader = Marked()
    reader.learns(example.text, (replace(one, language=language),))
    return await planned(reader, asked(example.text))


@pytest.mark.parametrize(
    ("line", "without", "word", "intent"),
    [
        ("don't delete [bob's](from) mail", "delete [bob's](from) mail", "don't", "mail.trash"),
        ("please never archive the [newsletters](filter)", "please archive the [newsletters](filter)", "never",
         "mail.archive"),
        ("lösch die Mails von [Bob](from) nicht", "lösch die Mails von [Bob](from)", "nicht", "mail.trash"),
        ("ich hab die [Blumen](topic) noch nicht gegossen", "ich hab die [Blumen](topic) noch gegossen", "nicht",
         "reminder.done"),
        ("ne supprime pas le rappel des [poubelles](topic)", "supprime le rappel des [poubelles](topic)", "ne",
         "reminder.remove"),
        ("n'annule pas le [dentiste](topic)", "annule le [dentiste](topic)", "n'", "calendar.delete"),
        ("no borres la nota del [garaje](topic)", "borres la nota del [garaje](topic)", "no", "memory.forget"),
    ],
)  # fmt: skip
async def test_what_is_not_to_be_done_is_not_done(line: str, without: str, word: str, intent: str) -> None:
    reader = Marked().knows(line, **{intent.replace(".", "__"): 0.99})
    reader.knows(without, **{intent.replace(".", "__"): 0.99})
    output = await planned(reader, asked(parsed(line, "en", intent).text))
    assert output == Unclear(NOT.format(word))


async def test_what_is_likely_not_to_be_done_is_not_offered() -> None:
    reader = Marked().knows("don't cancel the [dentist](topic)", approve__deny=0.5, calendar__delete=0.4)
    reader.knows("cancel the [dentist](topic)", calendar__delete=0.9)
    assert await planned(reader, asked("don't cancel the dentist")) == Unclear(NOT.format("don't"))


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("don't remind me of the [pills](topic) any more", "reminder.remove"),
        ("we don't need the [bins](topic) reminder", "reminder.remove"),
        ("ich brauch die Erinnerung an die [Tonnen](topic) nicht", "reminder.remove"),
        ("je n'ai pas besoin du rappel des [poubelles](topic)", "reminder.remove"),
        ("no quiero el recordatorio de las [pastillas](topic)", "reminder.remove"),
        ("don't forget to remove the [bins](topic) reminder", "reminder.remove"),
        ("I can't make it, so remove the [gym](topic) reminder, it's not needed", "reminder.remove"),
    ],
)
async def test_what_is_no_longer_wanted_is_removed(line: str, intent: str) -> None:
    """Even where the words without their `not` would be read alike."""
    reader = Marked().knows(line, **{intent.replace(".", "__"): 0.99})
    example = parsed(line, "en", intent)
    topic = example.text[example.spans[0].start : example.spans[0].end]
    output = await planned(reader, asked(example.text))
    assert calls(output) == [("bot_reminders_remove", {"words": topic.casefold()})]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archive [the first two](ref) but keep the rest"),
        ("de", "archivier [die ersten zwei](ref), aber behalte den Rest"),
        ("fr", "archive [les deux premiers](ref) mais garde le reste"),
        ("es", "archiva [los dos primeros](ref) pero deja el resto"),
    ],
)
def test_keeping_the_rest_leaves_nothing_out(language: str, line: str) -> None:
    assert mails(line, language) == ["mail-1", "mail-2"]


async def test_a_statement_with_a_not_is_no_order() -> None:
    reader = Marked().knows("unsubscribe from [the kitchen](from) and i never read it", mail__unsubscribe=0.99)
    reader.knows("i read it", mail__unsubscribe=0.99)
    output = await planned(reader, asked("unsubscribe from the kitchen and i never read it"))
    assert isinstance(output, Planned)


async def test_a_not_of_another_language_is_none() -> None:
    line = "lösch ne Mail von [Bob](from)"
    (one,) = Marked().knows(line, mail__trash=0.99).read("lösch ne Mail von Bob")
    reader = Marked()
    reader.learns(one.text, (replace(one, language="de"),))
    reader.knows("lösch Mail von [Bob](from)", mail__trash=0.99)
    assert isinstance(await planned(reader, asked(one.text)), Planned)


async def test_what_not_to_do_beside_a_request_is_no_request() -> None:
    reader = Marked()
    first = Marked().knows("remove the [bins](topic) reminder", reminder__remove=0.99)
    second = Marked().knows("and don't delete [bob's](from) mail", mail__trash=0.99)
    found = (*first.read("remove the bins reminder"), *second.read("and don't delete bob's mail"))
    reader.learns("remove the bins reminder and don't delete bob's mail", found)
    reader.knows("and delete [bob's](from) mail", mail__trash=0.99)
    output = await planned(reader, asked("remove the bins reminder and don't delete bob's mail"))
    assert calls(output) == [("bot_reminders_remove", {"words": "bins"})]


def test_a_name_that_is_kept_is_a_senders() -> None:
    one = said("trash [promotions](filter), but keep Amazon Prime", "mail.trash").request
    assert with_kept_sender(one).words("from") == ("Amazon Prime",)
    for line in ("trash [promotions](filter), but keep the newest", "trash [promotions](filter)"):
        assert with_kept_sender(said(line, "mail.trash").request).words("from") == ()


@pytest.mark.parametrize(
    ("language", "line", "sender"),
    [
        ("en", "archive all [unread](filter) mails but keep those from Amazon", "Amazon"),
        ("en", "trash [promotions](filter) except mails from amazon prime", "amazon prime"),
        ("fr", "archive les [non lus](filter) sauf ceux de Bob", "Bob"),
        ("es", "archiva los [no leídos](filter) pero conserva los de Amazon", "Amazon"),
    ],
)
def test_a_sender_who_is_kept_may_be_said_with_its_mails(language: str, line: str, sender: str) -> None:
    one = replace(said(line, "mail.archive", language=language).request, language=language)
    assert with_kept_sender(one).words("from") == (sender,)


def mails(line: str, language: str) -> list[str] | str:
    """The mails of a list of four that are archived; a question where it is one."""
    one = after(said(line, "mail.archive", language=language), ReferentKind.MAIL, 4)

    def build(part: Request) -> Planned | Unclear:
        return BUILDERS["mail.archive"](replace(one, request=part))

    output = without_left_out(one.request, build, leaves_out)
    if isinstance(output, Unclear):
        return output.question
    return [each["handle"] for _, args in calls(output) for each in args["mails"]]


@pytest.mark.parametrize(
    ("language", "line", "left"),
    [
        ("en", "archive [all](ref) except [the second](ref)", ["mail-1", "mail-3", "mail-4"]),
        ("en", "archive [1 and 3](ref) but not [3](ref)", ["mail-1"]),
        ("en", "archive [1 and 2](ref), not 4", ["mail-1", "mail-2"]),
        ("de", "archiviere [alle](ref) außer der zweiten", ["mail-1", "mail-3", "mail-4"]),
        ("de", "archiviere [alle](ref), nur nicht die erste", ["mail-2", "mail-3", "mail-4"]),
        ("fr", "archive [tout](ref) sauf [le premier](ref)", ["mail-2", "mail-3", "mail-4"]),
        ("fr", "archive-les [tous](ref) mais pas [le dernier](ref)", ["mail-1", "mail-2", "mail-3"]),
        ("es", "archiva [todos](ref) menos [el primero](ref)", ["mail-2", "mail-3", "mail-4"]),
    ],
)
def test_what_is_left_out_of_a_list(language: str, line: str, left: list[str]) -> None:
    assert mails(line, language) == left


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archive everything from [bob](from) except the one about [lunch](topic)"),
        ("de", "archivier alles von [Bob](from) außer dem Mittagessen"),
        ("fr", "archive tous les mails de [Bob](from) sauf celui du [déjeuner](topic)"),
        ("es", "archiva todos los correos de [bob](from) menos el del [almuerzo](topic)"),
        ("en", "archive [all](ref) except all"),
    ],
)
def test_where_it_is_not_clear_what_is_left_out_all_is_shown_first(language: str, line: str) -> None:
    assert mails(line, language) == FIRST


@pytest.mark.parametrize(
    ("language", "line", "args"),
    [
        ("en", "archive all [newsletters](filter) but keep [Amazon](from)",
         {"category": "promotions", "keep": ["Amazon"]}),
        ("de", "archiviere alle [Newsletter](filter), aber behalte [Amazon](from)",
         {"category": "promotions", "keep": ["Amazon"]}),
        ("en", "archive all mails from [Bob](from), not the [unread](filter) ones",
         {"senders": ["bob@work.example"], "unread": False}),
        ("en", "archive all mails from [Bob](from) but not the ones from [this week](time)",
         {"senders": ["bob@work.example"], "before": "2026-03-02"}),
        ("de", "archiviere alle Mails von [Bob](from) außer denen mit [Anhang](filter)",
         {"senders": ["bob@work.example"], "attachment": False}),
    ],
)  # fmt: skip
def test_what_a_search_can_leave_out_is_left_out_by_it(language: str, line: str, args: dict[str, object]) -> None:
    one = said(line, "mail.archive", language=language)
    output = without_left_out(
        one.request, lambda part: BUILDERS["mail.archive"](replace(one, request=part)), leaves_out
    )
    assert calls(output) == [("user_email_archive", args)]


async def test_what_is_kept_is_asked_about_with_a_button_that_shows_all() -> None:
    line = "keep the [rent](topic) reminder and delete the others"
    output = await planned(Marked().knows(line, reminder__remove=0.99), asked(parsed(line, "en", "").text))
    assert isinstance(output, Unclear)
    assert [[step.tool_call for step in one.steps] for one in output.choices] == [["bot_reminders_list"]]


async def test_where_nothing_can_be_shown_nothing_is_promised() -> None:
    line = "forget everything except the [lease](topic)"
    output = await planned(Marked().knows(line, memory__forget=0.99), asked(parsed(line, "en", "").text))
    assert isinstance(output, Unclear)
    assert output.question.startswith("I am not sure which ones to leave alone, so I do nothing.")


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "keep the [rent](topic) reminder and delete the others", "reminder.remove"),
        ("en", "delete every reminder but the one about the [rent](topic)", "reminder.remove"),
        ("en", "delete the mail from [Carol](from) unless there is an [attachment](filter)", "mail.trash"),
        ("de", "sag am [Freitag](time_of) alles ab, aber der [Zahnarzt](topic) bleibt", "calendar.delete"),
        ("de", "lass die [Miete](topic) drin, den Rest der Erinnerungen kannst du löschen", "reminder.remove"),
        ("es", "deja el recordatorio del [alquiler](topic) y borra los demás", "reminder.remove"),
        ("en", "cancel everything on [Friday](time_of), the [dentist](topic) remains", "calendar.delete"),
        ("en", "cancel everything on [Friday](time_of) only the dentist stays", "calendar.delete"),
        ("en", "archive all my mails, only [Bob's](from) stay", "mail.archive"),
        ("de", "sag [Freitag](time_of) alles ab, nur der Zahnarzt soll bleiben", "calendar.delete"),
        ("de", "lösch alle Karten in [Doing](list), nur die Visumkarte bleibt", "card.delete"),
        ("fr", "annule tout [vendredi](time_of), seul le dentiste reste", "calendar.delete"),
        ("fr", "annule tout [vendredi](time_of), le [dentiste](topic) doit rester", "calendar.delete"),
        ("fr", "supprime tous les mails, seuls ceux de [Bob](from) restent", "mail.trash"),
        ("es", "cancela todo [el viernes](time_of), solo queda el [dentista](topic)", "calendar.delete"),
        ("es", "cancela todo [el viernes](time_of), que se quede solo el dentista", "calendar.delete"),
        ("en", "only the [dentist](topic) stays", "reminder.skip"),
        ("de", "nur der [Zahnarzt](topic) bleibt", "reminder.skip"),
        ("es", "solo se queda el [dentista](topic)", "reminder.snooze"),
    ],
)  # fmt: skip
async def test_what_is_kept_is_not_touched(language: str, line: str, intent: str) -> None:
    output = await read_as(line, language, intent)
    assert isinstance(output, Unclear)
    assert output.question == FIRST


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "archive all [newsletters](filter), only the [unread](filter) ones", "mail.archive"),
        ("de", "sag meine Termine am [Freitag](time_of) ab, nur die mit [Anna](with)", "calendar.delete"),
        ("fr", "supprime les mails de [Bob](from), seulement les [non lus](filter)", "mail.trash"),
        ("es", "borra los correos de [Bob](from), solo los [no leídos](filter)", "mail.trash"),
    ],
)
async def test_an_only_behind_all_is_asked_about(language: str, line: str, intent: str) -> None:
    """It may say what is meant, or what is to stay."""
    output = await read_as(line, language, intent)
    assert isinstance(output, Unclear)
    assert output.question == FIRST


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "only the [unread](filter) mails from [Bob](from) are to be deleted"),
        ("de", "nur die [ungelesenen](filter) Mails von [Bob](from) löschen"),
    ],
)
def test_an_only_before_all_else_narrows_it_down(language: str, line: str) -> None:
    one = said(line, "mail.trash", language=language)
    output = without_left_out(one.request, lambda part: BUILDERS["mail.trash"](replace(one, request=part)), leaves_out)
    assert calls(output) == [("user_email_trash", {"senders": ["bob@work.example"], "unread": True})]


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "cancel my [hotel stay](topic)", "calendar.delete"),
        ("en", "cancel the [lunch](topic), I stay at home", "calendar.delete"),
        ("de", "sag den [Zahnarzt](topic) ab, Anna bleibt zu Hause", "calendar.delete"),
        ("fr", "annule le [dîner](topic), il ne reste pas de place", "calendar.delete"),
        ("fr", "annule tout ce qui reste [vendredi](time_of)", "calendar.delete"),
        ("es", "cancela la [cena](topic), no queda sitio", "calendar.delete"),
    ],
)
def test_staying_in_another_sense_keeps_nothing(language: str, line: str, intent: str) -> None:
    one = replace(said(line, intent, language=language).request, language=language)
    assert ordered([one], lambda _words, _context: (), (), lambda _one: Unclear("")) == (one,)


@pytest.mark.parametrize(
    ("language", "line", "intent", "keep"),
    [
        ("en", "cancel everything on [Friday](time_of), only the [dentist](topic) stays", "calendar.delete", "dentist"),
        ("en", "clear my calendar on [Friday](time_of), but leave the [dentist](topic)", "calendar.delete", "dentist"),
        ("de", "verschieb alle Termine von [morgen](time_of) auf [Freitag](time), nur den mit [Anna](with) nicht",
         "calendar.move", "anna@friends.example"),
        ("fr", "annule mes réunions de [vendredi](time_of) sauf celle avec [Anna](with)", "calendar.delete",
         "anna@friends.example"),
        ("en", "archive [everything](ref) in [Done](list) except the [visa](topic) card", "card.archive", "visa"),
        ("es", "archiva [todo](ref) lo de [Done](list) menos la tarjeta del [pasaporte](topic)", "card.archive",
         "pasaporte"),
    ],
)  # fmt: skip
async def test_events_and_cards_are_left_out_by_the_tool_itself(
    language: str, line: str, intent: str, keep: str
) -> None:
    output = await read_as(line, language, intent)
    assert isinstance(output, Planned)
    assert keep in output.steps[-1].args["keep"]


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("mach das [Kegeln](topic) [drei Stunden](duration) lang, der Rest bleibt", "calendar.change"),
        ("archiva [la última](ref), las otras se quedan", "mail.mark_read"),
        ("leave out [this week's](time_of), the rest can stay", "reminder.skip"),
        ("skip the [gym](topic) this week, the dentist stays", "reminder.skip"),
        ("skip [tomorrow](time_of) but keep it going", "reminder.skip"),
        ("pausier die [erste](ref) bis auf Weiteres", "automation.pause"),
    ],
)
def test_that_the_rest_stays_is_said_of_the_rest(line: str, intent: str) -> None:
    one = said(line, intent).request
    assert exception(one) is None or intent == "reminder.skip"
    assert ordered([one], lambda _words, _context: (), (), lambda _one: Unclear("")) == (one,)


@pytest.mark.parametrize(
    ("line", "back"),
    [
        ("tell [Bob](to) that [I quit](reported). No, forget it", "No, forget it"),
        ("schreib [Bob](to), dass [ich kündige. Ach nein, lass es](reported)", "Ach nein, lass es"),
        ("dis à [Bob](to) que [je démissionne](reported). Non, laisse tomber.", "Non, laisse tomber"),
        ("dile a [Bob](to) que [renuncio](reported). No, mejor no", "No, mejor no"),
    ],
)
async def test_what_is_taken_back_is_not_done(line: str, back: str) -> None:
    reader = Marked().knows(line, message__send=0.99)
    assert await planned(reader, asked(parsed(line, "en", "message.send").text)) == Unclear(NOT.format(back))


async def test_what_is_taken_back_in_a_sentence_of_its_own_is_not_done() -> None:
    first, second = Marked().knows("tell [Bob](to) [I quit](reported).", message__send=0.99), Marked()
    second.knows("No, forget it.", approve__deny=0.99)
    reader = Marked()
    reader.learns("tell Bob I quit. No, forget it.", (*first.read("tell Bob I quit."), *second.read("No, forget it.")))
    assert await planned(reader, asked("tell Bob I quit. No, forget it.")) == Unclear(NOT.format("No, forget it"))


async def test_words_of_taking_back_within_a_text_are_text() -> None:
    line = "tell [Bob](to) [we can just forget it](reported)"
    output = await planned(Marked().knows(line, message__send=0.99), asked("tell Bob we can just forget it"))
    assert calls(output)[0][1]["text"] == "We can just forget it"


async def test_the_newest_mail_of_somebody_is_one() -> None:
    line = "delete the last mail from [Bob](from)"
    output = await planned(Marked().knows(line, mail__trash=0.99), asked("delete the last mail from Bob"))
    assert calls(output)[-1] == ("user_email_trash", {"mails": [{"handle": "mail-1"}]})


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "delete everything except those from [Bob Smith](from)"),
        ("de", "lösch alles außer denen von [Bob Smith](from)"),
        ("fr", "supprime tout sauf ceux de [Bob Smith](from)"),
        ("es", "borra todo menos los de [Bob Smith](from)"),
    ],
)
def test_whoever_is_left_out_by_a_longer_name_is_no_sender(language: str, line: str) -> None:
    """Nobody is called so among the contacts, but Bob is."""
    one = said(line, "mail.trash", language=language)
    assert senders(one) == []
    assert [each.name for each in senders(one, leaving_out=True)] == ["Bob Smith"]
