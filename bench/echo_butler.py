"""The daemon as it is, with a planner that says the words back: `python -m bench.echo_butler CONFIG`."""

import asyncio
import sys
from pathlib import Path

from butler.daemon import serve
from butler.logs import Redactor, setup
from butler.orchestrator.planning.plan_types import PlannerInput, PlannerOutput, Unclear


class EchoPlanner:
    """Meets `Planner`."""

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        return Unclear(request.words.value)


def main() -> None:
    redactor = Redactor()
    setup(redactor)
    asyncio.run(serve(Path(sys.argv[1]), planner=EchoPlanner(), redactor=redactor))


if __name__ == "__main__":
    main()
