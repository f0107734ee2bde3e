"""The owner's Loki."""

from modules.loki.module import LokiModule

MODULE = LokiModule
