"""Forwards and replies that come as HTML alone are told as those in plain text are."""

import pytest

from modules.email.parsing.html import html_to_text
from modules.email.parsing.parsed import Address
from modules.email.parsing.words import Split, split

FROM = 'Anna Muster &lt;<a href="mailto:anna@x.example">anna@x.example</a>&gt;'
FORWARDS = {
    "gmail": (
        '<div dir="ltr">Pay this.<br><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f"---------- Forwarded message ---------<br>Von: <strong>{FROM}</strong><br>"
        "Date: Mi., 29. Okt. 2025 um 09:31 Uhr<br>Subject: Invoice 12<br>To: &lt;me@home.example&gt;<br></div><br><br>"
        '<div dir="ltr">Hello<br></div></div></div>'
    ),
    "outlook": (
        '<div class="WordSection1"><p class="MsoNormal">Pay this.</p><p class="MsoNormal">&nbsp;</p>'
        '<div style="border-top:solid #E1E1E1 1.0pt"><p><b>From:</b> Anna Muster &lt;anna@x.example&gt; <br>'
        "<b>Sent:</b> Wednesday, October 29, 2025 9:31 AM<br><b>To:</b> me@home.example<br>"
        '<b>Subject:</b> Invoice 12</p></div><p class="MsoNormal">&nbsp;</p><p class="MsoNormal">Hello</p></div>'
    ),
    "outlook web": (
        '<div>Pay this.</div><hr style="width:98%"><div id="divRplyFwdMsg"><font>'
        "<b>De :</b> Anna Muster &lt;anna@x.example&gt;<br><b>Envoyé :</b> mercredi 29 octobre 2025 09:31<br>"
        "<b>À :</b> me@home.example &lt;me@home.example&gt;<br><b>Objet :</b> Invoice 12</font><div>&nbsp;</div></div>"
        "<div>Hello</div>"
    ),
    "apple mail": (
        'Pay this.<br><div><br><blockquote type="cite"><div>Begin forwarded message:</div><br>'
        f"<div><span><b>From: </b></span><span>{FROM}<br></span></div>"
        "<div><span><b>Subject: </b></span><span><b>Invoice 12</b><br></span></div>"
        "<div><b>Date: </b>29 October 2025 at 09:31:00 CET<br></div><div><b>To: </b>me@home.example<br></div><br>"
        "<div>Hello</div></blockquote></div>"
    ),
    "thunderbird": (
        '<p>Pay this.</p><div class="moz-forward-container"><br>-------- Forwarded Message --------<table><tbody>'
        "<tr><th>Subject: </th><td>Invoice 12</td></tr><tr><th>Date: </th><td>Wed, 29 Oct 2025 09:31:00 +0100</td></tr>"
        f"<tr><th>From: </th><td>{FROM}</td></tr><tr><th>To: </th><td>me@home.example</td></tr></tbody></table><br>"
        "Hello</div>"
    ),
    "yahoo": (
        '<div>Pay this.<br></div><div class="yahoo_quoted"><div><div>    ----- Forwarded Message -----    </div>'
        f"<div><b>From:</b> {FROM}</div><div><b>To:</b> me@home.example</div>"
        "<div><b>Sent:</b> Wednesday, October 29, 2025, 09:31:00 AM GMT+1</div><div><b>Subject:</b> Invoice 12</div>"
        "<div><br></div><div>Hello</div></div></div>"
    ),
    "gmx": (
        '<div>Pay this.</div><div name="quote" style="border-left:2px solid #C3D9E5"><div>'
        "<b>Gesendet:</b>&nbsp;Mittwoch, 29. Oktober 2025 um 09:31 Uhr<br/>"
        '<b>Von:</b>&nbsp;"Anna Muster" &lt;anna@x.example&gt;<br/><b>An:</b>&nbsp;me@home.example<br/>'
        "<b>Betreff:</b>&nbsp;Invoice 12</div><div>Hello</div></div>"
    ),
}


@pytest.mark.parametrize("program", FORWARDS)
def test_the_html_of_a_forward_is_told(program: str) -> None:
    found = split("Fwd: Invoice 12", html_to_text(FORWARDS[program]))
    assert found.words == "Pay this."
    assert found.forwarded is not None
    assert found.forwarded.sender == Address("anna@x.example", "Anna Muster")
    assert found.forwarded.subject == "Invoice 12"
    assert found.forwarded.text == "Hello"
    assert "29" in found.forwarded.date


def test_the_html_of_a_reply_is_told() -> None:
    html = (
        '<div dir="ltr">Yes.</div><br><div class="gmail_quote"><div dir="ltr">On Wed, Oct 29, 2025 at '
        f'9:31 AM {FROM} wrote:<br></div><blockquote class="gmail_quote">Hello<br>Send it</blockquote></div>'
    )
    assert split("Re: a", html_to_text(html)) == Split("Yes.", quotes=True)
