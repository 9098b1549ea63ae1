#!/usr/bin/env bash
# The one entry: ./build.sh help
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v1.9.0
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
LDFLAGS="-buildid= -X main.version=$VERSION"
MODULE=$(sed -n 's/^module //p' go.mod)
# The packages of both modules of go.work: ./... stops where another module begins.
PACKAGES=(./... ./cmd/zarr/...)
# Inlining pays in the loops that touch data, and only makes the rest larger.
GCFLAGS=("-gcflags=$MODULE/...=-l" "-gcflags=$MODULE/zarr/codec/...=" "-gcflags=$MODULE/zarr/ndarray=" "-gcflags=$MODULE/internal/kernel/...=")

say() { printf '%s\n' "$*" >&2; }
die() { say "build.sh: $*"; exit 1; }

usage() {
  cat <<'TEXT'
usage: ./build.sh COMMAND

  setup          install what building and testing needs: npm packages, Chromium, Firefox, WebKit
  build          dist/ (the package with its wasm) and build/demo (the viewer)
  wasm NAME FILE the wasm alone, "zarr", "zarr-full" or "zarr-write", into a file
  demo [DIR]     build, then serve the viewer, with a folder's data, on a local port (PORT, default 8080)
  test [STAGE…]  every test, or only the stages named
  bench [NAME]   the benchmarks; without a name, lists them
  fuzz [SECONDS [PATTERN]] [--jobs N] [--record]
                 the fuzz targets (whose PACKAGE.NAME matches) natively, N at once, 600 s in
                 all or as said; then what they found worth keeping through the wasm's loops,
                 and what of the parsers and decoders no input reaches
  damage [N [SEED]]
                 read fixtures of which one object each is damaged at random, 20000 of them
                 with the seed 1 when not said otherwise
  faults [COUNT [SEED]]
                 read so many random selections (20000, by the seed 1, when not said otherwise)
                 from servers that answer wrongly; --engine NAME: in a browser
  soak [COUNT [SEED]] [--engine NAME] [--record]
                 make so many mixed reads (20000, by the seed 1, when not said otherwise) while
                 much happens, and measure what is held after them
  size [--write] what the wasm and the JavaScript weigh, and why; with --write that is the budget from now on
  hostile [N [SEED]] [--engine NAME] [--record]
                 open and read data that was made to do harm, 1000 cases, and measure each
  docs           the pages of the npm package's API, into build/docs
  notices        write THIRD_PARTY_NOTICES again
  sbom [FILE]    the bill of materials of the npm package, in CycloneDX
  audit [--offline]
                 ask the databases of Go and npm for known vulnerabilities; it also fails when one
                 cannot be reached, unless --offline is given
  clean          remove what was built

SLIM=0 builds the wasm as Go links it, about twice as large: to find out whether wasm/slim causes a fault.
CHROMIUM, FIREFOX, WEBKIT_DRIVER, MINIBROWSER and XVFB name executables where they are not found by themselves.
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
  say "== npm install"
  # npm ci refuses a lock file that lacks the parts of packages for other platforms.
  npm install --no-save --no-audit --no-fund >&2
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

# apt_install WHAT PACKAGE…: by apt-get, where that is possible and allowed.
apt_install() {
  local what=$1
  shift
  [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null ||
    die "the tests need $what: install it (Debian: apt-get install $*), or set the variables that ./build.sh help lists."
  say "== apt-get install $*"
  { apt-get -o Acquire::Retries=3 update && DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y --no-install-recommends "$@"; } >&2 ||
    die "$what could not be installed: apt-get install $* failed. Install it, or set the variables that ./build.sh help lists."
}

setup_chromium() {
  if ! CHROMIUM=$(find_chromium); then
    apt_install "Chromium or Chrome" chromium
    CHROMIUM=$(find_chromium) || die "Chromium was installed but is not found. Set CHROMIUM to its executable."
  fi
  export CHROMIUM
}

# setup_python: zarr-python 2, which the Go tests ask what it makes of what is written. Without it they leave that out.
setup_python() {
  local p
  for p in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    (cd / && "$p" -c 'import zarr; assert zarr.__version__.startswith("2.")') 2>/dev/null && return
  done
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    apt_install "zarr-python" python3-zarr
  else
    say "zarr-python 2 is not installed (Debian: apt-get install python3-zarr): the tests that need it are skipped"
  fi
}

# setup_engine NAME: one of those that tests/browser/engines.mjs starts; it says what is still missing.
setup_engine() {
  case $1 in
  chromium) setup_chromium ;;
  firefox) node tests/browser/engines.mjs firefox 2>/dev/null || apt_install "Firefox and Xvfb" firefox-esr xvfb ;;
  webkit) node tests/browser/engines.mjs webkit 2>/dev/null || apt_install "WebKitGTK with its WebDriver, and Xvfb" webkit2gtk-driver libwebkit2gtk-4.1-0 xvfb ;;
  *) die "no engine $1" ;;
  esac
  node tests/browser/engines.mjs "$1" >/dev/null || die "what $1 needs was installed but is not found"
}

