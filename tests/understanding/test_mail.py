"""Mails that are looked for, read, answered and passed on, in four languages."""
# names: made up here

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bench.understanding_scenes import NOW
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.understanding import chats
from butler.orchestrator.understanding.mail import builders as mail
from butler.orchestrator.understanding.mail import bulk as mail_bulk
from butler.orchestrator.understanding.said import Builder, Said
from butler.store.conversation import LastShown, Referent
from tests.understanding.marked import made, said, steps

BUILDERS: dict[str, Builder] = {**chats.BUILDERS, **mail.BUILDERS, **mail_bulk.BUILDERS, "mail.reply": chats.reply}
SEARCH, READ, REPLY = "user_email_search_inbox", "user_email_read_message", "user_email_reply_to_thread"
NEW_DRAFT = "user_email_draft_message"
FIRST = {"step": 1, "fact": "messages.0.message_id"}


def mails(count: int, *, read: int = 0, by: str | None = None) -> tuple[Referent, ...]:
    """A list of mails that was just shown, of which one was read since."""
    found = [
        Referent(
            handle=f"mail-{20 + n}", kind=ReferentKind.MAIL, key=f"m{n}", tool=SEARCH, ordinal=n if count > 1 else 0,
            at=NOW - timedelta(hours=n), shown_in="hits", contact_id=by,
        )
        for n in range(1, count + 1)
    ]  # fmt: skip
    if read:
        again = {"handle": "mail-30", "tool": READ, "ordinal": 0, "shown_in": "later"}
        found.append(found[read - 1].model_copy(update=again))
    return tuple(found)


def after(one: Said, shown: tuple[Referent, ...], kind: ReferentKind = ReferentKind.MAIL) -> Said:
    """The same, said after these were shown."""
    request = one.scene.request
    last = LastShown(kind=kind, count=len(shown))
    request = replace(request, referents=(*request.referents, *shown), last_shown=last)
    return replace(one, scene=replace(one.scene, request=request))


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        ("en", "anything from [the parcel people](from)", {"words": "parcel"}),
        ("de", "was von der [Stromfirma](from) zur [Abrechnung](topic)?", {"words": "Strom Abrechnung"}),
        ("fr", "un mail du [service de colis](from) ?", {"words": "colis"}),
        ("es", "correos del [paquete](topic)", {"words": "paquete"}),
        ("en", "any mail from [Northwind Energy](from)", {"sender": "Northwind Energy"}),
        ("en", "only those with [attachments](filter) from [bob](from)",
         {"sender": "bob@work.example", "attachment": True}),
        ("de", "zeig die [markierten](filter)", {"starred": True}),
        ("fr", "les mails [importants](filter) de [février](time)",
         {"important": True, "since": "2026-02-01", "before": "2026-03-01"}),
        ("es", "los que [no he leído](filter)", {"unread": True}),
        ("en", "mails from [friday](time)", {"since": "2026-02-27", "before": "2026-02-28"}),
        ("en", "how many new mails do I have", {"unread": True}),
        ("en", "show me the [newsletters](filter)", {"words": "newsletters"}),
    ],
)  # fmt: skip
def test_what_is_looked_for(language: str, line: str, expected: dict[str, Any]) -> None:
    assert steps(BUILDERS, said(line, "mail.search", language=language)) == [(SEARCH, expected)]


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "open [the newest mail](ref)", "mail.search"),
        ("de", "lies mir [die neueste Mail](ref) vor", "mail.read"),
        ("fr", "lis [le dernier mail](ref)", "mail.read"),
        ("es", "ábreme [el último correo](ref)", "mail.search"),
    ],
)
def test_the_newest_mail_is_read(language: str, line: str, intent: str) -> None:
    found = steps(BUILDERS, said(line, intent, language=language))
    assert found == [(SEARCH, {"limit": 1}), (READ, {"message_id": FIRST})]


@pytest.mark.parametrize(
    ("language", "line", "number"),
    [
        ("en", "read [the next one](ref)", 3), ("en", "go on, next please", 3), ("de", "lies [die nächste](ref)", 3),
        ("fr", "bon, et [le suivant](ref) alors", 3), ("es", "ábreme [el siguiente](ref)", 3),
        ("en", "open [the previous one](ref)", 1), ("en", "and what's in [number three](ref)", 3),
        ("en", "read [it](ref) again", 10), ("es", "léemelo", 10), ("en", "read [the oldest](ref)", 3),
        ("de", "[das oberste](ref) bitte", 1), ("en", "[the last one](ref) sounds important", 3),
    ],
)  # fmt: skip
def test_one_of_a_list_is_read_by_its_place(language: str, line: str, number: int) -> None:
    asked = after(said(line, "mail.read", language=language), mails(3, read=2))
    assert steps(BUILDERS, asked) == [(READ, {"message_id": {"handle": f"mail-{20 + number}"}})]


