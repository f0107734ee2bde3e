"""The dashboards of the person's Grafana."""

from modules.grafana.module import GrafanaModule

MODULE = GrafanaModule
