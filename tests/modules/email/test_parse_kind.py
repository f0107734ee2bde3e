"""How a mail came to be is told by what sent it; what it is about, by its form, and rather not than wrongly."""

from dataclasses import replace

import pytest

from butler.contract.mail import MailKind, Topic
from modules.email.parsing.kind import kind_of, topics_of
from modules.email.parsing.parsed import Address, Event, Forwarded, Invoice, ParsedMail, Report
from modules.email.parsing.parser import parse_mail
from tests.support.corpora import MAILS, rows

MAIL = ParsedMail(subject="Hello", sender=Address("anna@x.example", "Anna"), media_type="text/plain")

KINDS = {
    "dsn": {"bounce"},
    "arf": {"report"},
    "report": {"report"},
    "autoreply": {"automatic"},
    "invite": {"invite"},
    "list": {"list", "newsletter"},
    "digest": {"list"},
    "forward": {"forward"},
    "reply": {"reply"},
    "not_bounce": {"personal", "automatic"},
}
"""What the categories of the corpus may be told as."""
EXCEPT = {"msg/sisimai_lhost-fml-03.eml"}
"""A mailing list's warning of a loop, which counts as a bounce there; it has no mark of one."""


def test_the_kinds_of_the_corpus_are_told() -> None:
    wrong = []
    for row in rows(MAILS / "index.jsonl"):
        if row["category"] in KINDS and row["file"] not in EXCEPT:
            mail, _ = parse_mail((MAILS / row["file"]).read_bytes())
            # What a program of the talon project's tests wrote under another subject is a reply by its form alone.
            if mail.kind not in KINDS[row["category"]]:
                wrong.append((row["file"], row["category"], mail.kind))
    assert not wrong


@pytest.mark.parametrize(
    ("kind", "mail"),
    [
        ("personal", MAIL),
        ("reply", replace(MAIL, in_reply_to="<1@x.example>")),
        ("reply", replace(MAIL, subject="Re: Hello")),
        ("reply", replace(MAIL, quotes=True)),
        ("forward", replace(MAIL, forwarded=Forwarded(text="Hi"), in_reply_to="<1@x.example>")),
        ("invite", replace(MAIL, event=Event("REQUEST", "1"), auto_submitted="auto-generated")),
        ("reply", replace(MAIL, event=Event("REPLY", "1"), in_reply_to="<1@x.example>")),
        ("forward", replace(MAIL, event=Event("REQUEST", "1"), forwarded=Forwarded(text="Hi"))),
        ("newsletter", replace(MAIL, list_id="news", list_unsubscribe=("https://x.example/u",))),
        ("newsletter", replace(MAIL, precedence="bulk")),
        ("newsletter", replace(MAIL, list_unsubscribe=("https://x.example/u",), auto_submitted="auto-generated")),
        ("list", replace(MAIL, list_id="<dev.x.example>", precedence="list", in_reply_to="<1@x.example>")),
        ("list", replace(MAIL, list_id="<dev.x.example>", list_unsubscribe=("mailto:u@x",), marks=("list-post: <m>",))),
        ("list", replace(MAIL, list_id="<dev.x.example>")),
        ("automatic", replace(MAIL, auto_submitted="auto-replied")),
        ("automatic", replace(MAIL, auto_submitted="auto-generated (rejected)")),
        ("automatic", replace(MAIL, auto_submitted="auto-replied", precedence="bulk")),
        ("automatic", replace(MAIL, marks=("x-autoreply: yes",))),
        ("automatic", replace(MAIL, precedence="auto_reply")),
        ("automatic", replace(MAIL, subject="Automatic reply: plans", in_reply_to="<1@x.example>")),
        ("automatic", replace(MAIL, subject="Abwesenheitsnotiz: Pläne", return_path="")),
        ("automatic", replace(MAIL, subject="Réponse automatique : plans")),
        ("automatic", replace(MAIL, subject="Re\u0301ponse automatique\xa0: plans")),
        ("automatic", replace(MAIL, subject="Automatic reply: plans")),
        ("automatic", replace(MAIL, subject="自動返信：plans")),
        ("personal", replace(MAIL, subject="Automatic reply to plans?")),
        ("reply", replace(MAIL, subject="Re: Automatic reply: plans")),
        ("automatic", replace(MAIL, return_path="")),
        ("automatic", replace(MAIL, sender=Address("no-reply@shop.example"))),
        ("bounce", replace(MAIL, media_type="multipart/report; report-type=delivery-status")),
        ("bounce", replace(MAIL, reports=(Report("failed", "bob@x.example"),))),
        ("bounce", replace(MAIL, return_path="", subject="Undelivered Mail Returned to Sender")),
        ("bounce", replace(MAIL, sender=Address("mailer-daemon@x.example"), marks=("x-failed-recipients: b@x",))),
        ("report", replace(MAIL, media_type="multipart/report; report-type=disposition-notification")),
        ("report", replace(MAIL, media_type="multipart/report; report-type=feedback-report")),
    ],
)
def test_what_sent_a_mail_counts_before_what_stands_in_it(kind: str, mail: ParsedMail) -> None:
    assert kind_of(mail) == kind
    assert kind in set(MailKind)