@pytest.mark.parametrize(
    ("language", "line", "number"),
    [
        ("en", "the second please", 2), ("en", "read second", 2), ("en", "second mail please", 2),
        ("de", "zweite lesen", 2),
        ("fr", "lis la deuxième", 2), ("es", "lee la segunda", 2),
        ("en", "on [second](ref) thoughts read [the third](ref)", 3),
    ],
)  # fmt: skip
def test_an_ordinal_picks_one_of_a_list(language: str, line: str, number: int) -> None:
    asked = after(said(line, "mail.read", language=language), mails(3))
    assert steps(BUILDERS, asked) == [(READ, {"message_id": {"handle": f"mail-{20 + number}"}})]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "on second thoughts read the mail from [Northwind Energy](from)"),
        ("en", "first read the one from [Northwind Energy](from)"),
        ("en", "wait a second, read [Northwind Energy](from)"),
        ("de", "als erstes lies die Mail von [Northwind Energy](from)"),
        ("fr", "lis en premier le mail de [Northwind Energy](from)"),
        ("es", "primero lee el correo de [Northwind Energy](from)"),
    ],
)
def test_an_ordinal_of_a_phrase_picks_nothing(language: str, line: str) -> None:
    asked = after(said(line, "mail.read", language=language), mails(3))
    assert {"handle": "mail-21"} not in [args.get("message_id") for _, args in steps(BUILDERS, asked)]
    assert {"handle": "mail-22"} not in [args.get("message_id") for _, args in steps(BUILDERS, asked)]


@pytest.mark.parametrize(
    "line", ["on second thoughts read it", "on [second](ref) thoughts read [it](ref)", "wait a second"]
)
def test_which_is_meant_is_asked_where_an_ordinal_picks_nothing(line: str) -> None:
    assert isinstance(made(BUILDERS, after(said(line, "mail.read"), mails(3))), Unclear)


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "[the other one](ref)"), ("de", "[die andere](ref) meinte ich"), ("fr", "non, [l'autre](ref)"),
     ("es", "[el otro](ref)")],
)  # fmt: skip
def test_the_other_one_of_two_is_read(language: str, line: str) -> None:
    asked = after(said(line, "mail.read", language=language), mails(2, read=1))
    assert steps(BUILDERS, asked) == [(READ, {"message_id": {"handle": "mail-22"}})]


@pytest.mark.parametrize(
    ("language", "line", "words"),
    [
        ("en", "the one about [the parking fine](topic)", "parking fine"),
        ("de", "und die von [der Kita](from)?", "Kita"),
        ("fr", "celui de [Béatrice](from), qu'est-ce qu'elle raconte", "Béatrice"),
        ("es", "el del [paquete](topic)", "paquete"),
        ("en", "open [that Zara one](ref)", "Zara"),
    ],
)
def test_one_of_a_list_is_picked_by_words(language: str, line: str, words: str) -> None:
    asked = after(said(line, "mail.read", language=language), mails(3))
    assert steps(BUILDERS, asked) == [(READ, {"message_id": {"select": words}})]


def test_which_of_several_is_asked_with_few_buttons_that_do_it() -> None:
    output = made(BUILDERS, after(said("read [it](ref)", "mail.read"), mails(9, by="bob")))
    assert isinstance(output, Unclear)
    assert [one.label for one in output.choices][:2] == ["The first one, from Bob", "The second one, from Bob"]
    assert len(output.choices) == 4
    assert output.choices[2].steps[0].args == {"message_id": {"handle": "mail-23"}}


@pytest.mark.parametrize(
    ("language", "line", "intent", "body"),
    [
        ("en", "say [yes and thanks](text)", "mail.reply", "Yes and thanks"),
        ("fr", "dis-[leur](to) que [le montant ne correspond pas](reported)", "message.send",
         "Le montant ne correspond pas"),
        ("de", "sag [ihm](to) [danke, passt so](text)", "message.send", "Danke, passt so"),
        ("es", "pues diles que [quiero darme de baja ya](reported)", "message.send", "Quiero darme de baja ya"),
        ("en", "tell [them](to) [I paid already](text)", "mail.send", "I paid already"),
        ("en", "thank [her](from) and say [I'll print them](text)", "mail.reply", "I'll print them"),
        ("fr", "réponds à [l'expéditeur](from) : [Merci](text)", "mail.reply", "Merci"),
    ],
)  # fmt: skip
def test_whoever_wrote_what_was_read_is_answered_in_it(language: str, line: str, intent: str, body: str) -> None:
    asked = after(said(line, intent, language=language), mails(1))
    assert steps(BUILDERS, asked) == [(REPLY, {"message_id": {"handle": "mail-21"}, "body": body})]


