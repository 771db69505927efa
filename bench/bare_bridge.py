"""A bridge with nothing between its port and its broker: what a table's way of a card cannot be shorter than.

    python -m bench.bare_bridge PORT BROKER_PORT TOPIC

pyserial reads the port, aiomqtt publishes each token as it ends, and nothing is decoded, decided or kept.
"""

from __future__ import annotations

import asyncio
import sys

import aiomqtt
import serial

TOKEN_ENDS = b">"


async def run(path: str, broker_port: int, topic: str) -> None:
    """Publish each token of a port, for ever."""
    tokens: asyncio.Queue[bytes] = asyncio.Queue()
    read = bytearray()
    with serial.Serial(path, 115200, timeout=0) as port:

        def readable() -> None:
            read.extend(port.read(4096))
            while TOKEN_ENDS in read:
                token, _, rest = bytes(read).partition(TOKEN_ENDS)
                read[:] = rest
                tokens.put_nowait(token + TOKEN_ENDS)

        async with aiomqtt.Client("127.0.0.1", broker_port) as client:
            asyncio.get_running_loop().add_reader(port.fileno(), readable)
            while True:
                await client.publish(topic, await tokens.get(), qos=1)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
