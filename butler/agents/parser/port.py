"""The parser as other packages see it: its port and its input (seed 2)."""

from typing import Literal, Protocol

from pydantic import BaseModel, Field, SecretStr

from butler.contract.agents import AgentFailure, ParserOutput

FileType = Literal["pdf", "html", "docx", "pptx", "txt", "xlsx", "csv", "md", "eml", "ics", "image"]


class ParserInput(BaseModel):
    file_path: str = Field(description="Local path or temp URL to the file")
    file_type: FileType
    ingestion_source: Literal["gdrive", "local", "web_scrape", "mail", "chat"]
    force_ocr: bool = False
    password: SecretStr | None = None
    """Used once, never stored."""
    name: str = ""
    """The name of the file at its source."""


class Parser(Protocol):
    """Turns a file into chunks, in a bounded child process."""

    async def parse(self, given: ParserInput) -> ParserOutput | AgentFailure: ...
