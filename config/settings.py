"""The core settings: everything but `[modules.*]`, which each module checks against its own model."""

from ipaddress import ip_network
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from config.agenda import AgendaSettings
from config.agents import (
    ConnectorSettings,
    DocumentsSettings,
    ExpertsSettings,
    GuardrailsSettings,
    MemorySettings,
    Section,
    VoiceSettings,
)
from config.approvals import ApprovalsSettings
from config.bulk import BulkSettings
from config.digests import DigestsSettings
from config.health import HealthSettings
from config.keeping import BackupSettings, RetentionSettings
from config.language import OwnerLanguage
from config.places import is_at_home


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name!r} is no IANA time zone, such as Europe/London") from error
    return name


def _network(said: str) -> str:
    try:
        ip_network(said, strict=False)
    except ValueError as error:
        raise ValueError(f"{said!r} is no address or network, such as 127.0.0.1 or 10.0.0.0/8") from error
    return said


_TOOLS, _TOOLS_AT_HOME = 15, 8


class ButlerSettings(Section):
    """`[butler]`."""

    name: str = "Butler"
    """What your butler is called, and the sender's name on its mails."""
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"
    """Your IANA time zone, such as `Europe/London`; every time you say or read is one of it."""
    language: OwnerLanguage = OwnerLanguage.ENGLISH
    """The language that you are spoken to in, on cards and everywhere else: `en`, `de`, `fr` or `es`. What you say in
    the chat, such as “answer in German”, goes before it; requests are understood in each of them."""
    data_dir: str = "data"
    """Where Butler keeps its rows and files; relative to the configuration file."""
    secrets_file: str = "secrets.env"
    """Lines of NAME=value, readable by its owner only; the environment wins over it."""
    key_file: str = "butler.key"
    """The key of the credentials that `butler login` seals: outside of data_dir, relative to the configuration file.
    Made when it is first needed; the variable BUTLER_KEY wins over it."""


class OwnerSettings(Section):
    """`[owner]`."""

    telegram_user_id: int | None = None
    """Set by pairing; a value here wins."""
    emails: tuple[str, ...] = ()
    """Your own mail addresses, so that the butler knows whose mail it gets."""


class StoreSettings(Section):
    """`[store]`."""

    url: str = "sqlite:///butler.db"
    """`sqlite:///FILE` (relative to data_dir) or `postgresql://USER@HOST/NAME`."""


class LlmSettings(Section):
    """`[llm]`."""

    model: str = "embedded"
    """`embedded` needs no account; else `anthropic:NAME`, `openai:NAME`, `openai-chat:NAME`, `google:NAME`,
    `ollama:NAME`."""
    base_url: str = ""
    """Where a compatible server listens; empty means the provider's own."""
    api_key_env: str = "BUTLER_LLM_KEY"
    """The variable that holds the provider's key."""
    fallbacks: tuple[str, ...] = ()
    """Models that are asked in this order where the first one cannot answer, such as `ollama:NAME`, or
    `openai-chat:NAME@URL` for a server of its own; `embedded`, as the last one, is the planner without a model. One of
    another provider takes its key from BUTLER_LLM_KEY_<PROVIDER>. Who answers instead is told."""
    context: int = Field(default=16_384, ge=2_048)
    """Tokens of a request and its answer together that Ollama keeps room for; longer ones are refused, not cut. Other
    servers have it in their own settings."""
    thinking: Literal["auto", "off", "low", "medium", "high"] = "auto"
    """How long a model that can think does so before it answers. `auto` is off for Ollama, and what the provider does
    by itself for others; a model that cannot be told is not."""
    tools: int = Field(default=0, ge=0, le=60)
    """How many tools go into one request; 0 is 15, or 8 for a model at home, which gets lost in more."""
    timeout_s: float = Field(default=60.0, gt=0)
    """Seconds that one answer may take."""
    turn_time_limit_s: float = Field(default=180.0, gt=0)
    """Seconds that thinking about one request may take, all rounds together."""
    turn_cost_limit: float = Field(default=0.25, ge=0)
    """US dollars that one request may cost, where the price of the model is known."""
    turn_rounds: int = Field(default=4, ge=1, le=20)
    """Plans that may be made for one request, each with what the one before has found."""
    daily_cost_limit: float = Field(default=1.0, ge=0)
    """US dollars a day, where the price of the model is known; a day is one of `[butler] timezone`."""
    monthly_cost_limit: float = Field(default=10.0, ge=0)
    """US dollars a month, likewise; you are told once when four fifths of it are used."""
    daily_request_limit: int = Field(default=500, ge=1)
    """Requests a day, corrections of a wrong answer included."""
    daily_token_limit: int = Field(default=2_000_000, ge=1)
    """Tokens a day, of requests and answers together."""

    @property
    def at_home(self) -> bool:
        """Whether the model runs on the owner's machine or network, as far as its name and address tell."""
        provider = self.model.partition(":")[0]
        if provider == "ollama" and not self.base_url:
            return True
        return provider in {"ollama", "openai-chat"} and is_at_home(urlsplit(self.base_url).hostname or "")

    @property
    def most_tools(self) -> int:
        """How many tools go into one request."""
        return self.tools or (_TOOLS_AT_HOME if self.at_home else _TOOLS)


