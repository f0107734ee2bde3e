"""What Loki publishes of its HTTP API."""

from pathlib import Path

from tests.adapters.servers.openapi import OpenApi

LOKI = OpenApi.load(Path(__file__).with_name("loki-openapi.json"))
