// The stages of ./build.sh test, as data that tests/tools/test.mjs plans and runs.
//
// A stage has
//   run      the shell command; its last line of counts is "N passed, N failed, N skipped"
//   check    true if the command prints no counts: the stage is one test, by the exit status
//   again    the command that repeats one failed unit, named by $UNIT; true repeats the whole
//            stage. Without it a failure is final
//   needs    the requirements to build or install first, from `needs`
//   seconds  its approximate duration on two cores beside two other stages: the longest start first
//   slots    the number of slots that it occupies, 1 by default; it waits until that many are free
//   alone    true if nothing else may run beside it
//   asked    true if it runs only by name
//   quick    true if ./build.sh test --quick runs it
//
// `touched` returns the stages that a changed file can affect.
import { readdirSync } from "node:fs";

/**
 * The requirements of stages, each with the command that provides it. They are provided in this
 * order, beside stages that need none of them.
 */
export const needs = {
  python: "./build.sh setup python",
  chromium: "./build.sh setup chromium",
  dist: "./build.sh build && ./build.sh build servers",
  crash: "./build.sh build crash",
  clients: "./build.sh setup clients",
  bundlers: "./build.sh setup bundlers",
  nodes: "./build.sh setup nodes",
  site: "./build.sh docs",
  servers: "./build.sh setup servers",
  firefox: "./build.sh setup firefox",
  webkit: "./build.sh setup webkit",
  engines: "./build.sh setup chromium firefox webkit",
  turn: './build.sh setup "$(node tests/browser/engines-run.mjs --by-turns --which)"',
};

/** Both modules of go.work: ./... stops at another module. */
const packages = "./... ./cmd/zarr/...";
const staticcheck = "go run honnef.co/go/tools/cmd/staticcheck@v0.8.2";
const files = "node tests/tools/files.mjs";
const one = `${files} --jobs 1`;
const again = `${one} "$UNIT"`;

/** Tests of documents: each page's code runs, and its statements hold. */
const documents = "api cookbook documents hosting links migration readme robustness schemas zarrpython"
  .split(" ")
  .map((name) => `tests/js/${name}.test.mjs`);
/** All other tests of the package in Node. */
const inNode = readdirSync(new URL("../js/", import.meta.url))
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => `tests/js/${name}`)
  .filter((file) => !documents.includes(file));
const js = `node js/build.mjs --tests && ${files} build/test/*.test.mjs web/demo/unit.test.mjs`;

const browser = (...names) => `${one} ${names.map((name) => `tests/browser/${name}`).join(" ")}`;

/** Tests of the package's core: read, write, cancel, and errors; and of links in comments. */
const core = ["engine", "grids", "links", "options", "protocol", "reading", "rooms", "stages", "start", "stores"];

/** All tests that need no particular browser, in one browser. */
const inEngine = (name) => ({
  asked: true,
  needs: ["dist", "crash", name],
  seconds: 300,
  run: `node tests/browser/engines-run.mjs --engine ${name}`,
});

