"""Feed every decoder ten million bytes of rubbish and count what goes wrong.

    python -m bench.fuzz [--bytes 10000000] [--seed 1] [--only shoe/reference]

Ends with status 1 if a decoder raised, held more than its limit, or still held something after a silence.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from tests.firmware_protocols.fuzzing import decoders, fuzz


def main() -> int:
    parser = argparse.ArgumentParser(description="Feed every decoder rubbish.")
    parser.add_argument("--bytes", type=int, default=10_000_000, help="for each decoder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="kind/vendor")
    wanted = parser.parse_args()
    print("| decoder | end | bytes | messages | of these faults | exceptions | most held | limit | bytes a second |")
    print("|---|---|---|---|---|---|---|---|---|")
    bad = 0
    for kind, vendor, role in decoders():
        if wanted.only not in ("", f"{kind}/{vendor}"):
            continue
        begun_s = time.perf_counter()
        outcome = fuzz(kind, vendor, role, wanted.bytes, random.Random(f"{wanted.seed}/{kind}/{vendor}/{role.value}"))
        rate = round(outcome.fed / (time.perf_counter() - begun_s), -3)
        print(
            f"| {kind}/{vendor} | {role.value} | {outcome.fed:,} | {outcome.messages:,} | {outcome.faults:,} "
            f"| {len(outcome.raised)} | {outcome.most_held:,} | {outcome.limit:,} | {rate:,.0f} |",
            flush=True,
        )
        bad += bool(outcome.raised) or outcome.most_held > outcome.limit or outcome.left_held > 0
    return min(1, bad)


if __name__ == "__main__":
    sys.exit(main())
