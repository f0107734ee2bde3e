"""`[modules.livekit.bot]`: a LiveKit server, on which the butler opens rooms for calls."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from modules._accounts.settings import Section
from modules._remote.settings import RemoteSettings

LONGEST_LINK_MINUTES = 24 * 60
JOIN_URL = "https://meet.livekit.io/custom?liveKitUrl={url}&token={token}"


def _has_token(value: str) -> str:
    if "{token}" not in value:
        raise ValueError("write {token} where the token belongs, and {url} where the server's address does")
    return value


class LiveKitSettings(RemoteSettings):
    """A server, and the pages on which people join its rooms."""

    provider: Literal["livekit"] = "livekit"
    """`livekit`."""
    url: Annotated[str, Field(pattern=r"^(wss?|https?)://[^?#\s]+$")]
    """The server's address, such as `wss://calls.home.example`."""
    key_env: str = "BUTLER_LIVEKIT_KEY"
    """The variable that holds the API key."""
    secret_env: str = "BUTLER_LIVEKIT_SECRET"  # noqa: S105 - a variable's name
    """The variable that holds the API secret."""
    join_url: Annotated[str, Field(pattern=r"^https?://\S+$"), AfterValidator(_has_token)] = JOIN_URL
    """The page that a link opens; `{url}` stands for the server's address in it, and `{token}` for the token."""
    link_minutes: int = Field(default=120, ge=1, le=LONGEST_LINK_MINUTES)
    """How long a link lets somebody in, where nothing else is asked for."""
    empty_minutes: int = Field(default=120, ge=1, le=LONGEST_LINK_MINUTES)
    """How long a room waits for somebody to come."""
    max_participants: int = Field(default=10, ge=2, le=100)
    """How many people a room takes."""


class LiveKitModuleSettings(Section):
    """`[modules.livekit]`."""

    bot: LiveKitSettings | None = None
