"""Descriptions of the tools: `what can Trello do?`, `is Grafana reachable?`."""

from modules.tools.module import ToolsModule

MODULE = ToolsModule
