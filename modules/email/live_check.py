"""A line of `butler doctor` from one call of an integration."""

from butler.contract.base_integration import BaseIntegration
from butler.contract.module import CheckResult


async def live_check(name: str, integration: BaseIntegration, method_id: str, todo: str) -> CheckResult:
    """Return whether the call works, and its result in words; `todo` says what to do if it does not."""
    result = await integration.request("doctor", method_id)
    if result.error is not None:
        return CheckResult(name, ok=False, detail=result.error.message, todo=todo)
    data = result.data or {}
    return CheckResult(name, ok=True, detail=str(data.get("detail") or f"signed in as {data.get('address')}"))
