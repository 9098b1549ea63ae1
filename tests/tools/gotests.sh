#!/usr/bin/env bash
# Runs the Go tests of one stage, and prints their counts.
#
#   tests/tools/gotests.sh race | plain           each test of all packages, in one of the two
#   tests/tools/gotests.sh wasm | quick           the tests of these stages
#   tests/tools/gotests.sh race | plain PACKAGE   all tests of one package
#   tests/tools/gotests.sh vet_wasm               go vet as the wasm is built
#
# The race detector makes tests five to ten times as slow, and finds nothing where nothing runs at
# once. Packages that start no goroutine and share nothing are tested without it, as are wasm/slim
# and tests/arch, whose texts only name goroutines.
# The list `measuring` names further tests that run without it. They measure large or damaged input,
# repeat a call for each change, or compare one call with a reference. The detector also sees their
# packages when tests of zarr, of the stores and of tests/conformance call them. The command's tests
# mostly start its program, and take seven minutes with the detector. It sees the command's work in
# the tests of zarr and zarr/prepare. The libraries of clouds take minutes to compile with it; it
# sees the store on them with a bucket in memory.
#
# In wasm most packages are the same code on the same 64-bit integers. Only packages that differ
# there always run: by other files, assembly, unsafe memory, or conversions of numbers. With FULL=1,
# as each night, all packages run in wasm. The wasm never links zarr/prepare. FULL=1 also runs all
# rounds of random tests (tests/rounds).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Both modules of go.work: ./... stops where another module begins.
packages=(./... ./cmd/zarr/...)
# Programs have no DWARF tables, which take a third of the linker's time. The stages vet and
# vet_wasm run go vet.
tests=(go test -ldflags=-w -vet=off -timeout 40m -json)
# A program with the detector waits at its end, by default for a second.
export GORACE="atexit_sleep_ms=100 ${GORACE:-}"

# Packages with tests of both kinds, and the names of their tests that run without the detector.
measured='[^/]*/[^/]*/[^/]*/(zarr|store/(filestore|zipstore|refstore|refstore/parquet|icechunk|httpstore)|wasm/internal/(dispatch|offload)|zarr/codec/(zstd|brotli)|zarr/codecs/writing|zarr/convention/(geo|model|ome)|zarr/internal/catalog|zarr/prepare/doctor|tests/conformance)'
measuring=(
  TestLongListsInMetadata TestMigrateIsRepeatedAfterAnyInterruption TestWhatIsAskedForBoundsABody
  TestCopyWritesEachChunkOnce TestCopyReadsChunksFewTimes TestAPartOfAChunkOfAnotherSizeIsAnError
  TestShardsOfServersThatDoNotKnowRanges TestCopyInOtherChunksWithProgress TestTooManyInnerChunksAreNotMade
  TestMoveThatFailsAtAnyChangeKeepsOneWholeTree TestDeleteThatFailsAtAnyChangeCanBeRepeated
  TestStaleConsolidatedMetadataNeverGiveWrongElements # zarr
  TestLongListsTakeFewAnswers TestManyMembers TestMembersThatAreTooLargeAreRefusedBeforeTheyAreInflated # stores
  TestHostileDocuments TestAMillionReferences TestKeysWithoutTheLanguage TestHostileTables TestMutatedTables
  TestHostileLists TestDamagedFiles TestCompressedLocations TestNamedContainers TestCopyFromWritesAllBytesOrNothing
  TestDamage TestExpandWithDictionary TestLevels TestDecode TestFlippedBits TestRandomStreams # codecs
  TestEveryCutIsTruncated TestWrongSize TestAgainstEncoder TestNoAllocations FuzzExpand TestFixturesEncode
  TestFastFramesDecode TestHelpersDecodeTheSame
  TestLargeAttributes TestMutatedAttributes TestRandomHierarchies TestAbsurd # conventions
  TestWhatIsKnownFollowsFromWhatHappened TestPredictionsAreWithinTwoTimesOfMeasuredCosts
  TestFixturesAreWrittenAnew TestFixturesAreCopiedAsBytes TestFixturesAreMigrated # tests/conformance
)
measuring="^($(IFS='|' && echo "${measuring[*]}"))\$"

