"""What was marked too short or wrongly is mended by the words around it."""
# names: made up here

from dataclasses import replace

import pytest

from bench.understanding_scenes import NOW
from butler.orchestrator.understanding.requests.mending import mended
from tests.understanding.marked import said


def after(line: str, intent: str, language: str = "en") -> list[tuple[str, str]]:
    request = replace(said(line, intent, language=language).request, language=language)
    return [(one.slot, one.text) for one in mended(request, NOW).slots]


@pytest.mark.parametrize(
    ("line", "intent", "language", "slots"),
    [
        (
            "dauert [etwa](duration) [eine Stunde](duration)",
            "calendar.create",
            "de",
            [("duration", "etwa eine Stunde")],
        ),
        ("compte [une](duration) bonne heure", "calendar.create", "fr", [("duration", "une bonne heure")]),
        ("[in](time) [30 minutes](duration)", "reminder.snooze", "en", [("time", "in 30 minutes")]),
        ("[dans](time) [une heure](duration)", "reminder.snooze", "fr", [("time", "dans une heure")]),
        ("no, [six in the](time) morning", "reminder.change", "en", [("time", "six in the morning")]),
        ("[eine](duration) Karte", "calendar.create", "de", [("duration", "eine")]),
    ],
)
def test_a_length_or_time_is_whole(line: str, intent: str, language: str, slots: list[tuple[str, str]]) -> None:
    assert after(line, intent, language) == slots


@pytest.mark.parametrize(
    ("line", "language", "slots"),
    [
        ("lösch [die](ref) müllerinnerung", "de", [("topic", "müllerinnerung")]),
        ("leg [die](ref) ab", "de", [("ref", "die")]),
        ("lösch [die](ref) Erinnerung", "de", [("ref", "die")]),
        ("supprime [le](ref) loyer", "fr", [("topic", "loyer")]),
        ("remove [it](ref) please", "en", [("ref", "it")]),
    ],
)
def test_an_article_is_no_pronoun(line: str, language: str, slots: list[tuple[str, str]]) -> None:
    assert after(line, "reminder.remove", language) == slots


@pytest.mark.parametrize(
    ("line", "intent", "language", "slots"),
    [
        ("sag die [Freitagstermine](time_of) ab", "calendar.delete", "de", [("time_of", "Freitag")]),
        ("sag das [Mittwochs-Meeting](time_of) ab", "calendar.delete", "de", [("time_of", "Mittwoch")]),
        ("tell [Anna and](to) [Bob](to) [hi](text)", "message.send", "en",
         [("to", "Anna"), ("to", "Bob"), ("text", "hi")]),
        ("sag [Anna und](to) [Bob](to) [hallo](text)", "message.send", "de",
         [("to", "Anna"), ("to", "Bob"), ("text", "hallo")]),
        ("dis à [Anna et](to) à [Bob](to) [salut](text)", "message.send", "fr",
         [("to", "Anna"), ("to", "Bob"), ("text", "salut")]),
        ("dile a [Anna y](to) a [Bob](to) [hola](text)", "message.send", "es",
         [("to", "Anna"), ("to", "Bob"), ("text", "hola")]),
        ("show the cards of [Doing on](list) [Home](board)", "card.list", "en", [("list", "Doing"), ("board", "Home")]),
    ],
)  # fmt: skip
def test_what_is_no_part_of_a_name_or_day_is_cut_off(
    line: str, intent: str, language: str, slots: list[tuple[str, str]]
) -> None:
    assert after(line, intent, language) == slots


def test_what_stands_before_a_colon_is_where_a_card_goes() -> None:
    assert after("new card [work](title): [expenses](title)", "card.create") == [
        ("list", "work"),
        ("title", "expenses"),
    ]
    two = [("title", "milk"), ("title", "bread")]
    assert after("new cards [milk](title), [bread](title)", "card.create") == two


@pytest.mark.parametrize(
    ("line", "intent", "language", "slots"),
    [
        ("erinnere mich [montags um 9](time) an [den müll](text)", "reminder.create", "de",
         [("every", "montags um 9"), ("text", "den müll")]),
        ("was ist [montags](time) los", "calendar.list", "de", [("time", "montags")]),
        ("remind me [on Monday](time)", "reminder.create", "en", [("time", "on Monday")]),
        ("recuérdame [los lunes a las 9](time)", "reminder.create", "es", [("every", "los lunes a las 9")]),
    ],
)  # fmt: skip
def test_a_day_of_every_week_comes_again(line: str, intent: str, language: str, slots: list[tuple[str, str]]) -> None:
    assert after(line, intent, language) == slots


@pytest.mark.parametrize(
    ("line", "slots"),
    [
        ("remind me to water [in a day and 2 hours](every)", [("time", "in a day and 2 hours")]),
        ("remind me [tomorrow at nine](every)", [("time", "tomorrow at nine")]),
        ("remind me [every day](every)", [("every", "every day")]),
        ("remind me evry [other tuesday at 7](every)", [("every", "evry other tuesday at 7")]),
        ("remind me [now and then](every)", [("every", "now and then")]),
        ("remind me [every third friday](every)", [("every", "every third friday")]),
        ("remind me [at nine](time) [in two weeks](every)", [("time", "at nine"), ("every", "in two weeks")]),
    ],
)
def test_a_time_does_not_come_again(line: str, slots: list[tuple[str, str]]) -> None:
    assert after(line, "reminder.create") == slots


