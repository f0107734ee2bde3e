"""`[modules.hooks.bot]`: endpoints for webhooks of any sender, their authentication, and the resulting events."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from modules._accounts.settings import Section
from modules.hooks.template import PATH, template


def _template(text: str) -> str:
    template(text)
    return text


def _path(text: str) -> str:
    if text and not PATH.fullmatch(text):
        raise ValueError(f"{text!r} names no place; write such as event.id")
    return text


def _signed(text: str) -> str:
    if text and (text.count("{body}") != 1 or text.count("{timestamp}") > 1):
        raise ValueError("write {body} where the body stands, and {timestamp} where the time does")
    return text


HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,60}$")]


class Endpoint(Section):
    """`[[modules.hooks.bot.endpoint]]`: one address, `/hooks/NAME`."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40)]
    """The last part of its address, such as `doorbell`."""
    secret_env: Annotated[str, Field(min_length=1)]
    """The variable that holds the secret which its sender shares; nothing is let through without it."""
    header: HeaderName = "X-Signature"
    """The header that proves it."""
    algorithm: Literal["sha256", "sha1", "sha512", "plain"] = "sha256"
    """How: an HMAC over the body; `plain` where the header holds the secret itself."""
    encoding: Literal["hex", "base64"] = "hex"
    """How the HMAC is written."""
    prefix: str = Field(default="", max_length=40)
    """What stands before it in the header, such as `sha256=` or `Bearer `."""
    timestamp_header: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{0,60}$")] = ""
    """The header with the time of sending, in seconds since 1970, where it is signed, too."""
    fields: bool = False
    """Whether `header` holds fields such as `t=1700000000,v1=…`, as Stripe's does: the time, and the HMAC."""
    signed: Annotated[str, AfterValidator(_signed)] = ""
    """What is signed, such as `v0:{timestamp}:{body}`; when left out, `{timestamp}.{body}` where there is a time, else
    `{body}`."""
    tolerance_s: int = Field(default=300, ge=1, le=86_400)
    """Seconds that the time of sending may be away from ours."""
    id: Annotated[str, AfterValidator(_path)] = ""
    """Where in the body the delivery's id stands, such as `event.id`, by which one that is sent twice is known."""
    id_header: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{0,60}$")] = ""
    """The header with that id, such as `X-GitHub-Delivery`. Without any, the same body within an hour is the same."""
    template: Annotated[str, Field(max_length=1_000), AfterValidator(_template)] = ""
    """What is made of it, such as `{repository.name}: {action}`; the whole of it, when left out."""
    tell: bool = False
    """Whether you are told, besides what automations make of it."""
    largest: int = Field(default=262_144, ge=1, le=5_000_000)
    """Bytes of a body."""
    per_minute: int = Field(default=60, ge=1, le=6_000)
    """Requests of one address in a minute."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.algorithm == "plain" and (self.timestamp_header or self.fields or self.signed):
            raise ValueError("a plain secret signs nothing; leave out timestamp_header, fields and signed")
        if self.fields and (self.timestamp_header or self.prefix):
            raise ValueError("fields have their own time and names; leave out timestamp_header and prefix")
        if "{timestamp}" in self.signed and not (self.timestamp_header or self.fields):
            raise ValueError("say in which timestamp_header the time stands that is signed")
        if self.signed and "{timestamp}" not in self.signed and (self.timestamp_header or self.fields):
            raise ValueError("a time that is not signed proves nothing; put {timestamp} into signed")
        if self.id and self.id_header:
            raise ValueError("give id or id_header, not both")
        return self


class HooksBotSettings(Section):
    """The endpoints."""

    endpoint: tuple[Endpoint, ...] = ()
    """Any number of `[[modules.hooks.bot.endpoint]]`."""
    enabled: bool = True
    """Whether they are there."""

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [one.name for one in self.endpoint]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise ValueError(f"two endpoints are called {twice}; give one of them another name")
        return self


class HooksModuleSettings(Section):
    """`[modules.hooks]`."""

    bot: HooksBotSettings | None = None
