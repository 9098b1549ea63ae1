#!/usr/bin/env bash
# Queries the databases of Go and npm for known vulnerabilities. It fails if one is known, or if a
# database does not answer; --offline allows the latter.
#
#   tests/tools/audit.sh [--offline]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v1.9.0

say() { printf '%s\n' "$*" >&2; }

offline=no failed=0
case ${1:-} in
--offline) offline=yes ;;
"") ;;
*) say "audit: there is no option $1"; exit 2 ;;
esac

# asked NAME COMMAND…: queries a database. It returns 1 for a vulnerability, and 2 for a database
# that could not be reached.
asked() {
  local name=$1 answer status=0
  shift
  answer=$("$@" 2>&1) || status=$?
  if ((status == 0)); then
    say "$name: no vulnerability is known"
  elif grep -qiE 'no such host|dial tcp|i/o timeout|connection refused|fetching vulnerabilities|GOPROXY=off|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|audit endpoint returned an error' <<<"$answer"; then
    printf '%s\n' "$answer" | tail -n 3 >&2
    say "$name: its database could not be reached: $*"
    return 2
  else
    printf '%s\n' "$answer"
    say "$name: see above"
    return 1
  fi
}

audited() {
  local status=0
  asked "$@" || status=$?
  if ((status == 1)) || [[ $status == 2 && $offline == no ]]; then failed=1; fi
}

mkdir -p build/bin
if GOBIN="$PWD/build/bin" go install "$GOVULNCHECK"; then
  audited "govulncheck" build/bin/govulncheck ./... ./cmd/zarr/...
  audited "govulncheck of the wasm" env GOOS=js GOARCH=wasm build/bin/govulncheck -tags=full ./wasm
else
  say "govulncheck could not be installed: $GOVULNCHECK"
  [[ $offline == yes ]] || failed=1
fi
audited "npm, what is published" npm audit --omit=dev
audited "npm, what builds and tests" npm audit
exit $failed