def test_somebody_with_a_name_is_written_to_anew() -> None:
    asked = after(said("tell [bob](to) [I paid already](text)", "message.send"), mails(1))
    assert steps(BUILDERS, asked)[0][0] == "user_telegram_send_message"


def test_the_newest_mail_of_somebody_is_answered_where_none_was_shown() -> None:
    line = "reply to [carol](from) that [I come](reported)"
    found = steps(BUILDERS, said(line, "mail.reply", scene="none"))
    assert found == [
        (SEARCH, {"sender": "carol@choir.example", "limit": 1}),
        (REPLY, {"message_id": FIRST, "body": "I come"}),
    ]


def test_who_is_only_described_has_to_be_the_sender_of_what_is_answered() -> None:
    line = "answer [the vet](from)'s mail about [the dosage](topic): [thanks](text)"
    search, _ = steps(BUILDERS, said(line, "mail.reply", scene="none"))
    assert search == (SEARCH, {"words": "dosage", "sender": "vet", "limit": 1})


@pytest.mark.parametrize(
    ("language", "line", "subject", "body"),
    [
        ("en", "draft a mail to [anna](to): [sorry for the delay](text)", "Sorry for the delay", "sorry for the delay"),
        ("en", "draft an email to [bob](to), subject [Pay](subject), telling [him](to) that [I want more](reported)",
         "Pay", "I want more"),
        ("fr", "brouillon pour [anna](to) : [désolé du retard](text)", "Désolé du retard", "désolé du retard"),
        ("fr", "prépare un brouillon pour [bob](to), sujet [télétravail](subject)", "télétravail", ""),
        ("en", "draft a mail to [bob](to) about [the roof offer](topic), I'll look it over", "the roof offer", ""),
        ("de", "Mailentwurf an [Bob](to): [Angebot Dachsanierung](subject)", "Angebot Dachsanierung", ""),
    ],
)  # fmt: skip
def test_a_new_mail_is_drafted_with_what_was_said_of_it(language: str, line: str, subject: str, body: str) -> None:
    ((tool, args),) = steps(BUILDERS, said(line, "mail.draft", language=language))
    assert (tool, args["subject"], args["body"]) == (NEW_DRAFT, subject, body)
    assert len(args["to"]) == 1


def test_a_new_mail_is_drafted_for_each_of_several() -> None:
    line = "draft a mail to [anna](to) that [I come](reported) and to [bob](to) that [I stay](reported)"
    found = steps(BUILDERS, said(line, "mail.draft"))
    assert [(tool, args["body"]) for tool, args in found] == [(NEW_DRAFT, "I come"), (NEW_DRAFT, "I stay")]


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("draft a mail to [bob](to)", "What shall I write to bob?"),
        ("draft a mail to [mum](to) about [the roof](topic)", "I have no mail address of mum. "),
        ("draft a mail to [mum](to): [come by](text)", "I have no mail address of mum. "),
        ("draft a letter to [the mayor](to) about [the roof](topic)", "I don't know anybody called mayor. "),
    ],
)
def test_a_draft_asks_for_what_is_missing_and_offers_no_sending(line: str, question: str) -> None:
    found = made(BUILDERS, said(line, "mail.draft"))
    assert isinstance(found, Unclear)
    assert found.question.startswith(question)
    assert not found.choices


def test_a_draft_to_one_of_two_of_a_name_stays_a_draft() -> None:
    found = made(BUILDERS, said("draft a mail to [sam](to) about [the lease](topic)", "mail.draft", scene="sams"))
    assert isinstance(found, Unclear)
    assert [one.words for one in found.choices] == [
        'draft a mail to sam hill with subject "the lease"',
        'draft a mail to sam dale with subject "the lease"',
    ]


@pytest.mark.parametrize(
    ("language", "line", "note"),
    [
        ("en", "send [it](ref) to [bob](to) with [can you deal with this](text)", "Can you deal with this"),
        ("de", "leite [sie](ref) an [Bob](to) weiter", ""),
        ("es", "reenvíalo a [bob](to) y ponle que [son las partituras](reported)", "Son las partituras"),
    ],
)
def test_a_mail_is_passed_on_with_a_note(language: str, line: str, note: str) -> None:
    asked = after(said(line, "mail.forward", language=language), mails(3, read=2))
    reading, sending = steps(BUILDERS, asked)
    assert reading == (READ, {"message_id": {"handle": "mail-30"}})
    assert sending[1]["to"] == [{"contact": "bob"}]
    assert sending[1].get("note", "") == note


def test_all_that_was_shown_is_passed_on_one_by_one() -> None:
    output = made(BUILDERS, after(said("pass [them](ref) all along to [bob](to)", "mail.forward"), mails(2)))
    assert isinstance(output, Planned)
    assert [step.tool_call for step in output.steps] == [READ, "user_email_send_message"] * 2
    assert output.steps[3].args["body"] == {"step": 3, "fact": "forward.body"}