export const stages = {
  gofmt: {
    check: true,
    quick: true,
    seconds: 2,
    run: `bad=$(find . \\( -name node_modules -o -name build -o -name dist -o -name '.?*' \\) -prune -o -name '*.go' -print0 | xargs -0 gofmt -l 2>&1)
[[ -z $bad ]] || { echo "gofmt -w these: $bad"; exit 1; }`,
  },
  vet: { check: true, quick: true, seconds: 20, run: `go vet ${packages}` },
  vet_wasm: { check: true, seconds: 20, run: "tests/tools/gotests.sh vet_wasm" },
  staticcheck: {
    check: true,
    seconds: 43,
    run: `${staticcheck} ${packages}`,
  },
  biome: { check: true, quick: true, seconds: 4, run: "node_modules/.bin/biome check --error-on-warnings ." },
  tsc: {
    check: true,
    quick: true,
    needs: ["dist"],
    seconds: 10,
    run: "for p in . web/demo tests/types tests/types/zarrita; do node_modules/.bin/tsc --noEmit -p $p; done",
  },
  size: { check: true, needs: ["dist"], seconds: 8, run: "node tests/tools/size.mjs --check" },
  // Together the two run each test of Go once.
  go: {
    needs: ["python"],
    seconds: 400,
    run: "tests/tools/gotests.sh race",
    again: 'tests/tools/gotests.sh race "$UNIT"',
  },
  go_plain: { seconds: 400, run: "tests/tools/gotests.sh plain", again: 'tests/tools/gotests.sh plain "$UNIT"' },
  go_wasm: { seconds: 350, run: "tests/tools/gotests.sh wasm" },
  js: {
    needs: ["dist", "crash", "python"],
    seconds: 850,
    run: `${js} ${inNode.join(" ")}`,
    again,
  },
  documents: { needs: ["dist", "crash", "python"], seconds: 100, run: `${files} ${documents.join(" ")}`, again },
  conformance_node: { quick: true, needs: ["dist"], seconds: 25, run: "node tests/js/run-node.mjs" },
  conventions_node: { needs: ["dist"], seconds: 130, run: "node tests/conventions/node.mjs" },
  damage: { needs: ["dist"], seconds: 23, run: "node tests/chaos/run.mjs damage 1000 1" },
  storm: { needs: ["dist"], seconds: 12, run: "node tests/chaos/run.mjs faults 2000 1" },
  conformance_chromium: {
    needs: ["dist", "chromium"],
    seconds: 51,
    run: "node tests/browser/conformance.mjs",
    again: true,
  },
  conventions_chromium: {
    needs: ["dist", "chromium"],
    seconds: 40,
    run: "node tests/conventions/chromium.mjs",
    again: true,
  },
  engine: {
    needs: ["dist", "crash", "chromium"],
    seconds: 360,
    run: browser(
      "engine.mjs",
      "console.mjs",
      "deaths.mjs",
      "decode.mjs",
      "directories.mjs",
      "offline.mjs",
      "redirects.mjs",
      "stores.mjs",
      "writing-faults.mjs",
      "writing-http.mjs",
      "writing-stores.mjs",
      "writing-tabs.mjs",
    ),
    again,
  },
  // The further engine to test with this commit, with its shorter tests. Chromium is always tested.
  engine_by_turns: {
    needs: ["dist", "crash", "turn"],
    seconds: 94,
    run: "node tests/browser/engines-run.mjs --by-turns --brief",
    again: true,
  },
  faults: { needs: ["dist", "chromium"], seconds: 73, run: browser("faults.mjs"), again },
  cookbook: { needs: ["dist", "chromium"], seconds: 130, run: browser("cookbook.mjs"), again },
  view: { needs: ["dist", "chromium"], seconds: 850, run: browser("view/*.test.mjs"), again },
  demo: {
    needs: ["dist", "chromium"],
    seconds: 600,
    run: browser(
      "demo.mjs",
      "demo-beside.mjs",
      "demo-dataset.mjs",
      "demo-grib.mjs",
      "demo-host.mjs",
      "demo-hostile.mjs",
      "demo-keys.mjs",
      "demo-layout.mjs",
      "demo-pictures.mjs",
      "demo-reads.mjs",
      "demo-secrets.mjs",
    ),
    again,
  },
  examples: {
    needs: ["dist", "chromium", "clients"],
    seconds: 110,
    run: browser("command.mjs", "examples.mjs"),
    again,
  },
  clients: {
    needs: ["dist", "chromium", "clients", "python"],
    seconds: 180,
    run: `node tests/clients/run.mjs && ${one} tests/clients/*.test.mjs`,
    again,
  },
  // The stages of --quick that others contain.
  go_quick: {
    asked: true,
    quick: true,
    seconds: 80,
    run: "tests/tools/gotests.sh quick",
    again: 'tests/tools/gotests.sh plain "$UNIT"',
  },
  js_quick: {
    asked: true,
    quick: true,
    needs: ["dist", "python"],
    seconds: 60,
    run: `${js} ${core.map((name) => `tests/js/${name}.test.mjs`).join(" ")}`,
    again,
  },
  smoke: {
    asked: true,
    quick: true,
    needs: ["dist", "chromium"],
    seconds: 20,
    run: "node tests/browser/conformance.mjs '[eg]$'",
    again: true,
  },
  // Installs some 780 MB of third-party tools.
  bundlers: {
    asked: true,
    needs: ["dist", "chromium", "bundlers"],
    seconds: 300,
    run: "node tests/bundlers/run.mjs --write",
  },
  // Installs web servers, and builds an S3 server.
  servers: {
    asked: true,
    needs: ["dist", "chromium", "servers"],
    seconds: 300,
    run: `${one} tests/servers/servers.test.mjs tests/servers/buckets.test.mjs`,
    again,
  },
  // Compiles Beam and its runners, which takes more than a minute of two processors.
  beam: {
    asked: true,
    seconds: 200,
    run: `cd beam && go vet ./... && ${staticcheck} ./... && { go test -count=1 -json ./... | node ../tests/tools/tally.mjs; }`,
  },
  // Installs VitePress and TypeDoc, and builds the documentation site.
  site: { asked: true, needs: ["dist", "chromium", "site"], seconds: 155, run: browser("site.mjs"), again },
  // Takes some ten minutes.
  engines: {
    asked: true,
    needs: ["dist", "crash", "engines"],
    seconds: 600,
    run: "node tests/browser/engines-run.mjs",
  },
  firefox: inEngine("firefox"),
  webkit: inEngine("webkit"),
  nodes: {
    asked: true,
    needs: ["dist", "crash", "nodes"],
    seconds: 240,
    run: "node tests/nodes/run.mjs",
  },
  // Tests with another seed, or other inputs, each night.
  storms: {
    asked: true,
    check: true,
    needs: ["dist", "crash"],
    seconds: 3000,
    run: `seed=$(date +%Y%m%d) status=0
storm() { node tests/chaos/run.mjs "$@" $seed || { echo "not ok - $*"; status=1; }; }
storm faults 100000
storm damage 20000
storm hostile 3000
storm soak 20000
exit $status`,
  },
  fuzz: { asked: true, check: true, needs: ["dist"], seconds: 3000, run: "node tests/fuzz/run.mjs 2400" },
  audit: { asked: true, check: true, seconds: 60, run: "tests/tools/audit.sh" },
};

