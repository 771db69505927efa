# Sourced: finds a Python to build or run with, and makes virtual environments of it. PYTHON names another interpreter.
# It also says which extras a release has.

fits() {
  "$1" -c 'import sys; raise SystemExit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null
}

find_python() {
  for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
    if fits "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  echo "no Python 3.11, 3.12 or 3.13 here. On Debian 12: apt-get install python3 python3-venv" >&2
  return 1
}

# An environment in $2 made by $1 with pip in it; the rest are options of venv.
# Debian ships venv without ensurepip: the command then fails and leaves half an environment behind.
make_venv() {
  maker=$1 made=$2
  shift 2
  "$maker" -m venv --clear "$@" "$made" >/dev/null 2>&1 || {
    rm -rf "$made"
    return 1
  }
}

# The extras whose libraries the release in $1 has, as its own program lists them; nothing where there is no release.
extras_of() {
  [ ! -x "$1/bin/python" ] || "$1/bin/python" -I - <<'END' || true
import re
from importlib import metadata

NOT_FOR_A_TABLE = {"demo", "test", "mutation"}
there = {re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower() for one in metadata.distributions()}
wants = {}
for line in metadata.requires("tableside") or ():
    if found := re.fullmatch(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"].*", line):
        wants.setdefault(found[2], set()).add(re.sub(r"[-_.]+", "-", found[1]).lower())
print(*sorted(name for name, libraries in wants.items() if name not in NOT_FOR_A_TABLE and libraries <= there))
END
}
