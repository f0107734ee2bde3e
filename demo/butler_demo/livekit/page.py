"""The page that a link of the demo opens: which room it is, who one is there, and until when the link holds."""

from html import escape

from aiohttp import web

from butler_demo.livekit.errors import STATUS, TwirpError
from butler_demo.livekit.tokens import Token

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
  body {{ font: 1.1rem/1.5 system-ui, sans-serif; margin: 12vh auto; max-width: 26rem; padding: 0 1rem }}
  dt {{ color: #666; font-size: .85rem }}
  dd {{ margin: 0 0 .8rem }}
</style>
<h1>{title}</h1>
{content}
</html>
"""


def joined(room: str, token: Token, people: dict[str, str], *, again: bool) -> web.Response:
    """What somebody sees who came in."""
    came = "You are here already; the other window has lost its place." if again else "You are in the call."
    facts = (
        ("Room", room),
        ("You are", f"{token.name} ({token.identity})"),
        ("In the room", ", ".join(people.values())),
        ("The link holds until", f"{token.expires_at:%Y-%m-%d %H:%M} UTC"),
    )
    lines = "".join(f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in facts)
    return _html(200, f"<p>{came}</p>\n<dl>{lines}</dl>", "A call")


def turned_away(error: TwirpError) -> web.Response:
    """What somebody sees whose link is of no use."""
    return _html(STATUS[error.code], f"<p>{escape(error.message.capitalize())}.</p>", "You cannot join")


def _html(status: int, content: str, title: str) -> web.Response:
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return web.Response(
        status=status,
        text=_PAGE.format(title=title, content=content),
        content_type="text/html",
        headers={"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"},
    )
