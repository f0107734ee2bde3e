"""Settings of the agents: what is remembered, what is looked for in texts, what may be fetched and how it is read."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """Settings never change while the daemon runs, and an unknown key is a typing error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Kept(StrEnum):
    """What is remembered by itself."""

    DOCUMENTS = "documents"
    PAGES = "pages"
    MAILS = "mails"
    CHATS = "chats"
    NOTES = "notes"


MIN_RELEVANCE: Final = 0.7
"""Seed 2's `min_relevance_score`: relevance is calibrated so that from here on a passage answers a question."""


class MemorySettings(Section):
    """`[memory]`."""

    enabled: bool = True
    """Whether anything is remembered for questions."""
    keep: tuple[Kept, ...] = tuple(Kept)
    """What is remembered by itself: `documents`, `pages`, `mails`, `chats`, `notes`."""
    min_relevance: float = Field(default=MIN_RELEVANCE, ge=0, le=1)
    """How well a passage has to fit a question before it is used, from 0 to 1. At 0.7 nineteen of twenty questions
    without an answer are refused."""


class GuardrailsSettings(Section):
    """`[guardrails]`."""

    enabled: bool = True
    """Whether texts are looked at; what must never happen does not rest on it."""
    redact_models: bool = True
    """Whether phone numbers, addresses and the like are replaced before a language model sees them, and put back."""
    redact_logs: bool = True
    """Whether they are left out of the log."""
    known_links: tuple[str, ...] = ()
    """Links that may go out although nobody wrote them before; one without a path, as `https://home.example`, for all
    of its host."""


class CredentialKind(StrEnum):
    """How a server is told who asks."""

    BEARER = "bearer"
    BASIC = "basic"
    HEADER = "header"


class PageCredentials(Section):
    """`[connector.credentials.NAME]`: a login for pages of one server, which nobody else ever gets."""

    origin: str
    """The server, such as `https://wiki.home.example`: `https`, or one of `private_hosts`."""
    secret_env: str = Field(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")
    """The variable that holds the secret: a token, or for `basic` the user's name, a colon and the password."""
    kind: CredentialKind = CredentialKind.BEARER
    """`bearer` and `basic` as HTTP has them; `header` sends the secret as it is in the header that `header` names."""
    header: str = Field(default="", pattern=r"^([A-Za-z][A-Za-z0-9-]{0,60})?$")
    """For the kind `header`: its name, such as `X-Token`."""


CredentialsName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,29}$")]


class ConnectorSettings(Section):
    """`[connector]`."""

    roots: tuple[str, ...] = ()
    """Folders of this machine that may be read on request; nothing outside of them ever is."""
    largest_mb: int = Field(default=50, ge=1)
    """The largest file that is fetched."""
    timeout_s: float = Field(default=30.0, gt=0)
    """Seconds that one fetch may take."""
    most_pages: int = Field(default=20, ge=1)
    """Pages or files of one recursive fetch."""
    depth: int = Field(default=2, ge=1)
    """How many links or folders a recursive fetch goes down."""
    private_hosts: tuple[str, ...] = ()
    """Hosts of your own network that pages may be read from, such as `wiki.home.example` or `nas.home.example:8080`;
    none, when left out."""
    credentials: dict[CredentialsName, PageCredentials] = Field(default_factory=dict[str, PageCredentials])
    """Logins for pages, each by a name of its own."""


class DocumentsSettings(Section):
    """`[documents]`."""

    ocr: bool = True
    """Whether text is read out of scans and pictures."""
    timeout_s: float = Field(default=20.0, gt=0)
    """Seconds of processor that one document may take; a scan takes 3 to 10 for each page."""
    memory_mb: int = Field(default=400, ge=200)
    """Memory that reading one may take."""


class VoiceSettings(Section):
    """`[voice]`."""

    model: str = ""
    """What writes voice messages down: nothing, when left out; `whisper` on this machine, for English and with the
    extra `butler[voice]`; or `openai:NAME`, such as `openai:whisper-1`, or a compatible server."""
    base_url: str = ""
    """Where a compatible server listens; empty means the provider's own."""
    api_key_env: str = "BUTLER_LLM_KEY"
    """The variable that holds the provider's key."""
    longest_s: float = Field(default=300.0, gt=0)
    """The longest recording, in seconds."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Seconds that writing one down may take."""


class ExpertsSettings(Section):
    """`[experts]`."""

    folder: str = ""
    """A folder with experts of your own, relative to the configuration file; one that is called like a shipped expert
    takes its place. Empty: the shipped ones alone."""
