"""The dashboards of the owner's Grafana."""

from modules.grafana.module import GrafanaModule

MODULE = GrafanaModule
