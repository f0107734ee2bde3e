"""No module needs itself in a circle: an import inside a function or for types alone counts as well."""

from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGES = ("approvals", "butler", "config", "modules")


def test_no_modules_import_one_another_in_a_circle() -> None:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    order = TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules})
    try:
        order.prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None