# Debian starts what it installs where it can: the tests start their own, at ports of their own.
setup_servers() {
  PATH="$PATH:/usr/sbin" type nginx apache2 caddy lighttpd varnishd >/dev/null 2>&1 ||
    apt_install "nginx, Apache, Caddy, lighttpd and Varnish" nginx-light apache2-bin caddy lighttpd lighttpd-mod-webdav varnish
}

cmd_setup() {
  need_go
  setup_npm
  local engine
  for engine in chromium firefox webkit; do setup_engine "$engine"; done
  setup_python
  say "== go mod download"
  go mod download
  say "ready: $(go env GOVERSION), node $(node -v)"
  node tests/browser/engines.mjs >&2
}

# ---- build ----------------------------------------------------------------------

build_crash_wasm() {
  newer build/zarr-crash.wasm package.json go.mod go.sum zarr store internal wasm build.sh || return 0
  say "== build/zarr-crash.wasm"
  cmd_wasm zarr-crash build/zarr-crash.wasm
}

# The command zarr, with its version and commit.
build_command() {
  local commit
  commit=$(git describe --always '--exclude=*' --abbrev=12 --dirty=+changes 2>/dev/null) || true
  go build -ldflags "-X main.version=$VERSION -X main.commit=$commit" -o build/zarr ./cmd/zarr
}

# Tests and benchmarks start a static server, the command, and a program that answers how Go reads conventions.
build_servers() {
  go build -o build/serve ./tests/serve
  build_command
  go build -o build/answers ./tests/conventions/answers
}

build_fixtures() { go run ./tests/fixtures/unpack >/dev/null; }

# cmd_wasm NAME FILE: only the wasm, into a file. "zarr" has the codecs
# that nearly all data needs, "zarr-full" all of them, "zarr-write" encodes and writes, too. "zarr-crash" is "zarr" with a
# message that ends it, for tests.
cmd_wasm() {
  local name=$1 file=$2 tags=()
  need_go
  case $name in
  zarr) ;;
  zarr-full) tags=(-tags=full) ;;
  zarr-write) tags=(-tags=write) ;;
  zarr-crash) tags=(-tags=crash) ;;
  *) die "no wasm $name; there are: zarr zarr-full zarr-write" ;;
  esac
  mkdir -p build
  # Without go.work, which may raise the versions of libraries for the command.
  GOWORK=off GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false "${GCFLAGS[@]}" -ldflags="-s -w $LDFLAGS" "${tags[@]}" -o "$file" ./wasm
  if [[ ${SLIM:-1} == 0 ]]; then
    : >"build/$name.functions"
  else
    go build -o build/slim ./wasm/slim
    build/slim "$file" >"build/$name.functions"
  fi
}

