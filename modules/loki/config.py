"""`[modules.loki.bot]`: the owner's Loki, and its named logs."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from modules._accounts.settings import Section
from modules._remote.http_auth import HttpAuthSettings
from modules._remote.settings import HttpRoot

LONGEST_QUERY = 4_000
SignalName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")]
LogQuery = Annotated[str, Field(min_length=2, max_length=LONGEST_QUERY, pattern=r"^\s*\{")]


class Signal(Section):
    """A log query with a name, so that the butler can be asked for it in words."""

    name: SignalName
    """What it is called by, such as `errors`."""
    query: LogQuery
    """LogQL that gives lines, such as `{unit="backup.service"} |= "rsync"`; words come behind it."""
    title: str = Field(default="", max_length=100)
    """What it is, in words; the name, when left out."""


class LokiSettings(HttpAuthSettings):
    """A Loki."""

    provider: Literal["loki"] = "loki"
    """`loki`."""
    url: HttpRoot
    """Its address, without a slash at the end, such as `https://loki.home.example`."""
    tenant: str = Field(default="", max_length=150)
    """Whose logs they are, where one Loki keeps several people's (`X-Scope-OrgID`); empty where it does not."""
    selector: LogQuery = '{job=~".+"}'
    """The streams that words are looked for in where nothing else is said; a label that all your streams have."""
    signal: tuple[Signal, ...] = ()
    """Further signals; without one called `errors`, that one is made of the selector."""

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [signal.name for signal in self.signal]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise ValueError(f"two signals are called {twice}; give one of them another name")
        return self

    def signals(self) -> dict[str, Signal]:
        """Return all signals by name."""
        errors = Signal(name="errors", title="Errors and warnings", query=f"{self.selector} |~ `{_TROUBLE}`")
        return {signal.name: signal for signal in (errors, *self.signal)}


_TROUBLE = r"(?i)\b(error|warn(ing)?|fail(ed|ure)?|fatal|panic|timed out|out of memory)\b"


class LokiModuleSettings(Section):
    """`[modules.loki]`."""

    bot: LokiSettings | None = None
