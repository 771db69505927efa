# Sourced: finds a Python to build or run with, and makes virtual environments of it. PYTHON names another interpreter.

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
