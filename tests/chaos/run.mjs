// Runs a scenario: random cases, faults, and an oracle that judges each case.
//
//   node tests/chaos/run.mjs SCENARIO [COUNT [SEED]] [--engine NAME] [--only NUMBER] [--record]
//
// SCENARIO is damage, faults, hostile, replaced or soak. --engine selects a browser, and --only
// prints one case in words. With --minutes N no case begins after N minutes. --kind and --array
// select cases of replaced. --record writes the outcome into docs/reports/robustness.md.
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { engines } from "../lib/browsers.mjs";
import { titleOf } from "./places.mjs";
import { record } from "./report.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: "string", default: "node" },
    only: { type: "string" },
    minutes: { type: "string" },
    kind: { type: "string", multiple: true },
    array: { type: "string" },
    record: { type: "boolean" },
  },
});
const scenarios = ["damage", "faults", "hostile", "replaced", "soak"];
const [name, ...numbers] = positionals;
if (!scenarios.includes(name)) throw new Error(`no scenario ${name}; there are: ${scenarios.join(" ")}`);
if (!["node", ...engines].includes(options.engine)) throw new Error(`no engine ${options.engine}`);

// Some scenarios measure what is left after a collection of garbage.
setFlagsFromString("--expose-gc");
globalThis.gc ??= runInNewContext("gc");

const scenario = await import(`./${name}.mjs`);
const [count = scenario.count, seed = 1] = numbers.map(Number);
const number = (text) => (text === undefined ? undefined : Number(text));
let failed = 0;
const fail = (number, about, problems) => {
  failed++;
  const which = number === undefined ? "" : ` --only ${number}, seed ${seed}:`;
  console.log(`FAIL${which} ${about}\n    ${problems.join("\n    ").slice(0, 3000)}`);
};
const began = performance.now();
const { passed, rows } = await scenario.run({
  ...options,
  count,
  seed,
  only: number(options.only),
  minutes: number(options.minutes),
  fail,
});
console.log(`${Math.round((performance.now() - began) / 1000)} s`);
console.log(`${passed} passed, ${failed} failed`);

if (options.record && rows) {
  const engine = options.engine === "node" ? "" : ` --engine ${options.engine}`;
  const command = `node tests/chaos/run.mjs ${name} ${count} ${seed}${engine}`;
  const title = titleOf(options.engine);
  record(name, {
    section: scenario.section ?? name,
    rows: rows.map(({ what = "", flags = "", values }) => ({ what: title + what, command: command + flags, values })),
  });
}
// A lost browser may leave handles behind.
process.exit(failed > 0 ? 1 : 0);
