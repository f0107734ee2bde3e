"""How a card shows texts and addresses: by the contract's filter, which all other texts go through as well."""

from butler.contract.visible import mark, scripts, visible, visible_address, visible_line

__all__ = ["mark", "scripts", "visible", "visible_address", "visible_line"]
