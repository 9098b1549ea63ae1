// Writes docs/reports/benchmarks.md. Every benchmark has its own section.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, type } from "node:os";
import { top } from "../lib/serve.mjs";

const header = `# Benchmarks

Compare ratios, not absolute numbers: both sides run on the same bytes in the same run. \`./build.sh bench\` lists the
programs in \`tests/bench\`; \`./build.sh bench NAME --markdown docs/reports/benchmarks.md\` writes one section again.
`;

/** Writes a benchmark's section: it replaces the file's, or is appended. */
export function writeSection(path, name, text) {
  const [begin, end] = [`<!-- ${name}: written by ./build.sh bench ${name} --markdown -->`, `<!-- end of ${name} -->`];
  const old = existsSync(path) ? readFileSync(path, "utf8") : header;
  const [before, rest] = old.split(begin);
  const after = rest?.split(end)[1];
  if (rest !== undefined && after === undefined) throw new Error(`${path}: ${begin} without ${end}`);
  const section = `${begin}\n\n${text}\n\n${end}`;
  writeFileSync(path, rest === undefined ? `${old}\n${section}\n` : `${before}${section}${after}`);
}

const versions = JSON.parse(readFileSync(`${top}package.json`, "utf8")).devDependencies;

/** The measured versions, the place and the time. */
export function machine(peer = `zarrita ${versions.zarrita} with numcodecs ${versions.numcodecs}`) {
  const go = execFileSync("go", ["env", "GOVERSION"], { encoding: "utf8" }).trim();
  const cpu = `${cpus().length} cores of ${cpus()[0].model.trim()}, ${type()} ${arch()}`;
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day} with ${cpu}; ${go}; ${peer}`;
}
