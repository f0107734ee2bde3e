"""The settings that all remote adapters share."""

from typing import Annotated

from pydantic import Field

from modules._accounts.settings import Section

HttpRoot = Annotated[str, Field(pattern=r"^https?://[^?#@\s]+[^/?#@\s]$")]
"""An address without a slash at its end, such as `https://prometheus.home.example`; and without a password, which
belongs into a variable."""


class RemoteSettings(Section):
    """A server that the butler talks to with a key of its own."""

    tls_ca: str = ""
    """A file of certificates, where the server's is signed by nobody that is known."""
    timeout_s: float = Field(default=20.0, gt=0, le=300)
    """How long an answer may take."""
    enabled: bool = True
    """Whether it is in use."""
