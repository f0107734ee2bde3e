"""The person's Prometheus."""

from modules.prometheus.module import PrometheusModule

MODULE = PrometheusModule
