"""What is done to mails that were shown, described or found, in four languages."""
# names: made up here

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.mail.bulk import BUILDERS
from modules.email.bulk_actions import MailAction
from modules.email.bulk_args import selection_of
from tests.understanding.marked import made, said, steps
from tests.understanding.test_mail import after, mails

FIRST = {"step": 1, "fact": "messages.0.message_id"}


def handles(*numbers: int) -> dict[str, Any]:
    return {"mails": [{"handle": f"mail-{20 + number}"} for number in numbers]}


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "archive [all that](ref)", "mail.archive"), ("fr", "archive [tout ça](ref)", "mail.archive"),
        ("de", "ab ins archiv damit", "mail.archive"), ("es", "márcalos como leídos", "mail.mark_read"),
        ("fr", "remets-les en non lu, sinon je vais oublier", "mail.mark_unread"),
        ("en", "mark [them](ref) as unread", "mail.mark_unread"), ("es", "sí, archívalos", "mail.archive"),
        ("de", "lösch [den ganzen Packen](ref)", "mail.trash"), ("en", "mark as read", "mail.mark_read"),
        ("es", "bórralos todos", "mail.trash"), ("en", "star [all three](ref)", "mail.star"),
        ("es", "vuelve a ponerlos como no leídos", "mail.mark_unread"), ("de", "[sie](ref) ins Archiv", "mail.archive"),
        ("fr", "tu peux les archiver", "mail.archive"), ("en", "bin [the lot](ref)", "mail.trash"),
        ("es", "[los tres](ref) a la papelera", "mail.trash"),
    ],
)  # fmt: skip
def test_them_is_all_of_the_list(language: str, line: str, intent: str) -> None:
    (found,) = steps(BUILDERS, after(said(line, intent, language=language), mails(3)))
    assert found[1] == handles(1, 2, 3)


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "star [it](ref)", "mail.star"), ("es", "quítale la estrella", "mail.unstar"),
        ("en", "star", "mail.star"), ("de", "markier [die](ref) mit Stern", "mail.star"),
        ("fr", "supprime-[le](ref)", "mail.trash"),
        ("en", "archive", "mail.archive"), ("de", "weg damit", "mail.trash"),
        ("es", "bótalo a la papelera", "mail.trash"), ("fr", "jette [ça](ref)", "mail.trash"),
        ("en", "that's spam", "mail.spam"),
    ],
)  # fmt: skip
def test_it_is_the_one_that_was_read_last(language: str, line: str, intent: str) -> None:
    (found,) = steps(BUILDERS, after(said(line, intent, language=language), mails(3, read=2)))
    assert found == (f"user_email_{intent.partition('.')[2]}", handles(10))


@pytest.mark.parametrize(
    ("language", "line", "numbers"),
    [
        ("en", "bin [the first two](ref)", (1, 2)), ("es", "[los dos primeros](ref) a la papelera", (1, 2)),
        ("de", "lösch [die ersten beiden](ref)", (1, 2)), ("en", "drop [the last two](ref)", (2, 3)),
        ("en", "delete [number 1](ref) and [number 3](ref)", (1, 3)), ("de", "lösch [die anderen](ref)", (1, 3)),
        ("fr", "supprime [le reste](ref)", (1, 3)), ("es", "archiva los [dos](count) primeros", (1, 2)),
    ],
)  # fmt: skip
def test_some_of_a_list(language: str, line: str, numbers: tuple[int, ...]) -> None:
    (found,) = steps(BUILDERS, after(said(line, "mail.trash", language=language), mails(3, read=2)))
    assert sorted(one["handle"] for one in found[1]["mails"]) == [f"mail-{20 + number}" for number in numbers]


def test_what_may_be_one_or_all_is_asked_before_it_is_thrown_away() -> None:
    output = made(BUILDERS, after(said("jette [ça](ref)", "mail.trash", language="fr"), mails(3)))
    assert isinstance(output, Unclear)
    assert [one.label for one in output.choices] == ["All 3", "The first one", "The second one", "The third one"]
    assert output.choices[0].steps[0].args == handles(1, 2, 3)
    assert output.choices[2].steps[0].args == handles(2)


@pytest.mark.parametrize(
    ("language", "line", "intent", "expected"),
    [
        ("en", "mark everything from [the parcel people](from) as read", "mail.mark_read", {"senders": ["parcel"]}),
        ("fr", "supprime toutes les [newsletters](filter)", "mail.trash", {"category": "promotions"}),
        ("de", "alles was [vor Montag](time) kam", "mail.mark_read", {"before": "2026-03-02"}),
        ("de", "archivier alles was [älter als drei Monate](age) ist", "mail.archive", {"before": "2025-12-04"}),
        ("en", "archive everything except mails from [bob](from) in [Old job](folder)", "mail.archive",
         {"label": "Old job", "keep": ["bob@work.example"]}),
        ("es", "borra los correos de [Zara](from) con [adjuntos](filter)", "mail.trash",
         {"senders": ["Zara"], "attachment": True}),
        ("en", "bin [all the ones about the reunion](ref)", "mail.trash", {"words": "reunion"}),
        ("fr", "jette [les pubs](ref)", "mail.trash", {"category": "promotions"}),
        ("en", "delete mails larger than [10 MB](age) with [attachments](filter)", "mail.trash",
         {"attachment": True, "larger_kb": 10_000}),
        ("en", "[2023](time) mails without [attachments](filter) into the trash", "mail.trash",
         {"since": "2023-01-01", "before": "2024-01-01", "attachment": False}),
    ],
)  # fmt: skip
def test_all_that_fit(language: str, line: str, intent: str, expected: dict[str, Any]) -> None:
    ((tool, args),) = steps(BUILDERS, said(line, intent, language=language))
    assert args == expected
    selection_of(MailAction(tool.removeprefix("user_email_"))).model_validate(args)


