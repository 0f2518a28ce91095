#!/bin/sh
# Installs Belfry from this archive: install.sh [--prefix DIR]; the default is /usr/local. Nothing outside DIR is
# changed, and DIR/lib/belfry/uninstall.sh removes the installed files.
set -eu
# Services and other users must be able to run the installed files, regardless of the caller's umask.
umask 022
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
prefix=/usr/local
while [ $# -gt 0 ]; do
  case "$1" in
  --prefix)
    [ $# -ge 2 ] || { echo "belfry: missing value for --prefix: expected a folder" >&2; exit 2; }
    prefix="$2"
    shift
    ;;
  --prefix=*) prefix="${1#--prefix=}" ;;
  --help)
    sed -n '2,3s/^# //p' "$0"
    exit 0
    ;;
  *)
    echo "belfry: unknown option '$1': expected --prefix DIR" >&2
    exit 2
    ;;
  esac
  shift
done
case "$prefix" in
/*) ;;
*) prefix="$(pwd)/$prefix" ;;
esac
case "$prefix" in
*[!A-Za-z0-9/._+-]*)
  echo "belfry: invalid value '$prefix' for --prefix: expected a path of letters, digits, and ._+-" >&2
  exit 2
  ;;
esac

lacking=$(ldd "$here/bin/belfry" 2>&1 | grep 'not found' || true)
if [ -n "$lacking" ]; then
  echo "belfry: missing libraries; install them first:" >&2
  echo "$lacking" >&2
  exit 1
fi
for helper in "$here"/libexec/belfry/*; do
  if ldd "$helper" 2>&1 | grep -q 'not found'; then
    echo "belfry: not installing $(basename "$helper"), which needs these libraries; install them and run this script again:" >&2
    ldd "$helper" 2>&1 | grep 'not found' >&2
  fi
done

list="$prefix/lib/belfry/installed-files"
mkdir -p "$prefix/lib/belfry"
: >"$list.new"
put() {
  mkdir -p "$(dirname "$prefix/$2")"
  # Create a new file rather than changing the existing file's bytes, so that a running program continues to run.
  cp "$1" "$prefix/$2.new"
  chmod "$3" "$prefix/$2.new"
  mv -f "$prefix/$2.new" "$prefix/$2"
  echo "$2" >>"$list.new"
}
cd "$here"
find bin libexec share -type f | while read -r file; do
  case "$file" in
  libexec/*)
    if ldd "$file" 2>&1 | grep -q 'not found'; then continue; fi
    put "$file" "$file" 755
    ;;
  bin/*) put "$file" "$file" 755 ;;
  *) put "$file" "$file" 644 ;;
  esac
done
for file in units/*; do
  case "$file" in
  units/user/*) continue ;;
  *.service) target="lib/systemd/system/$(basename "$file")" ;;
  *.conf) target="lib/sysusers.d/$(basename "$file")" ;;
  *) continue ;;
  esac
  sed "s#/usr/bin/#$prefix/bin/#g; s#/etc/belfry#$prefix/etc/belfry#g; s#/etc/default#$prefix/etc/default#g" "$file" >"$list.unit"
  put "$list.unit" "$target" 644
done
for file in units/user/*; do
  sed "s#/usr/bin/#$prefix/bin/#g" "$file" >"$list.unit"
  put "$list.unit" "share/systemd/user/$(basename "$file")" 644
done
rm -f "$list.unit"
# Keep the files that an operator has changed.
for file in belfry/gateway.yaml default/belfry-provider; do
  sed "s#/etc/belfry#$prefix/etc/belfry#g" "etc/$file" >"$list.etc"
  if [ -e "$prefix/etc/$file" ] && ! cmp -s "$list.etc" "$prefix/etc/$file"; then
    put "$list.etc" "etc/$file.dist" 644
  else
    put "$list.etc" "etc/$file" 644
  fi
done
rm -f "$list.etc"
put uninstall.sh lib/belfry/uninstall.sh 755
# Remove the files of an earlier release that this release no longer contains.
if [ -e "$list" ]; then
  sort "$list.new" >"$list.sorted"
  sort "$list" | comm -23 - "$list.sorted" | while read -r file; do
    case "$file" in etc/*) ;; *) rm -f "$prefix/$file" ;; esac
  done
  rm -f "$list.sorted"
fi
mv "$list.new" "$list"
(cd "$prefix" && grep '^etc/' "$list" | xargs sha256sum >lib/belfry/installed-sums)
echo "installed in $prefix; to uninstall, run $prefix/lib/belfry/uninstall.sh"
if [ "$(id -u)" -eq 0 ] && [ "$prefix" = /usr/local ] && command -v systemctl >/dev/null; then
  echo "to run the gateway as a service: systemd-sysusers && systemctl daemon-reload && systemctl enable --now belfry-gateway"
fi