// ---- what a change can touch --------------------------------------------------------

const usual = Object.keys(stages).filter((name) => !stages[name].asked);
const goChecks = ["gofmt", "vet", "vet_wasm", "staticcheck"];
const inGo = [...goChecks, "go", "go_plain"];
/** The stages that run only Go. */
const onlyGo = [...inGo, "go_wasm"];
const scripts = ["biome", "tsc"];
const pages = ["cookbook", "view", "demo", "examples", "clients", "engine_by_turns"];
const browsers = ["conformance_chromium", "conventions_chromium", "engine", "faults", ...pages];

/**
 * The stages that a change of a path can affect. The first matching pattern decides; other paths
 * affect every stage.
 */
const table = [
  [/^(zarr|store|internal|wasm)\/.*(_test\.go|\/testdata\/.*)$/, [...onlyGo, "js"]],
  [/^docs\/(guides\/go|reference\/zarr-python|reports\/(http|formats))\.md$/, ["documents", "go", "go_plain"]],
  [/^docs\/(start\/migrating|guides\/xarray)\.md$/, ["documents", "go", "go_plain", "js", "cookbook"]],
  [/^docs\/guides\/viewer\.md$/, ["documents", "js", "cookbook"]],
  [/^docs\/(guides\/.*|start\/install)\.md$/, ["documents", "cookbook"]],
  [/^(docs\/|[^/]*\.md$|.*\/README\.md$|LICENSE$)/, ["documents"]],
  [/^\.github\//, ["js"]],
  [/^THIRD_PARTY_NOTICES$/, ["go_plain", "js"]],
  [/^beam\//, ["gofmt", "go_plain"]],
  [/^cmd\/zarr\//, [...inGo, "js", "documents", ...pages]],
  [/^js\/test\//, [...scripts, "js"]],
  [/^js\/view\//, [...scripts, "size", "js", "documents", ...pages]],
  [/^js\//, [...usual.filter((name) => !onlyGo.includes(name))]],
  [/^web\/site\//, [...scripts, "documents", "cookbook", "js"]],
  [/^web\//, [...scripts, "size", "js", ...pages]],
  [/^examples\/.*\.go$/, inGo],
  [/^examples\//, [...scripts, "documents", "examples"]],
  [/^tests\/budgets\.json$/, ["size"]],
  [/^tests\/types\//, scripts],
  [/^tests\/bench\//, [...scripts, ...inGo, "js"]],
  [
    /^tests\/(serve|chaos\/faulty|conventions\/answers|fixtures|conformance|buckets|tools\/(files|tally|test|units|stages)\.mjs)/,
    usual,
  ],
  [/^tests\/.*\.go$/, inGo],
  [/^tests\/(public|edgecases|describe|inmemory|modules|arch|zarrpython|python)\//, [...inGo, "js"]],
  [/^tests\/tools\//, [...scripts, ...inGo, "js", "documents"]],
  [/^tests\/conventions\//, [...scripts, "go", "go_plain", "js", "conventions_node", "conventions_chromium"]],
  [/^tests\/chaos\//, [...scripts, "js", "documents", "storm", "damage", "faults", "engine_by_turns"]],
  [/^tests\/clients\//, [...scripts, "clients", "examples"]],
  [/^tests\/(bundlers|nodes|servers|fuzz)\//, [...scripts, "js"]],
  [/^tests\/(browser\/|lib\/(browsers|hosting|webkit|screen|runpage|viewpage|counted)\.)/, [...scripts, ...browsers]],
  [/^tests\/lib\//, usual.filter((name) => !onlyGo.includes(name))],
  [/^tests\/js\/[^/]*\.test\.mjs$/, [...scripts, "js"]],
  [/^tests\/js\//, usual.filter((name) => !onlyGo.includes(name))],
];

/**
 * Returns the stages that a change of a path can affect: those of the table. If one stage names the
 * file, it is the only one.
 */
export function touched(path) {
  const naming = usual.filter((name) => stages[name].run.split(/\s+/).some((word) => matches(word, path)));
  if (naming.length > 0) return [...scripts, ...naming];
  return table.find(([pattern]) => pattern.test(path))?.[1] ?? usual;
}

/** Whether a word of a command is the path of a test, or a pattern of paths with one star. */
function matches(word, path) {
  if (!/^tests\/.*\.mjs$/.test(path) || !word.startsWith("tests/") || word.includes("!")) return false;
  const [before, after] = word.split("*");
  return after === undefined ? word === path : path.startsWith(before) && path.endsWith(after);
}
