"""Calls on a LiveKit server of the person's."""

from modules.livekit.module import LiveKitModule

MODULE = LiveKitModule
