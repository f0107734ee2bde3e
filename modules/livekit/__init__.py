"""Calls on the owner's LiveKit server."""

from modules.livekit.module import LiveKitModule

MODULE = LiveKitModule
