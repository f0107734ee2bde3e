"""Web pages, read when the owner names one."""

from modules.web.module import WebModule

MODULE = WebModule