# divide: prints "raced PACKAGE" where the package or its tests use goroutines, channels or locks,
# and "sequential PACKAGE" for others.
divide() {
  local words='^[[:space:]]*go [a-zA-Z(]|guard\.|"sync|t\.Parallel|"net/http|[^a-z]chan[^a-z]|storetest'
  local list='{{$p := .ImportPath}}{{$d := .Dir}}{{range .GoFiles}}{{$p}} {{$d}}/{{.}}{{"\n"}}{{end}}{{range .TestGoFiles}}{{$p}} {{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$p}} {{$d}}/{{.}}{{"\n"}}{{end}}'
  go list -f "$list" "${packages[@]}" | while read -r package file; do
    [[ -z $package ]] || if [[ $package != */@(cmd/zarr|cmd/zarr/blobstore|tests/arch|wasm/slim) ]] && grep -qE "$words" "$file"; then echo "raced $package"; else echo "sequential $package"; fi
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
  for v in HOME PATH TMPDIR GOPATH GOCACHE GOMODCACHE GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOFLAGS GOTOOLCHAIN FULL; do
    [[ -z ${!v:-} ]] || keep+=("$v=${!v}")
  done
  env -i "${keep[@]}" GOOS=js GOARCH=wasm go "$@"
}
test_wasm() { go_wasm "${tests[@]:1}" -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" "$@"; }

# in_wasm: prints the packages to test there.
in_wasm() {
  local among=(./internal/... ./store/... ./zarr/... ./wasm/...)
  local files='{{.ImportPath}} {{.GoFiles}} {{.SFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}'
  local tested='{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .Imports " "}}{{end}}'
  local differing
  differing=$(comm -13 <(go list -f "$files" "${among[@]}" | sort) <(go_wasm list -f "$files" "${among[@]}" | sort) | cut -d' ' -f1)
  go_wasm list -f "$tested" "${among[@]}" | grep -v /zarr/prepare/ | while read -r package imports; do
    if [[ -n ${FULL:-} || " $imports " == *" unsafe "* || $imports == */internal/kernel* ]] ||
      [[ $package =~ /(wasm/.*|codec/value|convention/cf)$ ]] || grep -qxF "$package" <<<"$differing"; then
      echo "$package"
    fi
  done
}

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
  # Without FULL, tests of large input, whose code is the same, do not run in wasm.
  large='^(TestLongListsInMetadata|TestMigrateIsRepeatedAfterAnyInterruption|TestMoveThatFailsAtAnyChangeKeepsOneWholeTree|TestMembersThatAreTooLargeAreRefusedBeforeTheyAreInflated|TestManyMembers|TestCopyWritesEachChunkOnce|TestCopyInOtherChunksWithProgress|TestDeleteThatFailsAtAnyChangeCanBeRepeated|TestStaleConsolidatedMetadataNeverGiveWrongElements|TestCopyFromWritesAllBytesOrNothing|TestHelpersDecodeTheSame|TestFixturesEncode)$'
  some=()
  [[ -n ${FULL:-} ]] || some=(-skip "$large")
  first() { test_wasm ${some[@]+"${some[@]}"} $(in_wasm); }
  second() { test_wasm -tags=write -run 'Writ' ./store/httpstore; } # what only the build that writes has
  each first second
  ;;
quick)
  slow='/tests/(conformance|chaos/(faulty|killed|replaced)|modules|zarrpython|tools/faults)|/wasm/slim|/store/(zipstore|refstore|icechunk|httpstore)$|/zarr$'
  "${tests[@]}" -short $(go list "${packages[@]}" | grep -vE "$slow")
  ;;
*) echo "gotests.sh: race, plain, wasm, quick or vet_wasm" >&2; exit 2 ;;
esac | node tests/tools/tally.mjs