@pytest.mark.parametrize(
    ("language", "line", "search"),
    [
        ("en", "delete the mail about [the surprise](topic)", {"words": "surprise", "limit": 1}),
        ("de", "lösch die Mail vom [Vermieter](from)", {"sender": "Vermieter", "limit": 1}),
    ],
)
def test_one_mail_is_looked_for(language: str, line: str, search: dict[str, Any]) -> None:
    found = steps(BUILDERS, said(line, "mail.trash", language=language))
    assert found == [("user_email_search_inbox", search), ("user_email_trash", {"mails": [FIRST]})]


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "the one from [the embassy](from) gets a star"), ("es", "ponle estrella a [el de la embajada](ref)")],
)
def test_one_of_a_list_is_picked_by_words(language: str, line: str) -> None:
    ((_, args),) = steps(BUILDERS, after(said(line, "mail.star", language=language), mails(3)))
    assert args["mails"] in ([{"select": "embassy"}], [{"select": "embajada"}])


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "and delete everything I ever got from them"), ("de", "und schmeiß alles von denen weg"),
     ("fr", "jette tout ce qui vient d'[eux](from)")],
)  # fmt: skip
def test_everything_from_whoever_wrote_what_was_read(language: str, line: str) -> None:
    reading, act = steps(BUILDERS, after(said(line, "mail.trash", language=language), mails(1)))
    assert reading == ("user_email_read_message", {"message_id": {"handle": "mail-21"}})
    assert act == ("user_email_trash", {"senders": [{"step": 1, "fact": "message.from"}]})


def test_whose_mails_are_meant_is_asked_where_several_were_shown() -> None:
    assert isinstance(made(BUILDERS, after(said("delete everything from them", "mail.trash"), mails(3))), Unclear)


def test_all_of_a_list_but_those_of_somebody() -> None:
    first, second, third = mails(3)
    listed = (first, second.model_copy(update={"contact_id": "carol"}), third)
    one = said("archívalos todos menos el de [Carol](from)", "mail.archive", language="es")
    ((_, args),) = steps(BUILDERS, after(one, listed))
    assert args == handles(1, 3)


def test_a_time_of_another_act_does_not_say_which_mail() -> None:
    one = said("archívala, y recuérdame el [día 11 a las doce](time) pagarla", "mail.archive", language="es")
    ((_, args),) = steps(BUILDERS, after(one, mails(1)))
    assert args == handles(1)


def test_who_fills_an_inbox_that_is_a_mess_is_shown() -> None:
    found = steps(BUILDERS, said("my inbox is a mess, clean it up", "mail.trash", scene="none"))
    assert found == [("user_email_rank_senders", {})]


def test_both_of_three_are_asked_about() -> None:
    assert isinstance(made(BUILDERS, after(said("star [both](ref)", "mail.star"), mails(3))), Unclear)


@pytest.mark.parametrize(
    ("language", "line", "days"),
    [
        ("en", "archive mails newer than [three months](age)", {"since": "2025-12-04"}),
        ("en", "archive mails older than [three months](age)", {"before": "2025-12-04"}),
        ("en", "archive mails [less than a week](age) old", {"since": "2026-02-25"}),
        ("en", "archive mails newer than [a month](time)", {"since": "2026-02-04"}),
        ("de", "archiviere Mails, die jünger als [ein Monat](age) sind", {"since": "2026-02-04"}),
        ("fr", "archive les mails de moins d'[un mois](age)", {"since": "2026-02-04"}),
        ("fr", "archive les mails plus récents qu'[un mois](age)", {"since": "2026-02-04"}),
        ("fr", "archive les mails plus récents d'[un mois](age)", {"since": "2026-02-04"}),
        ("fr", "archive les mails de plus d'[un mois](age)", {"before": "2026-02-04"}),
        ("es", "archiva los correos de [menos](age) de [un mes](age)", {"since": "2026-02-04"}),
    ],
)
def test_an_age_is_that_of_newer_or_of_older_mails(language: str, line: str, days: dict[str, str]) -> None:
    ((_, args),) = steps(BUILDERS, said(line, "mail.archive", language=language))
    assert {name: args[name] for name in ("since", "before") if name in args} == days
