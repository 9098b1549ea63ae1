#!/usr/bin/env bash
# The entry for building and testing: ./build.sh help
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

VERSION=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
LDFLAGS="-buildid= -X main.version=$VERSION"
MODULE=$(sed -n 's/^module //p' go.mod)
# Inlining helps in loops over data, and only enlarges the rest.
GCFLAGS=("-gcflags=$MODULE/...=-l" "-gcflags=$MODULE/zarr/codec/...=" "-gcflags=$MODULE/zarr/ndarray=" "-gcflags=$MODULE/internal/kernel/...=")

say() { printf '%s\n' "$*" >&2; }
die() { say "build.sh: $*"; exit 1; }

usage() {
  cat <<'TEXT'
usage: ./build.sh COMMAND

  setup [PART…]  install what building and testing needs: npm packages, Chromium, Firefox, WebKit
  build [PART…]  dist/ (the package with its wasm) and build/demo (the viewer)
  wasm NAME FILE write one wasm, "zarr", "zarr-full" or "zarr-write", to a file
  docs           build the documentation site into build/site: static files for any path
  demo [DIR]     build, then serve the viewer, with a folder's data, on a local port (PORT, default 8080)
  test [STAGE…]  run every test, or only the stages named
       --quick           a choice that takes at most four minutes on two cores
       --since COMMIT    the stages that the changes since a commit can touch
       --list            print the stages, with their usual seconds
  bench [NAME]   run a benchmark; without a name, list them
  release [DIR]  make a release's files in DIR (build/release): npm package, source maps, Go module zips,
                 bill of materials, notes, checksums; then publish them
       --dry-run         publish nothing, and list the reasons to refuse the release
       --registry URL    in a dry run, publish the npm package to a registry on this machine

CONTRIBUTING.md lists the programs that run alone: fuzzing, damage, faults, long runs, sizes, documents, audits.

SLIM=0 builds the wasm as Go links it, about twice as large: to find out whether wasm/slim causes a fault.
FLAKY=fail makes a test run fail where a test passed only at its second attempt.
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

# newer STAMP PATH…: succeeds if the stamp is missing or a file at the paths is newer, except tests.
newer() {
  local stamp=$1
  shift
  [[ -e $stamp ]] || return 0
  local paths=() p
  for p in "$@"; do [[ -e $p ]] && paths+=("$p"); done
  [[ -n $(find "${paths[@]}" \( -name test -o -name '*.test.*' \) -prune -o -newer "$stamp" -print 2>/dev/null | head -n 1) ]]
}

setup_npm() {
  need_node
  newer node_modules/.stamp package.json package-lock.json .npmrc || return 0
  say "== npm ci"
  npm ci --no-audit --no-fund >&2
  touch node_modules/.stamp
}

# apt_install WHAT PACKAGE…: installs packages by apt-get, if that is possible and allowed.
apt_install() {
  local what=$1
  shift
  [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null ||
    die "the tests need $what: install it (Debian: apt-get install $*), or set the variables that ./build.sh help lists."
  say "== apt-get install $*"
  { apt-get -o Acquire::Retries=3 update && DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y --no-install-recommends "$@"; } >&2 ||
    die "$what could not be installed: apt-get install $* failed. Install it, or set the variables that ./build.sh help lists."
}

# setup_python: installs zarr-python 2, which reads the output of Go tests, and the packages that
# write the files which zarr index reads.
setup_python() {
  local p
  for p in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    (cd / && "$p" -c 'import zarr, h5py, netCDF4, rasterio, tifffile, eccodes
assert zarr.__version__.startswith("2.") and all(map(h5py.h5z.filter_avail, (32004, 32008)))') 2>/dev/null && return
  done
  local packages=(python3-zarr python3-h5py python3-netcdf4 python3-rasterio python3-tifffile python3-eccodes bitshuffle hdf5-filter-plugin)
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    apt_install "zarr-python" "${packages[@]}"
  else
    say "zarr-python 2, h5py, netCDF4, rasterio, tifffile, ecCodes or plugins of HDF5 are not installed (Debian: apt-get install ${packages[*]}): the tests that need them are skipped"
  fi
}

# setup_engine NAME: installs a browser for tests/lib/browsers.mjs.
setup_engine() {
  case $1 in
  chromium) node tests/lib/browsers.mjs chromium >/dev/null 2>&1 || apt_install "Chromium or Chrome" chromium ;;
  firefox) node tests/lib/browsers.mjs firefox >/dev/null 2>&1 || apt_install "Firefox and Xvfb" firefox-esr xvfb ;;
  webkit) node tests/lib/browsers.mjs webkit >/dev/null 2>&1 || apt_install "WebKitGTK with its WebDriver, and Xvfb" webkit2gtk-driver libwebkit2gtk-4.1-0 xvfb ;;
  *) die "no engine $1" ;;
  esac
  node tests/lib/browsers.mjs "$1" >/dev/null || die "what $1 needs was installed but is not found"
}

