"""The fixtures of housekeeping's tests: the store's."""

from tests.services.plugin import postgres
from tests.store.fixtures import lasting_store, lasting_url, store, url

__all__ = ["lasting_store", "lasting_url", "postgres", "store", "url"]