@pytest.mark.parametrize(
    ("language", "line", "response"),
    [
        ("en", "yes accept [it](ref)", "accept"), ("fr", "accepte", "accept"),
        ("de", "nehmen Sie [die Einladung](ref) bitte [an](answer)", "accept"),
        ("es", "no puedo, recházala", "decline"), ("en", "put me down as [tentative](answer)", "tentative"),
    ],
)  # fmt: skip
def test_an_invitation_that_was_read_is_answered(language: str, line: str, response: str) -> None:
    asked = after(said(line, "mail.invite", language=language), mails(1))
    expected = {"message_id": {"handle": "mail-21"}, "response": response}
    assert steps(BUILDERS, asked) == [("user_email_answer_invite", expected)]


def test_an_invitation_that_was_not_read_is_looked_for() -> None:
    event = Referent(handle="event-1", kind=ReferentKind.EVENT, key="e", tool="user_calendar_list_events")
    asked = after(said("accepte", "mail.invite", language="fr"), (event,), ReferentKind.EVENT)
    search, answer = steps(BUILDERS, asked)
    assert search == (SEARCH, {"words": "invitation", "limit": 1})
    assert answer[1]["message_id"] == FIRST


@pytest.mark.parametrize(
    ("language", "line", "intent", "words"),
    [
        ("fr", "transfère la facture à [Bob](to)", "mail.forward", "facture"),
        ("es", "Léeme entero el correo de la mensajería, que estoy conduciendo", "mail.read", "mensajería"),
        ("de", "lies die Mail vom Vermieter", "mail.read", "Vermieter"),
    ],
)
def test_what_was_not_marked_is_looked_for(language: str, line: str, intent: str, words: str) -> None:
    search = steps(BUILDERS, said(line, intent, language=language))[0]
    assert search == (SEARCH, {"words": words, "limit": 1})


def test_her_mail_is_that_of_whom_the_message_names() -> None:
    one = replace(said("and reply to [her mail](ref) that [I'll be there](reported)", "mail.reply", scene="none"),
                  whole="add dinner at Anna's on saturday, and reply to her mail that I'll be there")  # fmt: skip
    assert steps(BUILDERS, one)[0] == (SEARCH, {"sender": "anna@friends.example", "limit": 1})


def test_whoever_is_not_meant_is_left_out_of_a_search() -> None:
    line = "no, de [Bob](from) no, de Anna, lo de [las fotos](topic)"
    assert steps(BUILDERS, said(line, "mail.search", language="es")) == [
        (SEARCH, {"words": "fotos", "sender": "anna@friends.example"})
    ]


def test_a_draft_to_who_has_no_address_answers_their_newest_mail() -> None:
    line = "draft something polite to [the gym](to) saying [I want out](reported)"
    assert steps(BUILDERS, said(line, "mail.draft", scene="none")) == [
        (SEARCH, {"sender": "gym", "limit": 1}),
        ("user_email_draft_reply", {"message_id": FIRST, "body": "I want out"}),
    ]


def test_several_lists_are_left() -> None:
    asked = after(said("unsubscribe me from [those](ref)", "mail.unsubscribe"), mails(2))
    assert [args["message_id"] for _, args in steps(BUILDERS, asked)] == [{"handle": "mail-21"}, {"handle": "mail-22"}]


def test_more_from_whoever_wrote_what_was_read() -> None:
    asked = after(said("anything else from [them](from)", "mail.search"), mails(1))
    reading, search = steps(BUILDERS, asked)
    assert reading == (READ, {"message_id": {"handle": "mail-21"}})
    assert search == (SEARCH, {"sender": {"step": 1, "fact": "message.from"}})


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "unsubscribe me from [the newsletter of](from) [the shop](from)"),
        ("de", "melde mich ab [vom Newsletter von](from) [shop](from)"),
        ("fr", "désabonne-moi de [la lettre de](from) [shop](from)"),
        ("es", "dame de baja [del boletín de](from) [shop](from)"),
    ],
)
def test_the_newsletter_of_somebody_is_one_list(language: str, line: str) -> None:
    found = steps(BUILDERS, said(line, "mail.unsubscribe", language=language))
    assert [tool for tool, _ in found] == ["user_email_search_inbox", "user_email_unsubscribe"]
    assert found[0][1]["sender"] == "shop"


def test_a_german_clause_becomes_the_comment_on_an_invitation() -> None:
    line = "nimm die Einladung von [Ola](from) an und sag, dass [ich zehn Minuten später komme](reported)"
    found = steps(BUILDERS, said(line, "mail.invite", language="de"))
    assert found[-1][1]["comment"] == "Ich komme zehn Minuten später"
