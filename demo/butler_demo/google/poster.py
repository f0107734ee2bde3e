"""Posts what the stand-ins push: notices of channels, one after another, with the headers that Google sends."""

import asyncio
import contextlib
from dataclasses import dataclass, field

import aiohttp

from butler_demo.google.channels import Push

LONGEST_ANSWER_S = 30.0


@dataclass
class Poster:
    """`reach` says where public addresses lead, since nothing here asks a name server."""

    reach: dict[str, str] = field(default_factory=dict[str, str])
    answers: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """What was posted (a channel's id and state, or a message's id) and the status that it was answered with."""
    _queue: "asyncio.Queue[tuple[str, str, dict[str, str], bytes]]" = field(default_factory=asyncio.Queue)
    _task: "asyncio.Task[None] | None" = None

    def start(self) -> None:
        """Post from now on."""
        self._task = self._task or asyncio.create_task(self._run(), name="google_poster")

    async def stop(self) -> None:
        """Post no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def notice(self, push: Push) -> None:
        """Queue a channel's notice; meets `on_push`."""
        headers = {
            "X-Goog-Channel-ID": push.channel_id,
            "X-Goog-Resource-ID": push.resource_id,
            "X-Goog-Resource-State": push.state,
            "X-Goog-Message-Number": str(push.number),
        }
        headers |= {"X-Goog-Channel-Token": push.token} if push.token else {}
        self.post(f"{push.channel_id}:{push.state}", push.address, headers, b"")

    def post(self, name: str, url: str, headers: dict[str, str], body: bytes) -> None:
        """Queue a request."""
        self._queue.put_nowait((name, url, headers, body))

    async def done(self) -> None:
        """Wait until all that is queued was answered."""
        await self._queue.join()

    async def _run(self) -> None:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=LONGEST_ANSWER_S)) as session:
            while True:
                name, url, headers, body = await self._queue.get()
                status = 0
                public = next((one for one in self.reach if url.startswith(one)), None)
                with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
                    if public is not None:
                        to = self.reach[public] + url[len(public) :]
                        async with session.post(to, headers=headers, data=body) as answer:
                            status = answer.status
                self.answers.append((name, status))
                self._queue.task_done()
