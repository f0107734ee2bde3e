"""The stand-in as a process of its own: `python -m butler_demo.botapi --port N`, steered through `/ctl/`.

Prints one line, `listening on <url> steered by <secret>`, and runs until SIGTERM or SIGINT.
"""

import argparse
import asyncio
import signal
import sys

from .server import BotApiServer


async def serve(port: int, *, validate: bool) -> None:
    server = BotApiServer(validate=validate)
    await server.start(port=port)
    sys.stdout.write(f"listening on {server.url} steered by {server.control_secret}\n")
    sys.stdout.flush()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
    await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m butler_demo.botapi", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--no-validate", action="store_true", help="skip the checks against the description")
    options = parser.parse_args()
    asyncio.run(serve(options.port, validate=not options.no_validate))


if __name__ == "__main__":
    main()
