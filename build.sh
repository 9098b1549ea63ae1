#!/usr/bin/env bash
# The one entry: ./build.sh help
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
LDFLAGS="-buildid= -X main.version=$VERSION"
MODULE=$(sed -n 's/^module //p' go.mod)
# Inlining pays in the loops that touch data, and only makes the rest larger.
GCFLAGS=("-gcflags=$MODULE/...=-l" "-gcflags=$MODULE/zarr/codec/...=" "-gcflags=$MODULE/zarr/ndarray=" "-gcflags=$MODULE/internal/kernel/...=")

say() { printf '%s\n' "$*" >&2; }
die() { say "build.sh: $*"; exit 1; }

usage() {
  cat <<'TEXT'
usage: ./build.sh COMMAND

  setup          install what building and testing needs: npm packages, Chromium
  build          dist/ (the package with its wasm) and build/demo (the viewer)
  wasm NAME FILE the wasm alone, "zarr" or "zarr-full", into a file
  demo [DIR]     build, then serve the viewer, with a folder's data, on a local port (PORT, default 8080)
  test [STAGE…]  every test, or only the stages named
  bench [NAME]   the benchmarks; without a name, lists them
  fuzz [SECONDS [PATTERN]]
                 each fuzz target (of a package and name that match) natively, 60 s
                 or as said, then all that it found worth keeping through the wasm's loops
  damage [N [SEED]]
                 read fixtures of which one object each is damaged at random, 20000 of them
                 with the seed 1 when not said otherwise
  size           what the wasm and the JavaScript weigh, and why
  docs           the pages of the npm package's API, into build/docs
  notices        write THIRD_PARTY_NOTICES again
  clean          remove what was built

CHROMIUM names the browser's executable where it is not found by itself.
TEXT
}

# ---- tools ----------------------------------------------------------------------

need_go() {
  command -v go >/dev/null || die "Go 1.26 or newer is needed: https://go.dev/dl/"
  local v
  v=$(go env GOVERSION) || die "Go 1.26 or newer is needed: https://go.dev/dl/"
  v=${v#go}
  local major=${v%%.*} minor=${v#*.}
  minor=${minor%%[!0-9]*}
  [[ $v != [0-9]* ]] || ((major > 1 || minor >= 26)) || die "Go 1.26 or newer is needed, this is $v: https://go.dev/dl/"
}

need_node() {
  command -v node >/dev/null && command -v npm >/dev/null || die "Node 20 or newer with npm is needed: https://nodejs.org/"
  local v
  v=$(node -p 'process.versions.node.split(".")[0]')
  ((v >= 20)) || die "Node 20 or newer is needed, this is $v: https://nodejs.org/"
}

# newer STAMP PATH…: true if the stamp is missing or something at the paths is newer.
newer() {
  local stamp=$1
  shift
  [[ -e $stamp ]] || return 0
  local paths=() p
  for p in "$@"; do [[ -e $p ]] && paths+=("$p"); done
  [[ -n $(find "${paths[@]}" -newer "$stamp" -print 2>/dev/null | head -n 1) ]]
}

setup_npm() {
  need_node
  newer node_modules/.stamp package.json package-lock.json .npmrc || return 0
  say "== npm ci"
  npm ci --no-audit --no-fund >&2
  touch node_modules/.stamp
}

find_chromium() {
  local c
  if [[ -n ${CHROMIUM:-} ]]; then
    command -v "$CHROMIUM" || die "CHROMIUM=$CHROMIUM cannot be run"
    return
  fi
  for c in chromium chromium-browser google-chrome google-chrome-stable chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    command -v "$c" && return
  done
  return 1
}

setup_chromium() {
  local found
  if found=$(find_chromium); then
    CHROMIUM=$found
  elif [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    say "== apt-get install chromium"
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >&2 ||
      die "Chromium could not be installed. Install Chromium or Chrome, or set CHROMIUM to its executable."
    CHROMIUM=$(find_chromium) || die "Chromium was installed but is not found. Set CHROMIUM to its executable."
  else
    die "the browser tests need Chromium or Chrome: install it (Debian: apt-get install chromium), or set CHROMIUM to its executable."
  fi
  export CHROMIUM
}

cmd_setup() {
  need_go
  setup_npm
  setup_chromium
  say "== go mod download"
  go mod download
  say "ready: $(go env GOVERSION), node $(node -v), $CHROMIUM"
}

# ---- build ----------------------------------------------------------------------

build_crash_wasm() {
  newer build/zarr-crash.wasm package.json go.mod go.sum zarr store internal wasm build.sh || return 0
  say "== build/zarr-crash.wasm"
  cmd_wasm zarr-crash build/zarr-crash.wasm
}

# What tests and benchmarks start: the server for users, one that does wrong when it is told to, and what answers how Go reads conventions.
build_servers() {
  go build -o build/serve ./cmd/serve
  go build -o build/serve-faulty ./tests/faulty/serve
  go build -o build/answers ./tests/conventions/answers
}

build_fixtures() { go run ./tests/fixtures/unpack >/dev/null; }

# cmd_wasm NAME FILE: only the wasm, into a file. "zarr" has the codecs
# that nearly all data needs, "zarr-full" all of them. "zarr-crash" is "zarr" with a
# message that ends it, for tests.
cmd_wasm() {
  local name=$1 file=$2 tags=()
  need_go
  case $name in
  zarr) ;;
  zarr-full) tags=(-tags=full) ;;
  zarr-crash) tags=(-tags=crash) ;;
  *) die "no wasm $name; there are: zarr zarr-full" ;;
  esac
  mkdir -p build
  go build -o build/slim ./wasm/slim
  GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false "${GCFLAGS[@]}" -ldflags="-s -w $LDFLAGS" "${tags[@]}" -o "$file" ./wasm
  build/slim "$file"
}