class WebSettings(Section):
    """`[web]`."""

    host: str = "127.0.0.1"
    """The address that `/healthz`, `/metrics` and `/hooks` listen on; this machine only, when left out."""
    port: int = Field(default=8024, ge=0, le=65535)
    """The port; 0 takes a free one."""
    public_url: Annotated[str, Field(pattern=r"^(https?://[^\s/?#]+(/[^\s?#]*)?)?$")] = ""
    """Where webhooks reach this port from outside, such as `https://butler.home.example`; without it there are none
    that have to be registered with their sender."""
    proxies: tuple[Annotated[str, AfterValidator(_network)], ...] = ()
    """Addresses or networks of proxies of your own, whose word on the sender's address is believed."""
    proxy_header: Literal["x-forwarded", "forwarded"] = "x-forwarded"
    """Where they say it: `x-forwarded` for `X-Forwarded-For` and `X-Forwarded-Proto`, or `forwarded` for `Forwarded`.
    The other one is the sender's own word, and not looked at."""
    hosts: tuple[str, ...] = ()
    """Names by which `/healthz` and `/metrics` may be asked for besides addresses, `localhost`, `host` and the name in
    `public_url`, such as `butler` in a network of containers. Any other is refused: a web page could be behind it."""
    enabled: bool = True
    """Whether to listen at all."""


class ContactSettings(Section):
    """`[[contacts]]`: people the owner writes to; a name written here is confirmed."""

    name: str
    """What you call this person in a request."""
    telegram: str = ""
    """`@name` or the numeric id."""
    email: str = ""
    """The person's mail address."""


class AutomationSettings(Section):
    """`[[automations]]`: what is done by itself; docs/how-to/automate.md tells what stands in each."""

    name: str
    """What it is called; no two in a file have one name."""
    when: dict[str, Any] | None = None
    """`event`, and `where`: conditions on its facts, which all have to hold."""
    clock: dict[str, Any] | None = None
    """Times instead of an event, such as `{ every = "day", at = ["08:00"] }`."""
    hours: dict[str, Any] | None = None
    """`begins` and `ends`: only what happens between these times of the day."""
    do: tuple[dict[str, Any], ...]
    """What is done: `tell`, `request` or `call`, one or several."""
    per_hour: int = 20
    """More often in an hour stops it, and you are told."""
    per_day: int = 100
    """The same of a day."""


class Settings(Section):
    """The whole of butler.toml."""

    butler: ButlerSettings = ButlerSettings()
    owner: OwnerSettings = OwnerSettings()
    store: StoreSettings = StoreSettings()
    llm: LlmSettings = LlmSettings()
    web: WebSettings = WebSettings()
    agenda: AgendaSettings = AgendaSettings()
    health: HealthSettings = HealthSettings()
    approvals: ApprovalsSettings = ApprovalsSettings()
    bulk: BulkSettings = BulkSettings()
    digests: DigestsSettings = DigestsSettings()
    memory: MemorySettings = MemorySettings()
    retention: RetentionSettings = RetentionSettings()
    backup: BackupSettings = BackupSettings()
    guardrails: GuardrailsSettings = GuardrailsSettings()
    connector: ConnectorSettings = ConnectorSettings()
    documents: DocumentsSettings = DocumentsSettings()
    voice: VoiceSettings = VoiceSettings()
    experts: ExpertsSettings = ExpertsSettings()
    contacts: tuple[ContactSettings, ...] = ()
    automations: tuple[AutomationSettings, ...] = ()
    modules: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    """Left unparsed here."""
