"""`[modules.prometheus.bot]`: the owner's Prometheus, and its named signals."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from butler.contract.tables import table
from modules._accounts.settings import Section
from modules._remote.http_auth import HttpAuthSettings
from modules._remote.settings import HttpRoot

LONGEST_QUERY = 4_000
SignalName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")]


class Signal(Section):
    """A query with a name, so that the butler can be asked for it in words."""

    name: SignalName
    """What it is called by, such as `cpu`."""
    query: str = Field(min_length=1, max_length=LONGEST_QUERY)
    """PromQL; each series that it gives is one thing that is measured."""
    title: str = Field(default="", max_length=100)
    """What stands above its chart; the name, when left out."""
    unit: str = Field(default="", max_length=20)
    """`ratio` (0 to 1), `percent`, `bytes`, `bytes/s`, `seconds`, or any other, such as `1/s`."""
    high: float | None = None
    """From this value on it is unusual; nothing is, when left out."""


NODE_EXPORTER = tuple(Signal.model_validate(one) for one in table("modules.prometheus", "signals")["signal"])
"""Server metrics of node_exporter, and request metrics of most web programs."""


class PrometheusSettings(HttpAuthSettings):
    """A Prometheus, or a server that answers as one (Mimir, Thanos, VictoriaMetrics)."""

    provider: Literal["prometheus"] = "prometheus"
    """`prometheus`."""
    url: HttpRoot
    """Its address, without a slash at the end, such as `https://prometheus.home.example`."""
    default_signals: bool = True
    """Whether the signals of node_exporter are there: cpu, memory, disk, disk_io, load, network, down, errors."""
    signal: tuple[Signal, ...] = ()
    """Further signals; one that is called like a default one stands in its place."""

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [signal.name for signal in self.signal]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise ValueError(f"two signals are called {twice}; give one of them another name")
        return self

    def signals(self) -> dict[str, Signal]:
        """Return all signals by name."""
        every = (*NODE_EXPORTER, *self.signal) if self.default_signals else self.signal
        return {signal.name: signal for signal in every}


class PrometheusModuleSettings(Section):
    """`[modules.prometheus]`."""

    bot: PrometheusSettings | None = None
