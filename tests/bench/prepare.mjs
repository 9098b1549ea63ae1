// Measures the preparation of data: time and peak memory of `zarr pyramid` and `zarr rechunk` for
// growing arrays, here and on Beam's runner prism; kills in between; `zarr copy` beside `cp`; and
// `zarr rechunk` beside zarr-python 2 with the plan of rechunker.
//
//   ./build.sh bench prepare [--sizes 1,2,4,8] [--minutes 15] [--quick]
//     [--json FILE] [--markdown FILE]
//
// Sizes are GiB of elements. The disk needs three times the largest. Sizes above 4 come last. They
// are left out if the disk has no room, or if they would exceed the minutes. The report goes to the
// terminal, too.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";
import { finish, machine, median, optionsOf, python, run } from "./bench.mjs";
import { section, told } from "./prepare/report.mjs";

const option = optionsOf({ sizes: { type: "string" }, minutes: { type: "string", default: "15" } });
const sizes = (option.sizes ?? (option.quick ? "0.25,0.5" : "1,2,4,8")).split(",").map(Number);
const small = sizes.filter((size) => size <= 4);
if (small.length === 0) throw new Error("--sizes: one of at most 4 GiB is needed");
const largest = Math.max(...small);
// The disk that holds the repository, because a temporary directory may be in memory.
const work = `${top}build/bench/prepare`;
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
execFileSync("go", ["build", "-o", `${work}/`, "./tests/bench/write", "./cmd/zarr"], { cwd: top, stdio: "inherit" });
execFileSync("go", ["build", "-o", `${work}/beam`, "."], { cwd: `${top}beam`, stdio: "inherit" });

const source = `${work}/slices`;
const makeSource = (gigabytes) =>
  execFileSync(`${work}/write`, ["make", work, `slices:${gigabytes}`], { stdio: "inherit" });
makeSource(largest);

/** Limits the source to a size: a shorter array ignores the chunks beyond its end. */
function limit(gigabytes) {
  const array = JSON.parse(readFileSync(`${source}/.zarray`, "utf8"));
  array.shape[0] = 256 * gigabytes;
  writeFileSync(`${source}/.zarray`, JSON.stringify(array));
  return array.shape;
}

const remove = (path) => rmSync(path, { recursive: true, force: true });
const memory = 2 ** 30;
/** The series of 32 by 32 points. */
const series = (gigabytes) => [256 * gigabytes, 32, 32];

/** The commands by name. Beam's source is the folder that holds the array. */
const works = {
  pyramid: () => ({
    // A slice is one chunk, so that the default is the copy alone.
    zarr: ["pyramid", source, "--levels", "5"],
    beam: ["pyramid", work, "", "--node", "slices", "--as", "a", "--levels", "5"],
  }),
  rechunk: (gigabytes) => {
    const chunks = ["--chunks", series(gigabytes).join()];
    return {
      zarr: ["rechunk", source, ...chunks],
      beam: ["rechunk", work, "", "--node", "slices", "--as", "a", ...chunks, "--two_passes"],
    };
  },
};

const rows = [];
const add = (row) => {
  rows.push(row);
  console.log(told(row));
};

/** Measures both works of a size, here and on prism. */
async function measure(gigabytes) {
  limit(gigabytes);
  for (const [name, of] of Object.entries(works)) {
    const { zarr, beam } = of(gigabytes);
    const [command, from, ...flags] = zarr;
    const took = await run(`${work}/zarr`, [command, from, `${work}/out`, ...flags]);
    add({ what: name, where: "command", gigabytes, ...took });
    remove(`${work}/out`);
    const [kind, folder, , ...rest] = beam;
    const onPrism = await run(
      `${work}/beam`,
      [kind, folder, `${work}/out`, ...rest, "--memory", memory, "--units", cpus().length],
      {
        stdio: ["ignore", "ignore", "ignore"],
      },
    );
    add({ what: name, where: "prism", gigabytes, ...onPrism });
    remove(`${work}/out`);
  }
}

for (const gigabytes of small) await measure(gigabytes);

// Kills at random moments, and the same command again: the objects equal those of one run.
const { next } = random(32);
limit(sizes[0]);
const kills = {};
for (const [name, of] of Object.entries(works)) {
  const [command, from, ...flags] = of(sizes[0]).zarr;
  const whole = rows.find(
    ({ what, where, gigabytes }) => what === name && where === "command" && gigabytes === sizes[0],
  );
  await run(`${work}/zarr`, [command, from, `${work}/whole`, ...flags]);
  let again = true;
  kills[name] = 0;
  while (again) {
    const killAfter = kills[name] < 5 ? whole.seconds * (0.1 + 0.4 * next()) : undefined;
    ({ killed: again } = await run(`${work}/zarr`, [command, from, `${work}/out`, ...flags], { killAfter }));
    kills[name] += Number(again);
  }
  execFileSync("diff", ["-r", `${work}/whole`, `${work}/out`], { stdio: "inherit" });
  for (const dir of ["whole", "out"]) remove(`${work}/${dir}`);
  console.log(`${name}: killed ${kills[name]} times, the objects are equal`);
}

// A copy without changes beside cp.
const times = { zarr: [], cp: [] };
for (let round = 0; round < (option.quick ? 3 : 5); round++) {
  for (const [name, program, args] of [
    ["cp", "cp", ["-r", source, `${work}/out`]],
    ["zarr", `${work}/zarr`, ["copy", source, `${work}/out`]],
  ]) {
    times[name].push((await run(program, args)).seconds);
    // Dirty pages of one side must not wait for the other.
    execFileSync("sync");
    remove(`${work}/out`);
  }
}
const copy = { gigabytes: sizes[0], zarr: median(times.zarr), cp: median(times.cp) };
console.log(`copy of ${copy.gigabytes} GiB: ${copy.zarr.toFixed(2)} s, cp ${copy.cp.toFixed(2)} s`);

// Rechunker's plan. Both sides have the same memory and number of threads.
const interpreter = python();
let peer;
if (interpreter) {
  const gigabytes = Math.min(4, largest);
  limit(gigabytes);
  const args = [source, `${work}/out`, JSON.stringify(series(gigabytes)), memory, cpus().length];
  peer = { gigabytes, ...(await run(interpreter, [`${top}tests/bench/prepare/peer.py`, ...args])) };
  remove(`${work}/out`);
  console.log(`rechunker's plan, ${gigabytes} GiB: ${peer.seconds.toFixed(1)} s`);
}

// Larger arrays, as far as the disk and the time suffice. Times grow with the size.
const leftOut = [];
for (const gigabytes of sizes.filter((size) => size > 4)) {
  remove(source);
  const { bavail, bsize } = statfsSync(work);
  const before = rows.filter((row) => row.gigabytes === largest).reduce((sum, { seconds }) => sum + seconds, 0);
  const needs = (1.3 * before * gigabytes) / largest;
  if (bavail * bsize < 3 * gigabytes * 2 ** 30) leftOut.push(`${gigabytes} GiB: the disk has no room`);
  else if (performance.now() / 1000 + needs > 60 * Number(option.minutes))
    leftOut.push(`${gigabytes} GiB: more than ${option.minutes} minutes in all`);
  else {
    makeSource(gigabytes);
    await measure(gigabytes);
  }
}

const results = { rows, kills, copy, peer, leftOut };
const report = () => section(results, machine("zarr-python 2 of Debian"));
console.log(`\n${report()}`);
finish("prepare", option, results, report);
