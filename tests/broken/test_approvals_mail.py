"""By mail, nothing but the owner's plain answer on the first line of their own words counts as one."""

import pytest

from approvals.email_fallback_answer import MailAnswer, answer_in
from modules.email.parsing.html import html_to_text

CODE = "ABCD-EFGH"
YES, NO = MailAnswer("yes", "ABCDEFGH"), MailAnswer("no", "ABCDEFGH")


@pytest.mark.parametrize(
    "text",
    [
        f"yes {CODE}{' ' * 190}no wait, do not",
        f"| yes {CODE}",
        f"» yes {CODE}",
        f"\uff1e yes {CODE}",
        f"\u2014 yes {CODE}",
        f"~~yes {CODE}~~",
        f"yes {CODE}?",
        f"yes? {CODE}",
        f"yes {CODE}\nno {CODE}",
        f"no {CODE}\nyes {CODE}",
        f"yes {CODE}\n\nbut at nine",
        f"yes {CODE}\nBut only if he has paid",
        f"yes {CODE}\nno, never do that",
        f"yes {CODE}\n\u2026 don\u2019t!",
        f"I am on holiday until Monday.\n\nyes {CODE}",
        f"\u3000> yes {CODE}",
    ],
)
def test_what_is_quoted_asked_or_taken_back_is_no_answer(text: str) -> None:
    assert answer_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        f"ja {CODE} aber nur an Anna",
        f"ja {CODE}\nbitte nur an Anna",
        f"ja {CODE}\nSchick es aber erst morgen",
        f"Ja {CODE}\n\nVorausgesetzt, er zahlt",
        f"ja {CODE}\nunter der Bedingung, dass er zahlt",
        f"oui {CODE}\ns'il te plaît, seulement à Anna",
        f"sí {CODE}\ncon tal de que pague",
        f"yes {CODE}\nplease only to Anna",
        f"yes {CODE}\nPlease don\u2019t tell Bob",
    ],
)
def test_a_yes_on_a_condition_is_no_yes_in_any_language(text: str) -> None:
    assert answer_in(text) is None


@pytest.mark.parametrize(
    "below",
    ["Viele Grüße\nRobin", "Am 5. März 2027 schrieb Butler:\n> aber nur mit Ja", "> only with a yes", "Danke!"],
)
def test_a_greeting_or_a_quotation_below_a_yes_takes_nothing_from_it(below: str) -> None:
    assert answer_in(f"Ja {CODE}\n\n{below}") == YES


@pytest.mark.parametrize(
    "html",
    [
        f"<blockquote>yes {CODE}</blockquote><p>Please never do that.</p>",
        f"<div class='gmail_quote'><blockquote type='cite'><div>yes {CODE}</div></blockquote></div>",
        f"<blockquote><blockquote>yes<br>yes {CODE}</blockquote></blockquote>",
        f"<div style='display:none'>yes {CODE}</div>Please never do that.",
    ],
)
def test_what_an_html_mail_quotes_or_hides_is_no_answer(html: str) -> None:
    assert answer_in(html_to_text(html)) is None


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (f"<p>yes {CODE}</p><p>--<br>Robin</p><blockquote>no {CODE}</blockquote>", YES),
        (
            f"<div>No&nbsp;<b>abcd</b>-efgh</div><div>Jeeves wrote:</div><blockquote>yes {CODE}</blockquote>",
            NO,
        ),
        (f"<p>no {CODE}</p><p>Never send him money!</p>", NO),
        (f"<div>“yes” {CODE}</div>-----Original Message-----<br>From: Jeeves<br>yes {CODE}<br>no {CODE}", YES),
    ],
)
def test_an_answer_in_an_html_mail_is_one(html: str, said: MailAnswer) -> None:
    assert answer_in(html_to_text(html)) == said


def test_a_quotation_in_an_html_mail_is_marked_as_in_a_plain_one() -> None:
    html = "Hello<blockquote>One<br>two<blockquote>three</blockquote>four</blockquote>bye"
    assert html_to_text(html) == "Hello\n> One\n> two\n> > three\n> four\nbye"