@pytest.mark.parametrize(
    ("line", "intent", "slots"),
    [
        ("write [thanks](text) to [the first one](ref)", "mail.reply", [("text", "thanks"), ("ref", "the first one")]),
        ("reply [thanks for](text) [it](ref)", "mail.reply", [("text", "thanks for it")]),
        ("say [I like](text) [the first one](ref)", "message.send", [("text", "I like the first one")]),
    ],
)  # fmt: skip
def test_which_mail_is_answered_may_stand_behind_the_text(line: str, intent: str, slots: list[tuple[str, str]]) -> None:
    assert after(line, intent) == slots


@pytest.mark.parametrize(
    ("line", "slots"),
    [
        ("remind me [on weekdays](every) to [stretch, but not on Fridays](text)",
         [("every", "on weekdays"), ("text", "stretch"), ("every", "but not on Fridays")]),
        ("remind me [every day](every) to [drink coffee without sugar](text)",
         [("every", "every day"), ("text", "drink coffee without sugar")]),
        ("remind me [every day](every) to [eat everything except meat](text)",
         [("every", "every day"), ("text", "eat everything except meat")]),
        ("remind me [tomorrow](time) to [stretch, but not on Fridays](text)",
         [("time", "tomorrow"), ("text", "stretch, but not on Fridays")]),
    ],
)  # fmt: skip
def test_days_that_are_left_out_are_no_part_of_a_text(line: str, slots: list[tuple[str, str]]) -> None:
    assert after(line, "reminder.create") == slots


def test_what_is_to_be_done_is_what_one_is_reminded_of() -> None:
    line = "[open the window](action) [daily at 8](every), remind me"
    assert after(line, "reminder.create") == [("text", "open the window"), ("every", "daily at 8")]


def test_a_question_to_memory_is_whole() -> None:
    assert after("que dit [mon bail](query) sur [les animaux](query) ?", "memory.ask", "fr") == [
        ("query", "que dit mon bail sur les animaux ?")
    ]
    assert after("[what](query) does the lease say about pets", "memory.ask") == [
        ("query", "what does the lease say about pets")
    ]


def test_an_hour_of_the_day_is_no_length() -> None:
    assert after("plutôt [quinze heures](duration)", "calendar.move", "fr") == [("time", "quinze heures")]
    assert after("repousse de [deux heures](duration)", "calendar.move", "fr") == [("duration", "deux heures")]


def test_times_side_by_side_are_one() -> None:
    assert after("[À](time) [dix-huit heures](time)", "reminder.create", "fr") == [("time", "À dix-huit heures")]


def test_an_account_is_no_topic() -> None:
    line = "muéstrame los correos [sin leer](filter) de mi [cuenta de trabajo](topic)"
    assert after(line, "mail.search", "es") == [("filter", "sin leer"), ("account", "trabajo")]
    assert after("any mail about my [work account](topic)", "mail.search") == [("topic", "work account")]


def test_a_state_names_things_where_no_states_are_known() -> None:
    assert after("assign [overdue](filter) cards to [Anna](to)", "card.assign") == [
        ("topic", "overdue"),
        ("to", "Anna"),
    ]
    assert after("show [overdue](filter) cards", "card.list") == [("filter", "overdue")]


def test_what_stands_behind_a_colon_is_the_text() -> None:
    assert after("text [Anna](to): we sat in the garden", "message.send") == [
        ("to", "Anna"),
        ("text", "we sat in the garden"),
    ]


def test_a_text_has_all_its_words() -> None:
    line = "note [the good plumber is Ramiro and he works](text) on [Saturdays](every) too"
    assert after(line, "note.create") == [("text", "the good plumber is Ramiro and he works on Saturdays too")]


def test_who_is_named_within_a_text_is_not_written_to() -> None:
    line = "tell [Bob](to) [I work at home on Friday](reported), he should tell [the team](to)"
    assert after(line, "message.send") == [("to", "Bob"), ("reported", "I work at home on Friday")]


def test_who_is_named_behind_a_text_alone_is_written_to() -> None:
    line = "say [happy birthday](text) to [Anna](to)"
    assert after(line, "message.send") == [("text", "happy birthday"), ("to", "Anna")]


@pytest.mark.parametrize(
    ("line", "intent", "language", "slots"),
    [
        ("souper [de 19h à](time) [22 heures](duration)", "calendar.create", "fr", [("time", "de 19h à 22 heures")]),
        ("[el domingo por la tarde](time), a las cinco", "answer.value", "es",
         [("time", "el domingo por la tarde, a las cinco")]),
        ("[el domingo](time), que no puedo", "answer.value", "es", [("time", "el domingo")]),
        ("move all in [Doing](list) to [Done on](list) [Home](board)", "card.move", "en",
         [("list", "Doing"), ("list", "Done"), ("board", "Home")]),
    ],
)  # fmt: skip
def test_what_stands_around_a_mark_shows_where_it_ends(
    line: str, intent: str, language: str, slots: list[tuple[str, str]]
) -> None:
    assert after(line, intent, language) == slots


