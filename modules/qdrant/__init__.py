"""The owner's vector search: a Qdrant server."""

from modules.qdrant.module import QdrantModule

MODULE = QdrantModule