def test_a_forward_of_which_nobody_found_the_beginning_is_told_to_be_one() -> None:
    plain = "please pay this by Friday"
    assert kind_of(replace(MAIL, subject="Fwd: Invoice", text=plain, words=plain)) == "personal"
    unclear = "pay\n-------------------\nNork: Ane <ane@x.example>\n\nDo it"
    assert kind_of(replace(MAIL, subject="Fwd: Invoice", text=unclear, words=unclear)) == "forward"
    assert kind_of(replace(MAIL, subject="Invoice", text=unclear, words=unclear)) == "personal"


@pytest.mark.parametrize(
    "mail",
    [
        replace(MAIL, auto_submitted="no"),
        replace(MAIL, subject="Out of office lunch on Friday?"),
        replace(MAIL, subject="Automatic reply to your question"),
        replace(MAIL, subject="Undelivered parcel"),
        replace(MAIL, subject="Returned mail", return_path="anna@x.example"),
        replace(MAIL, marks=("x-loop: anna@x.example",)),
        replace(MAIL, marks=("x-auto-response-suppress: oof",)),
        replace(MAIL, hops=3, return_path="anna@x.example"),
    ],
)
def test_a_person_is_not_taken_for_a_machine_by_words_alone(mail: ParsedMail) -> None:
    assert kind_of(mail) == "personal"


def about(text: str, subject: str = "Hello", **fields: object) -> tuple[tuple[str, ...], Invoice | None]:
    mail = replace(MAIL, subject=subject, text=text, words=text, **fields)
    return topics_of(replace(mail, kind=kind_of(mail)))


INVOICES = {
    "en": (
        "Invoice INV-2025-113 from Acme",
        "Hello,\nplease find it attached.\nSubtotal: 1,000.00 EUR\nTotal: 1,240.00 EUR\nDue date: 15 July 2026",
        Invoice("1,240.00 EUR", "2026-07-15", "INV-2025-113"),
    ),
    "en, in words": (
        "Re: work",
        "Hi,\nI attach my invoice no. 2026-07. It comes to £350.00, payable by 31 July 2026.\nBest, Tom",
        Invoice("£350.00", "2026-07-31", "2026-07"),
    ),
    "en, in a table": ("Your bill", "Amount due\n$84.20\nDue on August 3rd, 2026", Invoice("$84.20", "2026-08-03", "")),
    "de": (
        "Ihre Rechnung",
        "Rechnungsnummer: RE-4711\nNetto 100,00 €\nGesamtbetrag: 119,00 €\nBitte zahlen Sie bis zum 31.07.2026.",
        Invoice("119,00 €", "2026-07-31", "RE-4711"),
    ),
    "de, reminder": (
        "Mahnung",
        "Unsere Rechnung Nr. 10023 über 59,90 EUR war fällig am 1. August 2026.",
        Invoice("59,90 EUR", "2026-08-01", "10023"),
    ),
    "fr": (
        "Votre facture",
        "Facture n° F2026-031\nMontant TTC : 49,90 €\nÉchéance : 05/08/2026",
        Invoice("49,90 €", "2026-08-05", "F2026-031"),
    ),
    "es": (
        "Factura de julio",
        "Número de factura: A-2026/12\nImporte total: 1.234,50 €\nFecha de vencimiento: 03/08/2026",
        Invoice("1.234,50 €", "2026-08-03", "A-2026/12"),
    ),
    "it": (
        "Fattura n. 17/2026",
        "Totale da pagare: € 250,00\nScadenza: 01/09/2026",
        Invoice("€ 250,00", "2026-09-01", "17/2026"),
    ),
}


