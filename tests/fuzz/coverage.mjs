// Reads a Go coverage profile, and lists the statements of each function that were not reached.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { module, top } from "./corpus.mjs";

/**
 * A profile's blocks by file, each once, with its number of statements and whether a test reached
 * it.
 */
function blocks(profile) {
  const files = new Map();
  for (const line of readFileSync(profile, "utf8").split("\n")) {
    const m = /^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$/.exec(line);
    if (!m) continue;
    const [, file, from, column, to, , statements, count] = m;
    if (!files.has(file)) files.set(file, new Map());
    const of = files.get(file);
    const key = `${from}.${column}`;
    const block = of.get(key) ?? { from: Number(from), to: Number(to), statements: Number(statements), reached: false };
    block.reached ||= Number(count) > 0;
    of.set(key, block);
  }
  return files;
}

/** The functions of the profile's files, in order. */
function functions(profile) {
  const list = [];
  for (const line of execFileSync("go", ["tool", "cover", `-func=${profile}`], { cwd: top, encoding: "utf8" }).split(
    "\n",
  )) {
    const m = /^(.+):(\d+):\s+(\S+)\s+[\d.]+%$/.exec(line);
    if (m) list.push({ file: m[1], line: Number(m[2]), name: m[3] });
  }
  return list;
}

const percent = (reached, all) => (all === 0 ? 100 : (100 * reached) / all);

/** The lines of blocks, with adjacent ones as one range. */
function ranges(blocks) {
  const list = [];
  for (const { from, to } of blocks) {
    const last = list.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else list.push({ from, to });
  }
  return list.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
}

/**
 * By package: the share of statements that were reached, and the lines of each function that was
 * not fully reached.
 */
export function coverage(profile) {
  const files = blocks(profile);
  const packages = new Map();
  const list = functions(profile);
  for (const [i, { file, line, name }] of list.entries()) {
    const next = list[i + 1]?.file === file ? list[i + 1].line : Number.POSITIVE_INFINITY;
    const of = [...files.get(file).values()]
      .filter(({ from }) => from >= line && from < next)
      .sort((a, b) => a.from - b.from);
    const pkg = file.slice(module.length + 1, file.lastIndexOf("/"));
    if (!packages.has(pkg)) packages.set(pkg, { pkg, reached: 0, statements: 0, functions: [] });
    const sum = packages.get(pkg);
    const missing = of.filter(({ reached, statements }) => !reached && statements > 0);
    const statements = of.reduce((n, block) => n + block.statements, 0);
    const missed = missing.reduce((n, block) => n + block.statements, 0);
    sum.statements += statements;
    sum.reached += statements - missed;
    if (missing.length > 0) {
      sum.functions.push({
        name,
        file: file.slice(file.lastIndexOf("/") + 1),
        percent: percent(statements - missed, statements),
        lines: ranges(missing),
      });
    }
  }
  return [...packages.values()]
    .map((p) => ({ ...p, percent: percent(p.reached, p.statements) }))
    .sort((a, b) => (a.pkg < b.pkg ? -1 : 1));
}

/** Formats a coverage as lines. */
export function told(packages) {
  const lines = [];
  for (const { pkg, percent, reached, statements, functions } of packages) {
    lines.push(`${pkg}  ${percent.toFixed(1)} % (${reached} of ${statements} statements)`);
    for (const { name, file, percent, lines: of } of functions)
      lines.push(`    ${percent.toFixed(0).padStart(3)} %  ${name}  ${file}:${of.join(",")}`);
  }
  return lines;
}