build_wasm() {
  local name
  mkdir -p dist build
  # Another setting of SLIM, or another version of Go, makes other files.
  local made
  made="SLIM=${SLIM:-1} $(go env GOVERSION)"
  [[ $(cat build/.wasm 2>/dev/null) == "$made" ]] || rm -f build/.wasm
  newer build/.wasm package.json go.mod go.sum zarr store internal wasm build.sh || return 0
  for name in zarr zarr-full zarr-write; do
    say "== dist/$name.wasm"
    cmd_wasm "$name" "build/$name.wasm"
    mv "build/$name.wasm" "dist/$name.wasm"
  done
  printf '%s\n' "$made" >build/.wasm
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
  build_command
  local port=${PORT:-8080}
  if [[ -z ${PORT:-} ]] && ! node -e '
    require("net").createServer().once("error", () => process.exit(1)).listen(8080, "127.0.0.1", () => process.exit(0))'; then
    say "port 8080 is taken, another one is used"
    port=0
  fi
  if (($# > 0)); then
    exec build/zarr serve --addr "127.0.0.1:$port" --viewer build/demo "$1"
  fi
  exec build/zarr serve --addr "127.0.0.1:$port" build/demo
}

# ---- test -----------------------------------------------------------------------

# failures LOG: what failed, each with what it said, or the end of the log where
# no single test did.
failures() {
  grep -E -A 24 '^ *(not ok|--- FAIL|FAIL)' "$1" || tail -n 60 "$1"
}

# Each stage writes to build/log/STAGE.log; its tests are counted by
# tests/tools/tally.mjs (Go) and tests/tools/files.mjs (Node). A stage that fails does not stop the others.

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

# twice COMMAND…: a run in a browser that fails is made once more, alone (tests/tools/files.mjs says why).
twice() {
  "$@" && return
  echo "== once more"
  "$@" && echo "passed at the second attempt: $*"
}

go_test() { # FLAG… for all packages
  local command=(go test -timeout 40m -json "$@")
  "${command[@]}" "${PACKAGES[@]}" | node tests/tools/tally.mjs "${command[@]}"
}

formatted() {
  local bad
  bad=$(find . \( -name node_modules -o -name build -o -name dist -o -name '.?*' \) -prune -o -name '*.go' -print0 | xargs -0 gofmt -l 2>&1)
  [[ -z $bad ]] || { echo "gofmt -w these: $bad"; return 1; }
}
stage_gofmt() { check formatted; }
stage_vet() { check go vet "${PACKAGES[@]}"; }
vetted_wasm() {
  go_wasm vet ./internal/... ./store/... ./zarr/... ./wasm/... ./tests/bench/... && go_wasm vet -tags=write ./store/... ./wasm/...
}
stage_vet_wasm() { check vetted_wasm; }
stage_staticcheck() { check go run "$STATICCHECK" "${PACKAGES[@]}"; }
stage_biome() { check node_modules/.bin/biome check --error-on-warnings .; }
typed() {
  local p
  for p in . web/demo tests/types tests/types/zarrita; do node_modules/.bin/tsc --noEmit -p "$p" || return 1; done
}
stage_tsc() { check typed; }
stage_size() { check node tests/tools/size.mjs --check; }
stage_go() {
  setup_python
  local race=()
  if [[ $(go env CGO_ENABLED) == 1 ]] && command -v "$(go env CC)" >/dev/null; then
    race=(-race)
  else
    echo "without the race detector: it needs a C compiler"
  fi
  go_test "${race[@]}"
}
tested_wasm() { go_wasm test -timeout 40m -json -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" "$@"; }
stage_go_wasm() {
  {
    # shellcheck disable=SC2046
    tested_wasm $(go_wasm list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./internal/... ./store/... ./zarr/... ./wasm/...) &&
      tested_wasm -tags=write -run 'Writ' ./store/httpstore # what only the build that writes has
  } | node tests/tools/tally.mjs
}
stage_js() {
  node js/build.mjs --tests &&
    node tests/tools/files.mjs build/test/*.test.mjs web/demo/unit.test.mjs tests/js/*.test.mjs
}
stage_conformance_node() { node tests/js/run-node.mjs; }
stage_conformance_chromium() { twice node tests/browser/conformance.mjs; }
stage_conventions_node() { node tests/conventions/node.mjs; }
stage_conventions_chromium() { twice node tests/conventions/chromium.mjs; }
stage_damage() { node tests/damage/run.mjs 1000 1; }
stage_faults() { node tests/tools/files.mjs --jobs 1 tests/browser/faults.mjs; }
stage_storm() { node tests/faults/run.mjs 2000 1; }
stage_engine() { node tests/tools/files.mjs --jobs 1 tests/browser/engine.mjs tests/browser/console.mjs tests/browser/deaths.mjs tests/browser/decode.mjs tests/browser/directories.mjs tests/browser/offline.mjs tests/browser/redirects.mjs tests/browser/stores.mjs tests/browser/writing-faults.mjs tests/browser/writing-http.mjs tests/browser/writing-stores.mjs tests/browser/writing-tabs.mjs; }
# setup_more DIR: the npm packages that only one stage needs.
setup_more() {
  newer "$1/node_modules/.stamp" "$1/package-lock.json" || return 0
  # Not npm ci: of packages with a part for each platform, the lock file need not have those of others.
  npm install --prefix "$1" --no-save --no-audit --no-fund && touch "$1/node_modules/.stamp"
}
# Not among the default stages: it installs some 780 MB of other people's tools.
stage_bundlers() { setup_more tests/bundlers && node tests/bundlers/run.mjs --write; }
stage_clients() { setup_more tests/clients && node tests/clients/run.mjs && node tests/tools/files.mjs --jobs 1 tests/clients/*.test.mjs; }
# Not among the default stages: it installs web servers.
stage_servers() { setup_servers && node tests/tools/files.mjs --jobs 1 tests/servers/servers.test.mjs; }
# Not among the default stages: it takes some ten minutes.
stage_engines() {
  local engine
  for engine in chromium firefox webkit; do setup_engine "$engine"; done
  node tests/browser/engines-run.mjs
}
# Of the engines besides Chromium the one whose turn it is with this commit, and of its tests those that are soon done.
stage_engine_by_turns() {
  local engine
  engine=$(node tests/browser/engines-run.mjs --by-turns --which) && setup_engine "$engine" &&
    twice node tests/browser/engines-run.mjs --engine "$engine" --brief
}
stage_cookbook() { node tests/tools/files.mjs --jobs 1 tests/browser/cookbook.mjs; }
stage_view() { node tests/tools/files.mjs --jobs 1 tests/browser/view/*.test.mjs; }
stage_demo() { node tests/tools/files.mjs --jobs 1 tests/browser/demo.mjs tests/browser/demo-dataset.mjs tests/browser/demo-host.mjs tests/browser/demo-hostile.mjs; }
stage_examples() { setup_more tests/clients && node tests/tools/files.mjs --jobs 1 tests/browser/command.mjs tests/browser/examples.mjs; }

STAGES=(gofmt vet vet_wasm staticcheck biome tsc size go go_wasm js conformance_node conventions_node damage storm conformance_chromium conventions_chromium engine engine_by_turns faults cookbook view demo examples clients)

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
  grep -h '^passed at the second attempt: ' build/log/*.log || true
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

build_bench_hosting() {
  newer build/bench/layouts/layouts.json tests/tools/benchdata || return 0
  say "== build/bench/layouts"
  rm -rf build/bench/layouts
  go run ./tests/tools/benchdata layouts build/bench/layouts
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
  if [[ $name == hosting ]]; then build_bench_hosting; fi
  if [[ $name == view ]]; then setup_more tests/bench/viv; fi
  if [[ $name == write ]]; then setup_python; fi
  if [[ $name == @(start|engine|codecs) ]]; then setup_more tests/bench/peers; fi
  node "tests/bench/$name.mjs" "$@"
}

cmd_hostile() {
  need_go
  cmd_build
  node --expose-gc tests/robustness/hostile.mjs "$@"
}

cmd_damage() {
  need_go
  cmd_build
  node tests/damage/run.mjs "${1:-20000}" "${2:-1}" "${@:3}"
}

# setup_named WORD…: the browsers that are named after --engine.
setup_named() {
  local word before=""
  for word in "$@"; do
    [[ $before != --engine || $word == node ]] || setup_engine "$word"
    before=$word
  done
}

cmd_soak() {
  need_go
  setup_npm
  setup_named "$@"
  cmd_build
  build_servers
  build_crash_wasm
  node --expose-gc tests/robustness/soak.mjs "$@"
}

cmd_faults() {
  need_go
  setup_named "$@"
  cmd_build
  build_servers
  node tests/faults/run.mjs "${1:-20000}" "${2:-1}" "${@:3}"
}

# Go fuzzes only natively, where the portable loops run. The inputs that it found to take new ways
# through them are then given to the assembly, by the same targets.
cmd_fuzz() {
  need_go
  need_node
  node tests/fuzz/run.mjs "$@"
}

cmd_size() {
  cmd_build
  GOOS=js GOARCH=wasm go list -deps ./wasm >build/wasm-deps.txt
  node tests/tools/size.mjs "$@"
}

# The pages are made of the comments in js/. What makes them needs a TypeScript of its own, with an API that the project's has not.
cmd_docs() {
  setup_npm
  setup_more tests/tools/docs >&2
  tests/tools/docs/node_modules/.bin/typedoc --options tests/tools/docs/typedoc.json >&2
}

cmd_notices() { need_go; go run ./tests/tools/notices >THIRD_PARTY_NOTICES.new && mv THIRD_PARTY_NOTICES.new THIRD_PARTY_NOTICES; }

cmd_sbom() {
  need_go
  need_node
  node tests/tools/sbom.mjs "$@"
}

# asked NAME COMMAND…: asks a database. A vulnerability returns 1, a database that could not be reached 2.
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

# cmd_audit [--offline]: fails where a vulnerability is known, and where a database has not answered. --offline allows the latter.
cmd_audit() {
  local offline=no failed=0
  case ${1:-} in
  --offline) offline=yes ;;
  "") ;;
  *) die "audit: there is no option $1" ;;
  esac
  need_go
  need_node
  mkdir -p build/bin
  audited() {
    local status=0
    asked "$@" || status=$?
    if ((status == 1)) || [[ $status == 2 && $offline == no ]]; then failed=1; fi
  }
  if GOBIN="$PWD/build/bin" go install "$GOVULNCHECK"; then
    audited "govulncheck" build/bin/govulncheck "${PACKAGES[@]}"
    audited "govulncheck of the wasm" env GOOS=js GOARCH=wasm build/bin/govulncheck -tags=full ./wasm
  else
    say "govulncheck could not be installed: $GOVULNCHECK"
    [[ $offline == yes ]] || failed=1
  fi
  audited "npm, what is published" npm audit --omit=dev
  audited "npm, what builds and tests" npm audit
  return $failed
}

cmd_clean() { rm -rf build dist; }

case ${1:-help} in
setup | build | wasm | demo | test | bench | fuzz | damage | faults | hostile | soak | size | docs | notices | sbom | audit | clean)
  c=$1
  shift
  "cmd_$c" "$@"
  ;;
help | -h | --help) usage ;;
*) usage >&2; exit 2 ;;
esac