@pytest.mark.parametrize("language", INVOICES)
def test_an_invoice_is_told_with_its_sum_day_and_number(language: str) -> None:
    subject, text, invoice = INVOICES[language]
    assert about(text, subject) == (("invoice",), invoice)
    forwarded = Forwarded(Address("billing@acme.example"), subject=subject, text=text)
    assert about("", "Fwd: x", forwarded=forwarded) == (("invoice",), invoice)
    assert about("", "Fwd: x", forwarded=replace(forwarded, sender=Address("no-reply@acme.example")))[1] == invoice


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Receipt for your payment", "Invoice INV-1\nAmount paid: $10.00\nThank you for your payment"),
        ("Your invoice 12", "Invoice number 12\nTotal $10.00\nIt has been paid on 1 July 2026."),
        ("Rechnung", "Gutschrift Nr. 12\nBetrag 20,00 EUR\nRechnungsnummer 3"),
        ("Angebot", "Angebot Nr. 12 über 500 EUR, gültig bis zum 31.07.2026. Die Rechnung folgt."),
        ("Votre facture 12", "Facture n° 12\nTotal TTC : 10,00 €\nPaiement reçu, merci"),
        ("Lunch", "The invoice took me ages. Lunch was 5 €."),
        ("Sale", "Save 20 € by 31 July 2026, and pay no bill"),
        ("Invoices", "I have put invoice 12 and 13 into the folder."),
        ("Total", "Total: 30 EUR, due on 3 August 2026"),
        ("Invoice", "The total is $10.00 or maybe $20.00"),
    ],
)
def test_what_nobody_has_to_pay_is_no_invoice(subject: str, text: str) -> None:
    assert about(text, subject)[1] is None


def test_a_due_day_that_leaves_a_doubt_is_left_open() -> None:
    assert about("Invoice no. 7\nTotal $10.00\nDue date: 03/04/2026", "Invoice")[1] == Invoice("$10.00", "", "7")
    assert about("Invoice no. 7\nTotal $10.00\nDue within 14 days", "Invoice")[1] == Invoice("$10.00", "", "7")


@pytest.mark.parametrize(
    "text",
    [
        "Hi,\ncould you send me the plan?\nAnna",
        "Thanks. When do you arrive?",
        "Können Sie mir das Formular schicken?",
        "Kommst du am Freitag?",
        "Pouvez-vous confirmer la date ?",
        "¿Puedes venir el viernes?",
        "Puoi confermare la data?",
        "Kun je vrijdag komen?",
        "Você pode vir na sexta?",
    ],
)
def test_a_question_to_the_reader_is_told(text: str) -> None:
    assert about(text) == (("question",), None)
    assert about("", "Fwd: x", forwarded=Forwarded(Address("bob@x.example"), text=text)) == (("question",), None)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("See https://x.example/?you=1", {}),
        ("> Could you come?\nYes.", {}),
        ("Who knows? It rains.", {}),
        ("Could you come?", {"auto_submitted": "auto-generated"}),
        ("Have you seen our offers?", {"list_unsubscribe": ("https://x.example/u",)}),
        ("Do you know our new shop?", {"sender": Address("noreply@shop.example")}),
        ("", {"forwarded": Forwarded(Address("no-reply@x.example"), text="Do you know our shop?")}),
        ("No question here.", {}),
    ],
)
def test_a_question_of_nobody_or_to_nobody_is_none(text: str, fields: dict[str, object]) -> None:
    assert "question" not in about(text, **fields)[0]


def test_newsletters_and_invites_are_told_of_the_mail_at_issue() -> None:
    assert about("Offers!", list_unsubscribe=("https://x.example/u",)) == (("newsletter",), None)
    inner = Forwarded(Address("news@shop.example"), text="Offers!\nHave you seen them?\n\nUnsubscribe | Imprint")
    assert about("", "Fwd: x", forwarded=inner) == (("newsletter",), None)
    assert about("Please unsubscribe me from your list.") == ((), None)
    assert about("Join us", event=Event("REQUEST", "1")) == (("invite",), None)
    assert about("Off", event=Event("CANCEL", "1")) == ((), None)
    assert about("Your mail did not arrive", reports=(Report("failed", "b@x.example"),)) == ((), None)
    assert {"invoice", "invite", "question", "newsletter"} == set(Topic)
