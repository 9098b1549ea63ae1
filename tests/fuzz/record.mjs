// Records the fuzzing in tests/chaos/records/fuzz.json. docs/reports/robustness.md shows it in a
// table.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { top } from "./corpus.mjs";

const file = join(top, "tests/chaos/records/fuzz.json");

/**
 * Adds runs to the record. Executions, seconds and findings of a target add up over its runs. Kept
 * inputs and coverage are those of the last run.
 */
export function record(runs) {
  const rows = new Map(
    (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).rows : []).map((row) => [row.what, row]),
  );
  for (const { what, command, sums, latest } of runs) {
    const values = rows.get(what)?.values ?? {};
    for (const [name, value] of Object.entries(sums ?? {})) values[name] = (values[name] ?? 0) + value;
    rows.set(what, { what, command, values: { ...values, ...latest } });
  }
  mkdirSync(dirname(file), { recursive: true });
  const sorted = [...rows.values()].sort((a, b) => (a.what < b.what ? -1 : 1));
  writeFileSync(file, `${JSON.stringify({ section: "fuzz", rows: sorted }, null, 2)}\n`);
}
