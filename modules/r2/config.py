"""`[modules.r2.bot]`: one bucket, at Cloudflare R2 or at any server that speaks S3."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from modules._accounts.settings import Section
from modules._remote.settings import HttpRoot, RemoteSettings

LONGEST_LINK_MINUTES = 7 * 24 * 60
"""The longest that S3 signs a link for."""


class R2Settings(RemoteSettings):
    """A bucket, and the key to it."""

    provider: Literal["cloudflare_r2"] = "cloudflare_r2"
    """`cloudflare_r2`, for any server that speaks S3."""
    account_id: Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$")] = ""
    """Your account at Cloudflare, as its dashboard shows it; needed unless there is an `endpoint`."""
    endpoint: HttpRoot | Literal[""] = ""
    """The server's address, where it is not Cloudflare's for your account."""
    bucket: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    """The bucket; the butler makes none."""
    access_key_env: str = "BUTLER_R2_ACCESS_KEY"
    """The variable that holds the access key's id."""
    secret_key_env: str = "BUTLER_R2_SECRET_KEY"  # noqa: S105 - a variable's name
    """The variable that holds the access key's secret."""
    region: str = "auto"
    """The region that requests are signed for; `auto` at Cloudflare."""
    largest_mb: int = Field(default=512, ge=1, le=5_000)
    """The largest file that is put there or fetched; of a larger one there is a link."""
    link_minutes: int = Field(default=60, ge=1, le=LONGEST_LINK_MINUTES)
    """How long a link holds, where nothing else is asked for."""

    @model_validator(mode="after")
    def _has_a_server(self) -> Self:
        if bool(self.account_id) == bool(self.endpoint):
            raise ValueError("set account_id, or endpoint for another server, and not both")
        return self

    @property
    def url(self) -> str:
        """Return the server's address."""
        return self.endpoint or f"https://{self.account_id}.r2.cloudflarestorage.com"

    @property
    def most_bytes(self) -> int:
        """Return the size of the largest file, in bytes."""
        return self.largest_mb * 1024 * 1024


class R2ModuleSettings(Section):
    """`[modules.r2]`."""

    bot: R2Settings | None = None
