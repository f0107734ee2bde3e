"""The owner's full-text search: a Meilisearch server."""

from modules.meilisearch.module import MeilisearchModule

MODULE = MeilisearchModule