build_wasm() {
  local name
  newer build/.wasm package.json go.mod go.sum zarr store internal wasm build.sh || return 0
  mkdir -p dist build
  for name in zarr zarr-full; do
    say "== dist/$name.wasm"
    cmd_wasm "$name" "build/$name.wasm"
    mv "build/$name.wasm" "dist/$name.wasm"
  done
  touch build/.wasm
}

build_js() {
  setup_npm
  newer build/.js js package.json tsconfig.json build/.wasm node_modules/.stamp || return 0
  say "== dist/*.js"
  node js/build.mjs >&2
  mkdir -p build && touch build/.js
}

build_samples() {
  newer build/.samples web/samples js/view/coast build/.js || return 0
  say "== build/samples"
  node web/samples/build.mjs >&2
  touch build/.samples
}

build_demo() {
  newer build/.demo web build/.js build/.samples build/fixtures/.stamp || return 0
  say "== build/demo"
  node web/demo/build.mjs >&2
  node web/demo/compress.mjs build/demo >&2
  node web/demo/pack.mjs
  touch build/.demo
}

cmd_build() {
  build_wasm
  build_js
  build_fixtures
  build_samples
  build_demo
}

cmd_demo() {
  cmd_build
  mkdir -p build
  go build -o build/serve ./cmd/serve
  local port=${PORT:-8080}
  if [[ -z ${PORT:-} ]] && ! node -e '
    require("net").createServer().once("error", () => process.exit(1)).listen(8080, "127.0.0.1", () => process.exit(0))'; then
    say "port 8080 is taken, another one is used"
    port=0
  fi
  if (($# > 0)); then
    exec build/serve -addr "127.0.0.1:$port" -viewer build/demo "$1"
  fi
  exec build/serve -addr "127.0.0.1:$port" build/demo
}

# ---- test -----------------------------------------------------------------------

# failures LOG: what failed, each with what it said, or the end of the log where
# no single test did.
failures() {
  grep -E -A 24 '^ *(not ok|--- FAIL|FAIL)' "$1" || tail -n 60 "$1"
}

# Each stage writes to build/log/STAGE.log; its tests are counted by
# tests/tools/tally.mjs. A stage that fails does not stop the others.

check() { # a check is one test: it passes when it says nothing wrong
  if "$@"; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; return 1; fi
}

# The wasm runtime takes few variables, so only those that matter are handed on.
go_wasm() {
  local keep=() v
  for v in HOME PATH TMPDIR GOPATH GOCACHE GOMODCACHE GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOFLAGS GOTOOLCHAIN; do
    [[ -n ${!v:-} ]] && keep+=("$v=${!v}")
  done
  env -i "${keep[@]}" GOOS=js GOARCH=wasm go "$@"
}

go_test() { go test -json "$@" | node tests/tools/tally.mjs; }

formatted() {
  local bad
  bad=$(find . \( -name node_modules -o -name build -o -name dist -o -name '.?*' \) -prune -o -name '*.go' -print0 | xargs -0 gofmt -l 2>&1)
  [[ -z $bad ]] || { echo "gofmt -w these: $bad"; return 1; }
}
stage_gofmt() { check formatted; }
stage_vet() { check go vet ./...; }
stage_vet_wasm() { check go_wasm vet ./internal/... ./store/... ./zarr/... ./wasm/... ./tests/bench/...; }
stage_staticcheck() { check go run "$STATICCHECK" ./...; }
stage_biome() { check node_modules/.bin/biome check --error-on-warnings .; }
typed() {
  local p
  for p in . web/demo tests/types tests/types/zarrita; do node_modules/.bin/tsc --noEmit -p "$p" || return 1; done
}
stage_tsc() { check typed; }
stage_size() { check node tests/tools/size.mjs --check; }
stage_go() {
  local race=()
  if [[ $(go env CGO_ENABLED) == 1 ]] && command -v "$(go env CC)" >/dev/null; then
    race=(-race)
  else
    echo "without the race detector: it needs a C compiler"
  fi
  go_test "${race[@]}" ./...
}
stage_go_wasm() {
  # shellcheck disable=SC2046
  go_wasm test -json -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" \
    $(go_wasm list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./internal/... ./store/... ./zarr/... ./wasm/...) |
    node tests/tools/tally.mjs
}
stage_js() {
  node js/build.mjs --tests &&
    node --test --test-reporter=tap build/test/*.test.mjs web/demo/unit.test.mjs tests/js/*.test.mjs | node tests/tools/tally.mjs
}
stage_conformance_node() { node tests/js/run-node.mjs; }
stage_conformance_chromium() { node tests/browser/conformance.mjs; }
stage_conventions_node() { node tests/conventions/node.mjs; }
stage_conventions_chromium() { node tests/conventions/chromium.mjs; }
stage_damage() { node tests/damage/run.mjs 1000 1; }
stage_faults() { node --test --test-reporter=tap tests/browser/faults.mjs | node tests/tools/tally.mjs; }
stage_engine() { node --test --test-reporter=tap tests/browser/engine.mjs tests/browser/decode.mjs tests/browser/directories.mjs tests/browser/stores.mjs | node tests/tools/tally.mjs; }
# setup_more DIR: the npm packages that only one stage needs.
setup_more() {
  newer "$1/node_modules/.stamp" "$1/package-lock.json" || return 0
  # Not npm ci: of packages with a part for each platform, the lock file need not have those of others.
  npm install --prefix "$1" --no-save --no-audit --no-fund && touch "$1/node_modules/.stamp"
}
# Not among the default stages: it installs some 780 MB of other people's tools.
stage_bundlers() { setup_more tests/bundlers && node tests/bundlers/run.mjs --write; }
stage_clients() { setup_more tests/clients && node tests/clients/run.mjs; }
stage_cookbook() { node --test --test-reporter=tap tests/browser/cookbook.mjs | node tests/tools/tally.mjs; }
stage_view() { node --test --test-concurrency=1 --test-reporter=tap tests/browser/view/*.test.mjs | node tests/tools/tally.mjs; }
stage_demo() { node --test --test-concurrency=1 --test-reporter=tap tests/browser/demo.mjs tests/browser/demo-dataset.mjs tests/browser/demo-host.mjs | node tests/tools/tally.mjs; }
stage_examples() { setup_more tests/clients && node --test --test-concurrency=1 --test-reporter=tap tests/browser/command.mjs tests/browser/examples.mjs | node tests/tools/tally.mjs; }

STAGES=(gofmt vet vet_wasm staticcheck biome tsc size go go_wasm js conformance_node conventions_node damage conformance_chromium conventions_chromium engine faults cookbook view demo examples clients)

cmd_test() {
  local stages=("${STAGES[@]}") s
  (($# > 0)) && stages=("$@")
  for s in "${stages[@]}"; do
    declare -F "stage_$s" >/dev/null || die "no test stage $s; there are: ${STAGES[*]}"
  done
  need_go
  setup_npm
  setup_chromium
  cmd_build
  build_servers
  build_crash_wasm
  rm -rf build/log && mkdir -p build/log

  local passed=0 failed=0 skipped=0 bad=() n=0
  for s in "${stages[@]}"; do
    n=$((n + 1))
    local log=build/log/$s.log began=$SECONDS status=0
    printf '[%d/%d] %-22s' "$n" "${#stages[@]}" "$s"
    (set -o pipefail; "stage_$s") >"$log" 2>&1 || status=$?
    # The stage's own count is its last plain line.
    local line p=0 f=0 k=0
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1) || true
    [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]] &&
      { p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} k=${BASH_REMATCH[4]:-0}; }
    if ((status != 0 && f == 0)) || [[ -z $line ]]; then f=$((f + 1)); fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + k))
    printf '%5d passed' "$p"
    ((f == 0)) || printf ', %d FAILED' "$f"
    ((k == 0)) || printf ', %d skipped' "$k"
    printf '  (%d s)\n' $((SECONDS - began))
    if ((f > 0)); then
      bad+=("$s")
      failures "$log" | head -n "${LINES_SHOWN:-100}" | sed 's/^/    /'
    fi
  done
  echo
  if ((${#bad[@]} > 0)); then echo "failed: ${bad[*]} (the whole output is in build/log/)"; fi
  if ((skipped > 0)); then
    echo "$passed passed, $failed failed, $skipped skipped"
  else
    echo "$passed passed, $failed failed"
  fi
  ((failed == 0))
}

# ---- the rest -------------------------------------------------------------------

# The decoders alone, and arrays to decode.
build_bench_codecs() {
  mkdir -p build/bench
  GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags="-s -w" -o build/bench/decode.wasm ./tests/bench/decode
  newer build/bench/data/manifest.json tests/tools/benchdata || return 0
  say "== build/bench/data"
  go run ./tests/tools/benchdata build/bench/data
}

cmd_bench() {
  if (($# == 0)); then
    say "usage: ./build.sh bench NAME [--json FILE] [--quick]"
    say "names: $(find tests/bench -maxdepth 1 -name '*.mjs' -exec basename {} .mjs \; 2>/dev/null | sort | tr '\n' ' ')"
    exit 2
  fi
  local name=$1
  shift
  [[ $name != */* && -f tests/bench/$name.mjs ]] || die "no benchmark $name"
  setup_chromium
  cmd_build
  build_servers
  if [[ $name == codecs ]]; then build_bench_codecs; fi
  if [[ $name == view ]]; then setup_more tests/bench/viv; fi
  node "tests/bench/$name.mjs" "$@"
}

