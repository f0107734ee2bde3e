"""Which tools ask the owner as the policy is set, whatever their arguments: for those who plan, not for deciding."""

from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.tools import ToolMetadata, ToolSpec
from config.approvals import Approval, ApprovalsSettings, BotOutputs


def usually_asks(spec: ToolSpec, metadata: ToolMetadata, settings: ApprovalsSettings) -> bool:
    """Return whether a call of this tool asks the owner. Arguments of others' may make any other one ask as well."""
    wanted = settings.approval_for(spec.tool_name)
    if spec.direction is Direction.INPUT:
        return metadata.sensitive_read or wanted is Approval.ALWAYS
    if spec.identity is Identity.USER:
        return True
    if spec.to_owner:
        return False
    if settings.bot_outputs is BotOutputs.ASK:
        return True
    return wanted is Approval.ALWAYS or (wanted is None and spec.approval_default is not ApprovalDefault.NONE)
