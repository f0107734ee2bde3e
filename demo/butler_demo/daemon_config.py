"""Writes the configuration and the secrets with which the unchanged daemon lives in the demo's world."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butler_demo.clock import local_zone
from butler_demo.loki import nuc as nuc_logs
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.people import ANNA, BOB, BUTLER_ADDRESS, BUTLER_NAME, CAROL, OWNER, Person
from butler_demo.prometheus import nuc
from butler_demo.world import AUTHSERV_ID, World

WORK_ADDRESS = "robin@work.example"
"""The person's mailbox over IMAP and SMTP; whoever wants it adds it to the mail server."""
_CONTACTS = (ANNA, BOB, CAROL)
_API_ID = 17349
_DRIVE_SCOPE = "https://www.googleapis.com/auth/drive.readonly"


@dataclass(frozen=True, slots=True)
class DaemonOptions:
    """What a caller may want otherwise than the demo has it."""

    undo_window: str = "4s"
    mail_poll_interval: str = "10s"
    llm_model: str = "embedded"
    llm_base_url: str = ""
    llm_key: str = ""
    llm_requests: int = 500
    llm_limit_s: float = 60.0
    """The seconds that an answer of the model, and all of a turn's together, may take."""
    """Requests that a model may get in a day."""
    gmail: bool = True
    """The person's mailbox at Gmail."""
    gmail_units: int = 6_000
    """What it may use of Gmail's quota in a minute."""
    work: bool = False
    """Their mailbox over IMAP and SMTP, on the world's mail server: a further account, or the only one."""
    watch: bool = True
    """Whether calendar, files and boards are looked at again and again."""
    watch_interval: str = "60s"
    more_toml: str = ""
    """Further tables, written at the end as they are."""


def write_config(world: World, options: DaemonOptions) -> Path:
    """Write `butler.toml`, `secrets.env` (0600) and the data centre's key into the world's folder; the first's path."""
    folder = world.folder
    key_file = folder / "data-centre.pem"
    key_file.write_text(world.centre.public_key_pem, encoding="ascii")
    secrets_file = folder / "secrets.env"
    secrets_file.touch(mode=0o600)
    lines = [f"{name}={value}\n" for name, value in _secrets(world, options).items()]
    secrets_file.write_text("".join(lines), encoding="utf-8")
    config = folder / "butler.toml"
    config.write_text(_toml(world, options, key_file), encoding="utf-8")
    return config


def _secrets(world: World, options: DaemonOptions) -> dict[str, str]:
    boards = world.trello.credentials(OWNER.username)
    work = {"USER_EMAIL_ADDRESS_WORK": WORK_ADDRESS, "USER_EMAIL_PASSWORD_WORK": world.mail_password}
    return {
        "BUTLER_TELEGRAM_TOKEN": world.bot_token,
        "USER_TELEGRAM_SESSION": world.centre.session_string(_id_of(OWNER)),
        "USER_TELEGRAM_API_HASH": "0123456789abcdef" * 2,
        "BUTLER_EMAIL_ADDRESS": BUTLER_ADDRESS,
        "BUTLER_EMAIL_PASSWORD": world.mail_password,
        "USER_EMAIL_OAUTH_JSON": world.gmail.credentials_json(OWNER.email),
        "USER_DRIVE_OAUTH_JSON": world.drive.credentials_json(OWNER.email, [_DRIVE_SCOPE]),
        "USER_CALENDAR_OAUTH_JSON": world.calendar.credentials_json(OWNER.email),
        "USER_TRELLO_KEY": boards.key,
        "USER_TRELLO_TOKEN": boards.token,
        "BUTLER_LIVEKIT_KEY": world.livekit.api_key,
        "BUTLER_LIVEKIT_SECRET": world.livekit.api_secret,
        "BUTLER_LLM_KEY": options.llm_key,
        **(work if options.work else {}),
    }