def test_another_channel_behind_the_text_of_a_mail_is_of_the_text() -> None:
    line = "manda un mail a [Bob](to) diciendo que [me escriba](reported) por [Telegram](channel)"
    assert ("reported", "me escriba por Telegram") in after(line, "mail.send", "es")


@pytest.mark.parametrize(
    ("language", "line", "slots"),
    [
        ("es", "recuérdame [todos los días](every) [regar las plantas menos](text) [los domingos](every)",
         [("every", "todos los días"), ("text", "regar las plantas"), ("every", "menos los domingos")]),
        ("en", "remind me [every day](every) to [water the plants](text) except [Sundays](every)",
         [("every", "every day"), ("text", "water the plants"), ("every", "except Sundays")]),
        ("de", "erinnere mich [täglich](every) an [die Pillen](text), nur [sonntags](every) nicht",
         [("every", "täglich"), ("text", "die Pillen"), ("every", "sonntags nicht")]),
        ("fr", "rappelle-moi [tous les jours](every) d'[arroser](text), [le dimanche](every) non",
         [("every", "tous les jours"), ("text", "arroser"), ("every", "le dimanche non")]),
        ("es", "recuérdame [todos los días](every) [regar](text), [los domingos](every) no",
         [("every", "todos los días"), ("text", "regar"), ("every", "los domingos no")]),
        ("de", "erinnere mich [jeden Tag ans Gießen außer sonntags](every)",
         [("every", "jeden Tag"), ("text", "Gießen"), ("every", "außer sonntags")]),
        ("de", "erinnere mich [jede Woche an Werktagen außer montags](every)",
         [("every", "jede Woche an Werktagen außer montags")]),
        ("en", "remind me [every day](every) to [eat no meat except](text) [on Sundays](every)",
         [("every", "every day"), ("text", "eat no meat"), ("every", "except on Sundays")]),
        ("fr", "[tous les vendredis](every) rappelle-moi [mes heures](text), on m'appelle [chaque fin de](every) mois",
         [("every", "tous les vendredis"), ("text", "mes heures"), ("every", "chaque fin de")]),
        ("en", "remind me [every Sunday](every) to [feed all but the cat](text)",
         [("every", "every Sunday"), ("text", "feed all but the cat")]),
    ],
)  # fmt: skip
def test_days_that_are_left_out_are_marked_with_their_words(
    language: str, line: str, slots: list[tuple[str, str]]
) -> None:
    assert after(line, "reminder.create", language) == slots


@pytest.mark.parametrize("both", ["bob n carol", "bob & carol", "bob + carol", "bob and carol", "bob, carol"])
def test_each_of_several_people_is_marked_alone(both: str) -> None:
    one = said(f"tell [{both}](to) [I'm late](reported)", "message.send")
    assert mended(one.request, NOW, lambda name: name in {"bob", "carol"}).words("to") == ("bob", "carol")
    assert mended(one.request, NOW, lambda name: name == both).words("to") == (both,)


def test_somebody_unknown_beside_somebody_known_is_not_dropped() -> None:
    one = said("tell [bob & zelda](to) [I'm late](reported)", "message.send")
    assert mended(one.request, NOW, lambda name: name == "bob").words("to") == ("bob", "zelda")


@pytest.mark.parametrize(
    ("line", "intent", "language", "to", "text"),
    [
        ("dis à [Anna](to) que je viens pas", "message.send", "fr", "Anna", "je viens pas"),
        ("dis à [Anna](to) que je ne viens pas demain", "message.send", "fr", "Anna", "je ne viens pas demain"),
        ("tell [Anna](to) that I am late.", "message.send", "en", "Anna", "I am late"),
        ("tell [Anna](to) I'm not coming", "calendar.decline", "en", "Anna", "I'm not coming"),
        ("please tell [Anna](to) that we won't come", "calendar.decline", "en", "Anna", "we won't come"),
        ("sag [Anna](with) ich komme nicht", "calendar.decline", "de", "Anna", "ich komme nicht"),
        ("dile a [Anna](to) que no voy", "calendar.decline", "es", "Anna", "no voy"),
        ("dis à [Anna](from) de ne pas venir", "calendar.decline", "fr", "Anna", "de ne pas venir"),
    ],
)
def test_what_somebody_is_told_is_a_text(line: str, intent: str, language: str, to: str, text: str) -> None:
    request = replace(said(line, intent, language=language).request, language=language)
    found = mended(request, NOW)
    assert (found.intent, found.words("to")) == ("message.send", (to,))
    assert found.words("reported") == (text,)


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("decline [Anna](from)'s invitation, I'm not coming", "calendar.decline"),
        ("tell [Anna](to)", "message.send"),
        ("tell [Anna](to) that [I'm late](text)", "message.send"),
    ],
)
def test_what_says_something_else_stays(line: str, intent: str) -> None:
    request = said(line, intent).request
    assert mended(request, NOW).slots == request.slots
