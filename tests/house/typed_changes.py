"""A plugin of mypy's by which each change of a record is checked, field for field and type for type.

msgspec declares ``replace(record, **changes: Any)``, and what changes a table's state in its place takes the same; mypy
would believe any name and any value. It knows the fields of a record as it knows a dataclass's: they are the signature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import mypy.types  # noqa: F401 - mypy's own modules can be imported in this order alone
from mypy.checker import TypeChecker
from mypy.nodes import TypeInfo
from mypy.plugin import FunctionSigContext, MethodSigContext, Plugin
from mypy.plugins.dataclasses import _INTERNAL_REPLACE_SYM_NAME, replace_function_sig_callback
from mypy.types import CallableType, FunctionLike

REPLACE: Final = "msgspec.structs.replace"
STATE: Final = "controller.core.table.state"
ROUND: Final = "controller.core.table.round_state"

CHANGERS: Final[Mapping[str, str]] = {
    "controller.core.table.transaction.Transaction.change": f"{STATE}.State",
    "controller.core.table.transaction.Transaction.change_round": f"{ROUND}.Round",
    "controller.core.table.transaction.Transaction.change_bets": f"{ROUND}.RoundBets",
    "controller.core.table.transaction.Transaction.change_shared": f"{ROUND}.SharedChips",
    "controller.core.table.transaction.Transaction.change_cards": f"{ROUND}.RoundCards",
    "controller.core.table.transaction.Transaction.change_evidence": f"{ROUND}.RoundEvidence",
    "controller.core.table.transaction.Transaction.change_questions": f"{ROUND}.RoundQuestions",
    "controller.core.table.transaction.Transaction.change_ending": f"{ROUND}.RoundEnding",
    "controller.core.certainty.deal_confirmation.change_deal": f"{ROUND}.DealProgress",
}
"""What changes a record in its place takes the fields of that record."""


class TypedChanges(Plugin):
    """Gives what changes a record the signature of its fields."""

    def get_function_signature_hook(self, fullname: str) -> Callable[[FunctionSigContext], FunctionLike] | None:
        if fullname == REPLACE:
            return replace_function_sig_callback
        if fullname in CHANGERS:
            return lambda ctx: _with_fields(ctx, CHANGERS[fullname])
        return None

    def get_method_signature_hook(self, fullname: str) -> Callable[[MethodSigContext], FunctionLike] | None:
        if fullname in CHANGERS:
            return lambda ctx: _with_fields(ctx, CHANGERS[fullname])
        return None


def _with_fields(ctx: FunctionSigContext | MethodSigContext, record: str) -> CallableType:
    """The signature of a call whose last argument is any of the record's fields by name."""
    assert isinstance(ctx.api, TypeChecker)
    module, _, name = record.rpartition(".")
    found = ctx.api.modules[module].names[name].node
    assert isinstance(found, TypeInfo)
    method = found.get_method(_INTERNAL_REPLACE_SYM_NAME)
    assert method is not None
    assert isinstance(method.type, CallableType)
    given, fields = ctx.default_signature, method.type
    return given.copy_modified(
        arg_names=[*given.arg_names[:-1], *fields.arg_names],
        arg_kinds=[*given.arg_kinds[:-1], *fields.arg_kinds],
        arg_types=[*given.arg_types[:-1], *fields.arg_types],
    )


def plugin(version: str) -> type[Plugin]:
    """The entry point that mypy asks for."""
    del version
    return TypedChanges