# Debian starts installed servers if it can, but the tests start their own, at other ports.
setup_servers() {
  PATH="$PATH:/usr/sbin" type nginx apache2 caddy lighttpd varnishd >/dev/null 2>&1 ||
    apt_install "nginx, Apache, Caddy, lighttpd and Varnish" nginx-light apache2-bin caddy lighttpd lighttpd-mod-webdav varnish
  local module program
  for module in github.com/versity/versitygw/cmd/versitygw@v1.8.0 github.com/fsouza/fake-gcs-server@v1.56.1; do
    program=build/bin/$(basename "${module%@*}")
    [[ -x $program ]] || { say "== $program" && GOBIN=$PWD/build/bin go install "$module"; }
  done
  setup_more tests/servers
}

# setup_more DIR: installs the npm packages that only one stage needs.
setup_more() {
  newer "$1/node_modules/.stamp" "$1/package-lock.json" || return 0
  # Not npm ci: the lock file may lack the parts of packages for other platforms.
  npm install --prefix "$1" --no-save --no-audit --no-fund >&2 && touch "$1/node_modules/.stamp"
}

cmd_setup() {
  local part all=$#
  need_go
  setup_npm
  ((all > 0)) || set -- chromium firefox webkit python modules
  for part in "$@"; do
    case $part in
    chromium | firefox | webkit) setup_engine "$part" ;;
    python) setup_python ;;
    servers) setup_servers ;;
    modules) # go mod download would fetch more, and write go.work.sum
      say "== Go modules"
      go list -deps -test ./... ./cmd/zarr/... >/dev/null
      ;;
    bundlers | clients | nodes | bench/viv | bench/peers) setup_more "tests/$part" ;;
    site) setup_more web/site ;;
    *) die "setup has no part $part" ;;
    esac
  done
  ((all > 0)) && return
  say "ready: $(go env GOVERSION), node $(node -v)"
  node tests/lib/browsers.mjs >&2
}

# ---- build ----------------------------------------------------------------------

# Builds the command zarr with its version and commit.
build_command() {
  local commit
  commit=$(git describe --always '--exclude=*' --abbrev=12 --dirty=+changes 2>/dev/null) || true
  go build -ldflags "-X main.version=$VERSION -X main.commit=$commit" -o build/zarr ./cmd/zarr
}

# Tests and benchmarks start a server, the command, and a program that reads conventions in Go.
build_servers() {
  go build -o build/serve ./tests/serve
  build_command
  go build -o build/answers ./tests/conventions/answers
}

build_fixtures() { go run ./tests/fixtures/unpack >/dev/null; }

# cmd_wasm NAME FILE: builds only the wasm, into a file. "zarr" has the codecs that nearly all data
# needs, "zarr-full" has all, and "zarr-write" also encodes and writes. "zarr-crash" is "zarr" with
# a message that ends it, for tests.
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
  # Without go.work, because it may raise the versions of the command's libraries.
  GOWORK=off GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false "${GCFLAGS[@]}" -ldflags="-s -w $LDFLAGS" "${tags[@]}" -o "$file" ./wasm
  if [[ ${SLIM:-1} == 0 ]]; then
    : >"build/$name.functions"
  else
    go build -o build/slim ./wasm/slim
    build/slim "$file" >"build/$name.functions.new"
    mv "build/$name.functions.new" "build/$name.functions"
  fi
}

