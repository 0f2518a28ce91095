#!/bin/sh
# Removes the files that install.sh installed, and the folders that are then empty. Changed configuration files and all
# data are kept.
set -eu
prefix=$(CDPATH='' cd "$(dirname "$0")/../.." && pwd)
list="$prefix/lib/belfry/installed-files"
[ -e "$list" ] || { echo "belfry: $list is missing: remove the files manually" >&2; exit 1; }
folders=$(mktemp)
trap 'rm -f "$folders"' EXIT
while read -r file; do
  case "$file" in
  etc/*)
    # The checksum of the installed file is stored with it.
    if ! (cd "$prefix" && grep -F "  $file" lib/belfry/installed-sums | sha256sum --quiet -c - >/dev/null 2>&1); then
      echo "kept because it was changed: $prefix/$file"
      continue
    fi
    ;;
  esac
  rm -f "$prefix/$file"
  folder=$(dirname "$file")
  while [ "$folder" != . ]; do
    echo "$folder"
    folder=$(dirname "$folder")
  done >>"$folders"
done <"$list"
rm -f "$list" "$prefix/lib/belfry/installed-sums"
sort -ru "$folders" | while read -r folder; do rmdir "$prefix/$folder" 2>/dev/null || true; done
rmdir "$prefix" 2>/dev/null || true
