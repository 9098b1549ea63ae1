// Makes docs/reports/robustness.md from page.md and the records:
//
//   node tests/chaos/report.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { summed } from "./oracle.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The path of the page. */
export const page = fileURLToPath(new URL("../../docs/reports/robustness.md", import.meta.url));

/** All rows `{ what, command, values }`, by section. */
function records() {
  const found = new Map();
  for (const file of readdirSync(`${here}records`).sort()) {
    if (!file.endsWith(".json")) continue;
    const { section, rows } = JSON.parse(readFileSync(`${here}records/${file}`, "utf8"));
    found.set(section, [...(found.get(section) ?? []), ...rows]);
  }
  return found;
}

/** The text of the page: page.md with tables, without empty sections. */
export function pageText() {
  const rows = records();
  const [head, ...sections] = readFileSync(`${here}page.md`, "utf8").split(/^(?=## )/m);
  const filled = sections.flatMap((text) => {
    const name = /<!-- rows of (\S+) -->/.exec(text)?.[1];
    if (name === undefined) throw new Error(`page.md: a section without rows: ${text}`);
    const of = rows.get(name);
    rows.delete(name);
    return of ? [text.replace(/<!-- rows of .*-->/, () => tableOf(of))] : [];
  });
  if (rows.size > 0) throw new Error(`page.md has no section for the rows of ${[...rows.keys()]}`);
  return `${[head, ...filled].join("").trimEnd()}\n`;
}

/** A table of rows, with sums after rows about the same thing. */
export function tableOf(rows) {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const lines = [...new Set(rows.map(({ what }) => what))].flatMap((what) => {
    const of = rows.filter((row) => row.what === what);
    const all = of.length > 1 ? [{ what: `**${what}, in all**`, values: summed(of.map(({ values }) => values)) }] : [];
    return [...of, ...all].map(({ what, command, values }) => [
      what,
      ...names.map((name) => shown(values[name])),
      command === undefined ? "" : `\`${command}\``,
    ]);
  });
  const head = ["what", ...names, "command"];
  const rule = ["---", ...names.map(() => "--:"), "---"];
  return [head, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const shown = (value) => (typeof value === "number" ? value.toLocaleString("en-US") : (value ?? ""));

/**
 * Writes rows into the record NAME.json, and writes the page. A row replaces an
 * older one about the same thing with the same command.
 * @param {string} name
 * @param {{ section: string, rows: { what: string, command: string, values: Record<string, number |
 * string> }[] }} record
 */
export function record(name, { section, rows }) {
  const file = `${here}records/${name}.json`;
  let all = [];
  try {
    all = JSON.parse(readFileSync(file, "utf8")).rows;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  for (const row of rows) {
    const at = all.findIndex(({ what, command }) => what === row.what && command === row.command);
    if (at < 0) all.push(row);
    else all[at] = row;
  }
  writeFileSync(file, `${JSON.stringify({ section, rows: all }, null, 2)}\n`);
  writeFileSync(page, pageText());
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(page, pageText());
