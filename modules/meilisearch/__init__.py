"""The person's own full-text search: a Meilisearch server."""

from modules.meilisearch.module import MeilisearchModule

MODULE = MeilisearchModule
