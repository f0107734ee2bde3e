"""`[modules.grafana.bot]`: a Grafana that the butler reads with a token of its own."""

from typing import Literal

from modules._accounts.settings import Section
from modules._remote.settings import HttpRoot, RemoteSettings


class GrafanaSettings(RemoteSettings):
    """One Grafana."""

    provider: Literal["grafana"] = "grafana"
    """`grafana`."""
    url: HttpRoot
    """Its address, as you open it in the browser, without a slash at its end."""
    token_env: str = "BUTLER_GRAFANA_TOKEN"  # noqa: S105 - a variable's name
    """The variable that holds the token of a service account with the role Viewer."""
    render: bool = True
    """Whether Grafana's own pictures are asked for, where its image renderer is there; else the butler draws."""


class GrafanaModuleSettings(Section):
    """`[modules.grafana]`."""

    bot: GrafanaSettings | None = None