def _toml(world: World, options: DaemonOptions, key_file: Path) -> str:
    contacts = "".join(_contact(person) for person in _CONTACTS)
    return f"""[butler]
name = {_quoted(BUTLER_NAME)}
timezone = {_quoted(local_zone())}
data_dir = "data"

[owner]
telegram_user_id = {_id_of(OWNER)}
emails = [{_quoted(OWNER.email)}]

[llm]
model = {_quoted(options.llm_model)}
base_url = {_quoted(options.llm_base_url)}
daily_request_limit = {options.llm_requests}
timeout_s = {options.llm_limit_s}
turn_time_limit_s = {max(180.0, options.llm_limit_s)}

[web]
port = 0

[approvals]
undo_window = {_quoted(options.undo_window)}
quiet_hours = ""

[modules.telegram.bot]
api_base_url = {_quoted(world.bot_api.url)}
token_env = "BUTLER_TELEGRAM_TOKEN"

[modules.telegram.user]
credentials_env = "USER_TELEGRAM_SESSION"
api_id = {_API_ID}
api_hash_env = "USER_TELEGRAM_API_HASH"
dc = {_quoted(_data_centre(world.centre, key_file))}

[modules.email.bot]
address_env = "BUTLER_EMAIL_ADDRESS"
password_env = "BUTLER_EMAIL_PASSWORD"
imap = {_quoted(world.mail.imaps_url)}
smtp = {_quoted(world.mail.smtp_starttls_url)}
tls_ca = {_quoted(world.mail.ca_file)}
authserv_id = {_quoted(AUTHSERV_ID)}
poll_interval = {_quoted(options.mail_poll_interval)}

{_persons_mailboxes(world, options)}
[modules.drive.user]
credentials_env = "USER_DRIVE_OAUTH_JSON"
api_root = {_quoted(world.drive.url)}
{_watching(options)}

[modules.calendar.user]
credentials_env = "USER_CALENDAR_OAUTH_JSON"
api_root = {_quoted(world.calendar.url)}
{_watching(options)}

[modules.trello.user]
api_root = {_quoted(world.trello.url)}
{_watching(options)}

{_own_servers(world)}
{contacts}
{options.more_toml}"""


def _watching(options: DaemonOptions) -> str:
    return f"watch = {str(options.watch).lower()}\npoll_interval = {_quoted(options.watch_interval)}"


def _own_servers(world: World) -> str:
    """The server that the person runs at home, as it is measured and as it logs, and the one for calls."""
    return f"""[modules.livekit.bot]
url = {_quoted(world.livekit.url)}
join_url = {_quoted(world.livekit.join_url)}

[modules.prometheus.bot]
url = {_quoted(world.prometheus.url)}
default_signals = false
{_signals("prometheus", nuc.SIGNALS)}
[modules.loki.bot]
url = {_quoted(world.loki.url)}
{_signals("loki", nuc_logs.SIGNALS)}"""


def _signals(channel: str, signals: Iterable[Mapping[str, Any]]) -> str:
    tables = (
        f"\n[[modules.{channel}.bot.signal]]\n"
        + "".join(f"{name} = {_quoted(value) if isinstance(value, str) else value}\n" for name, value in one.items())
        for one in signals
    )
    return "".join(tables)


def _persons_mailboxes(world: World, options: DaemonOptions) -> str:
    gmail = f"""[modules.email.user]
credentials_env = "USER_EMAIL_OAUTH_JSON"
api_root = {_quoted(world.gmail.url)}
units_per_minute = {options.gmail_units}
"""
    work = f"""[modules.email.user{".accounts.work" if options.gmail else ""}]
provider = "smtp_imap"
address_env = "USER_EMAIL_ADDRESS_WORK"
password_env = "USER_EMAIL_PASSWORD_WORK"
imap = {_quoted(world.mail.imaps_url)}
smtp = {_quoted(world.mail.smtp_starttls_url)}
tls_ca = {_quoted(world.mail.ca_file)}
poll_interval = {_quoted(options.mail_poll_interval)}
"""
    return "\n".join([gmail] * options.gmail + [work] * options.work)


def _data_centre(centre: DataCentre, key_file: Path) -> str:
    return f"{centre.dc_id} {centre.host}:{centre.port} {key_file}"


def _contact(person: Person) -> str:
    lines = [f"\n[[contacts]]\nname = {_quoted(person.name)}\n"]
    if person.username:
        lines.append(f"telegram = {_quoted('@' + person.username)}\n")
    if person.email:
        lines.append(f"email = {_quoted(person.email)}\n")
    return "".join(lines)


def _quoted(text: str) -> str:
    """A TOML basic string; JSON's escapes are among TOML's."""
    return json.dumps(text)


def _id_of(person: Person) -> int:
    assert person.telegram_id is not None, f"{person.name} is not on Telegram"
    return person.telegram_id