# The sources of a wasm, without tests. Folders are left out, because adding a test changes them.
wasm_sources() { find zarr store internal wasm -name testdata -prune -o -type f ! -name '*_test.go' -print | sort; }

build_wasm() {
  local name made sources
  mkdir -p dist build
  sources=$(wasm_sources)
  # The output also depends on SLIM, the version of Go, and the set of files.
  made="SLIM=${SLIM:-1} $(go env GOVERSION) $(cksum <<<"$sources")"
  [[ $(cat build/.wasm 2>/dev/null) == "$made" ]] || rm -f build/.wasm
  # shellcheck disable=SC2086
  newer build/.wasm package.json go.mod go.sum build.sh $sources || return 0
  for name in zarr zarr-full zarr-write; do
    say "== dist/$name.wasm"
    cmd_wasm "$name" "build/$name.wasm"
    mv "build/$name.wasm" "dist/$name.wasm"
  done
  printf '%s\n' "$made" >build/.wasm
}

build_crash() {
  build_wasm
  newer build/zarr-crash.wasm build/.wasm || return 0
  say "== build/zarr-crash.wasm"
  cmd_wasm zarr-crash build/zarr-crash.wasm
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
  newer build/.demo web zarr/prepare/doctor/hostrules.json build/.js build/.samples build/fixtures/.stamp || return 0
  say "== build/demo"
  node web/demo/build.mjs >&2
  node web/demo/compress.mjs build/demo >&2
  touch build/.demo
}

# Tests start servers, and a wasm that a message can end. Each is built separately.
cmd_build() {
  local part
  need_go
  (($# > 0)) || set -- wasm js fixtures samples demo
  for part in "$@"; do
    case $part in
    wasm | js | fixtures | samples | demo | servers | crash) "build_$part" ;;
    tests) cmd_build && cmd_build servers crash ;;
    *) die "build has no part $part" ;;
    esac
  done
}

cmd_docs() {
  local keep=()
  cmd_build
  setup_more web/site
  newer build/.site docs examples web/site README.md CHANGELOG.md LICENSE THIRD_PARTY_NOTICES build/.demo tests/js/snippets.mjs || return 0
  newer build/.site-api js web/site/typedoc.json web/site/node_modules/.stamp || keep=(--keep-api)
  say "== build/site"
  node web/site/build.mjs "${keep[@]}" >&2
  touch build/.site build/.site-api
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

# The stages are in tests/tools/stages.mjs.
cmd_test() {
  need_go
  setup_npm
  exec node tests/tools/test.mjs "$@"
}

# ---- bench ----------------------------------------------------------------------

# Builds the decoders alone, and arrays to decode.
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
    say "names: $(find tests/bench -maxdepth 1 -name '*.mjs' ! -name bench.mjs ! -name '*-*' -exec basename {} .mjs \; 2>/dev/null | sort | tr '\n' ' ')"
    exit 2
  fi
  local name=$1
  shift
  [[ $name != */* && -f tests/bench/$name.mjs ]] || die "no benchmark $name"
  setup_engine chromium
  cmd_build
  build_servers
  if [[ $name == codecs ]]; then build_bench_codecs; fi
  if [[ $name == hosting ]]; then build_bench_hosting; fi
  if [[ $name == view ]]; then setup_more tests/bench/viv; fi
  if [[ $name == write ]]; then setup_python; fi
  if [[ $name == @(start|engine|codecs) ]]; then setup_more tests/bench/peers; fi
  node "tests/bench/$name.mjs" "$@"
}

cmd_release() {
  need_go
  need_node
  cmd_build
  node tests/tools/release.mjs "$@"
}

case ${1:-help} in
setup | build | docs | wasm | demo | test | bench | release)
  c=$1
  shift
  "cmd_$c" "$@"
  ;;
help | -h | --help) usage ;;
*) usage >&2; exit 2 ;;
esac
