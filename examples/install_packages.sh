#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what packages.txt lists and the machine lacks. Where nothing is missing, apt is not called.
# Exit code: 0 all there, 3 a package cannot be had.
set -eu
list=$(dirname "$0")/packages.txt
wanted=$(grep -v -e '^#' -e '^$' "$list")

# Names of the wanted packages that are not installed, one a line.
missing_packages() {
  # dpkg-query fails when it does not know a name; the names that it prints are what counts.
  # shellcheck disable=SC2086 # a word for each name
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
    sed -n 's/ installed$//p') || true
  for package in $wanted; do
    printf '%s\n' "$installed" | grep -q -x -F -e "$package" || printf '%s\n' "$package"
  done
}

# As root, by sudo where we are not.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    echo "error: packages are missing, and neither root nor sudo is at hand to install them:" >&2
    echo "  $missing" >&2
    echo "  fix : as root, apt-get install --no-install-recommends the packages above" >&2
    exit 3
  fi
}

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "error: this script installs Debian packages, and dpkg-query is not here" >&2
  echo "  fix : install the equivalents of $list yourself, and skip this step" >&2
  exit 3
fi

missing=$(missing_packages | tr '\n' ' ')
if [ -z "$missing" ]; then
  echo "packages: all installed"
  exit 0
fi

echo "packages: installing $missing"
as_root apt-get update -q
unknown=
for package in $missing; do
  apt-cache show "$package" >/dev/null 2>&1 || unknown="$unknown $package"
done
if [ -n "$unknown" ]; then
  echo "error: the package sources of this machine do not have:$unknown" >&2
  echo "  why : Debian 12 itself stops at an older LLVM; version 22 needs a source of its own" >&2
  echo "  fix : add a source with LLVM 22 for this Debian (the LLVM project offers one, as do" >&2
  echo "        mirrors of it) to /etc/apt/sources.list.d, then run this again" >&2
  exit 3
fi
# shellcheck disable=SC2086 # a word for each name
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
still=$(missing_packages | tr '\n' ' ')
if [ -n "$still" ]; then
  echo "error: apt-get ended well, yet these are not installed: $still" >&2
  echo "  fix : look at apt-get's lines above" >&2
  exit 3
fi