# Go fuzzes only natively, where the portable loops run. The inputs that it found to take new ways
# through them are then given to the assembly, by the same targets.
cmd_damage() {
  need_go
  cmd_build
  node tests/damage/run.mjs "${1:-20000}" "${2:-1}"
}

cmd_fuzz() {
  need_go
  local seconds=${1:-60} pattern=${2:-.} pkg target targets found kept=() failed=0
  found=$(go env GOCACHE)/fuzz/$MODULE
  while read -r pkg targets; do
    for target in $targets; do
      [[ "$pkg.$target" =~ $pattern ]] || continue
      say "== $pkg $target"
      go test -run='^$' -fuzz="^$target\$" -fuzztime="${seconds}s" -fuzzminimizetime=1s -parallel="${FUZZ_WORKERS:-2}" "./$pkg" || failed=1
      if [[ -d $found/$pkg/$target && $pkg != cmd/* && $pkg != tests/* ]]; then
        mkdir -p "$pkg/testdata/fuzz/$target"
        kept+=("$pkg/testdata/fuzz/$target")
        for input in "$found/$pkg/$target"/*; do cp "$input" "$pkg/testdata/fuzz/$target/tmp-${input##*/}"; done
        go_wasm test -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" -run="^$target\$" "./$pkg" || failed=1
        rm -f "$pkg/testdata/fuzz/$target"/tmp-*
      fi
    done
  done < <(grep -rl --include=*_test.go '^func Fuzz' internal store zarr wasm tests | sort | while read -r file; do
    echo "$(dirname "$file") $(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' "$file" | tr '\n' ' ')"
  done)
  rmdir -p --ignore-fail-on-non-empty "${kept[@]}" 2>/dev/null || true
  return $failed
}

cmd_size() {
  build_wasm
  build_js
  mkdir -p build
  # The same build with its symbols, to see which package a function is of.
  GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false "${GCFLAGS[@]}" -ldflags="$LDFLAGS" -o build/named.wasm ./wasm
  GOOS=js GOARCH=wasm go list -deps ./wasm >build/wasm-deps.txt
  node tests/tools/size.mjs
}

# The pages are made of the comments in js/. What makes them needs a TypeScript of its own, with an API that the project's has not.
cmd_docs() {
  setup_npm
  setup_more tests/tools/docs >&2
  tests/tools/docs/node_modules/.bin/typedoc --options tests/tools/docs/typedoc.json >&2
}

cmd_notices() { need_go; go run ./tests/tools/notices >THIRD_PARTY_NOTICES.new && mv THIRD_PARTY_NOTICES.new THIRD_PARTY_NOTICES; }

cmd_clean() { rm -rf build dist; }

case ${1:-help} in
setup | build | wasm | demo | test | bench | fuzz | damage | size | docs | notices | clean)
  c=$1
  shift
  "cmd_$c" "$@"
  ;;
help | -h | --help) usage ;;
*) usage >&2; exit 2 ;;
esac
