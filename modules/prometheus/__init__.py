"""The owner's Prometheus."""

from modules.prometheus.module import PrometheusModule

MODULE = PrometheusModule
