"""The tools of every module with both identities, as the daemon registers them. Nothing connects."""

from typing import Any

from butler.adapters.catalogue import load_catalogue
from butler.contract.module import ModuleContext
from butler.discovery import build_modules
from butler.registry import Registry
from tests.support.context import make_context

SECTIONS: dict[str, dict[str, Any]] = {
    "telegram": {"bot": {}, "user": {}},
    "email": {"bot": {"imap": "imaps://mail.example", "smtp": "smtps://mail.example"}, "user": {}},
    "calendar": {"user": {}},
    "trello": {"user": {}},
    "livekit": {"bot": {"url": "wss://calls.example"}},
    "r2": {"bot": {"endpoint": "https://s3.example", "bucket": "files"}},
    "postgres": {"bot": {"url_env": "BUTLER_POSTGRES_URL"}},
    "meilisearch": {"bot": {"url": "https://search.example", "index": "notes"}},
    "prometheus": {"bot": {"url": "https://prometheus.example"}},
    "loki": {"bot": {"url": "https://loki.example"}},
    "grafana": {"bot": {"url": "https://grafana.example"}},
    "qdrant": {"bot": {"url": "https://qdrant.example", "text_collections": ["notes"]}},
}


def registered(context: ModuleContext | None = None) -> Registry:
    """A registry of everything; `context` has the fakes that the tools act on."""
    registry = Registry(load_catalogue())
    for module in build_modules(SECTIONS, context or make_context()):
        registry.add_module(module)
    return registry
