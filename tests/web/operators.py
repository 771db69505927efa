"""Operators with keys of their own, as they come to a page: each with a key file."""

from __future__ import annotations

from typing import Final, NamedTuple

import zmq
from playwright.async_api import FilePayload, expect

from controller.formats.orders.epoch_authorization import OrderSigner
from controller.formats.orders.operators import ChannelUser, Role
from tests.web.conftest import Window


class Person(NamedTuple):
    """An operator: a name, roles, and the secret half of a CURVE pair."""

    name: str
    roles: frozenset[Role]
    secret: bytes

    @property
    def signer(self) -> OrderSigner:
        """The key that signs."""
        return OrderSigner(self.secret)

    def file(self) -> FilePayload:
        """The key file as a browser is handed it."""
        return {"name": "own.key", "mimeType": "application/octet-stream", "buffer": self.secret + b"\n"}


def person(name: str, *roles: Role) -> Person:
    """Somebody with a new key."""
    return Person(name, frozenset(roles), zmq.curve_keypair()[1])


OKAFOR: Final = person("M. Okafor", "floor")
REYES: Final = person("J. Reyes", "surveillance")
ITO: Final = person("T. Ito", "technician")
LEE: Final = person("J. Lee", "dealer")
STRANGER: Final = person("X. Nobody", "floor")

SIGNERS: Final = {one.signer.public: ChannelUser(one.roles, one.name) for one in (OKAFOR, REYES, ITO, LEE)}
"""Those whom a table's file of operators names."""


async def choose_key(window: Window, who: Person) -> None:
    """Hand the page a key file."""
    await window.page.locator(".who summary").click()
    await window.page.locator(".who input[type=file]").set_input_files(who.file())


async def sign_in(window: Window, who: Person) -> None:
    """Sign in on the page that is open."""
    await choose_key(window, who)
    await expect(window.page.locator(".who b")).to_have_text(who.name)


async def sign_out(window: Window) -> None:
    """Sign out."""
    await window.page.locator(".who button").click()
    await expect(window.page.locator(".who summary")).to_be_visible()
