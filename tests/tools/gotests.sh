#!/usr/bin/env bash
# Runs the Go tests of one stage, and prints their counts.
#
#   tests/tools/gotests.sh race | plain           each test of all packages, in one of the two
#   tests/tools/gotests.sh wasm | quick           the tests of these stages
#   tests/tools/gotests.sh race | plain PACKAGE   all tests of one package
#   tests/tools/gotests.sh vet_wasm               go vet as the wasm is built
#
# The race detector makes tests five to ten times as slow, and finds nothing where nothing runs at
# once. Packages that start no goroutine and share nothing are tested without it. Tests that measure
# large or damaged input, or repeat a call for each of its changes, also run without it. The race
# detector also sees those packages when the tests of zarr, of the stores and of tests/conformance
# call them. The command's tests mostly start its program, and take seven minutes with the detector.
# The clouds' libraries take minutes to compile with it; it sees the store on them with a bucket in
# memory.
# It sees the command's work in the tests of zarr and zarr/prepare.
#
# The wasm never links zarr/prepare, so that stage leaves it out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Both modules of go.work: ./... stops where another module begins.
packages=(./... ./cmd/zarr/...)
tests=(go test -timeout 40m -json)

# Packages with tests of both kinds, and the names of their tests that measure.
measured='[^/]*/[^/]*/[^/]*/(zarr|store/zipstore|store/refstore|store/refstore/parquet|store/icechunk|store/httpstore|wasm/internal/dispatch|zarr/codec/zstd|zarr/codec/brotli)'
measuring='^(TestLongListsInMetadata|TestMigrateIsRepeatedAfterAnyInterruption|TestLongListsTakeFewAnswers|TestManyMembers|TestMembersThatAreTooLargeAreRefusedBeforeTheyAreInflated|TestHostileDocuments|TestAMillionReferences|TestKeysWithoutTheLanguage|TestHostileTables|TestMutatedTables|TestHostileLists|TestDamagedFiles|TestDamage|TestExpandWithDictionary|TestLevels|TestDecode|TestFlippedBits)$'

# divide: prints "raced PACKAGE" where the package or its tests use goroutines, channels or locks,
# and "sequential PACKAGE" for others.
divide() {
  local words='^[[:space:]]*go [a-zA-Z(]|guard\.|"sync|t\.Parallel|"net/http|[^a-z]chan[^a-z]|storetest'
  local list='{{$p := .ImportPath}}{{$d := .Dir}}{{range .GoFiles}}{{$p}} {{$d}}/{{.}}{{"\n"}}{{end}}{{range .TestGoFiles}}{{$p}} {{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$p}} {{$d}}/{{.}}{{"\n"}}{{end}}'
  go list -f "$list" "${packages[@]}" | while read -r package file; do
    [[ -z $package ]] || if [[ $package != */cmd/zarr && $package != */cmd/zarr/blobstore ]] && grep -qE "$words" "$file"; then echo "raced $package"; else echo "sequential $package"; fi
  done | sort -u | awk '$1 == "raced" {raced[$2] = 1; print} $1 == "sequential" && !($2 in raced)'
}

race() { # without a C compiler there is no race detector
  if [[ $(go env CGO_ENABLED) == 1 ]] && command -v "$(go env CC)" >/dev/null; then
    "${tests[@]}" -race "$@"
  else
    "${tests[@]}" "$@"
  fi
}

# The wasm runtime takes few variables: only those that matter are handed on.
go_wasm() {
  local keep=() v
  for v in HOME PATH TMPDIR GOPATH GOCACHE GOMODCACHE GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOFLAGS GOTOOLCHAIN; do
    [[ -z ${!v:-} ]] || keep+=("$v=${!v}")
  done
  env -i "${keep[@]}" GOOS=js GOARCH=wasm go "$@"
}
test_wasm() { go_wasm test -timeout 40m -json -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" "$@"; }

stage=${1:-}
if (($# > 1)); then
  some=() rest=()
  if grep -qxE "$measured" <<<"$2"; then some=(-run "$measuring") rest=(-skip "$measuring"); fi
  case $stage in
  race) race -count=1 ${rest[@]+"${rest[@]}"} "$2" ;;
  plain) "${tests[@]}" -count=1 ${some[@]+"${some[@]}"} "$2" ;;
  *) exit 2 ;;
  esac | node tests/tools/tally.mjs
  exit
fi

case $stage in
vet_wasm)
  go_wasm vet ./internal/... ./store/... ./zarr/... ./wasm/... ./tests/bench/...
  go_wasm vet -tags=write ./store/... ./wasm/...
  exit
  ;;
race | plain)
  divisions=$(divide)
  both=$(sed -n 's/^raced //p' <<<"$divisions" | grep -xE "$measured")
  raced=$(sed -n 's/^raced //p' <<<"$divisions" | grep -vxE "$measured")
  sequential=$(sed -n 's/^sequential //p' <<<"$divisions")
  ;;
esac

# one after the other, also when the first fails
each() {
  local status=0
  "$1" || status=1
  "$2" || status=1
  return $status
}
# shellcheck disable=SC2046,SC2086
case $stage in
race)
  first() { race $raced; }
  second() { race -skip "$measuring" $both; }
  each first second
  ;;
plain)
  first() { "${tests[@]}" $sequential; }
  second() { "${tests[@]}" -run "$measuring" $both; }
  each first second
  ;;
wasm)
  first() { test_wasm $(go_wasm list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./internal/... ./store/... ./zarr/... ./wasm/... | grep -v /zarr/prepare/); }
  second() { test_wasm -tags=write -run 'Writ' ./store/httpstore; } # what only the build that writes has
  each first second
  ;;
quick)
  slow='/tests/(conformance|chaos/(faulty|killed|replaced)|modules|zarrpython|tools/faults)|/wasm/slim|/store/(zipstore|refstore|icechunk|httpstore)$|/zarr$'
  "${tests[@]}" -short $(go list "${packages[@]}" | grep -vE "$slow")
  ;;
*) echo "gotests.sh: race, plain, wasm, quick or vet_wasm" >&2; exit 2 ;;
esac | node tests/tools/tally.mjs
