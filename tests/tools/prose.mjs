// Counts the patterns that the writing rule of CONTRIBUTING.md forbids, in comments and documents.
//
//   node tests/tools/prose.mjs [--list PATTERN] [PATH…]   prints counts, or each place of a pattern
//   node tests/tools/prose.mjs --write                    records the counts in tests/prose.json
//
// tests/js/prose.test.mjs compares the counts with the record. They may only fall: --write refuses
// to record a larger count of any pattern in any file.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const top = fileURLToPath(new URL("../../", import.meta.url));
export const record = `${top}tests/prose.json`;

const CODE = /\.(go|ts|js|mjs|css|s)$/;
const SHELL = /\.(sh|yml|yaml)$/;
const TEXT = /\.md$/;
// Third-party texts, and generated ones whose sources are counted.
const SKIPPED =
  /^(LICENSE|THIRD_PARTY_NOTICES|docs\/reports\/|tests\/.*\/testdata\/|package-lock\.json|tests\/tools\/prose\.mjs)/;

const phrases = {
  "of which": /\bof which\b/gi,
  "is told": /\b(?:is|are|was|were|be|been) told\b/gi,
  "tells of": /\btell(?:s|ing)? of\b/gi,
  besides: /\bbesides\b/gi,
  "as it is": /\bas (?:it is|they are)\b/gi,
  "so many": /\bso many\b/gi,
  "lets go of": /\blets? go of\b/gi,
  "no business of": /\bno business of\b/gi,
  nobody: /\bnobody\b/gi,
};

/** The first words of a sentence that puts the topic before the subject. Functions may be named Of. */
const OPENING = /^(?:What|Of(?! (?:returns|converts)\b)|Where|That|So) [a-z`]/;
/** Comments that cannot be wrapped: addresses, and instructions to tools. */
const UNBROKEN = /https?:\/\/|^ ?(?:biome-ignore|@__PURE__)/;
const MOST_WORDS = 25;
const MOST_COLUMNS = 100;

/**
 * The comments of a file of Go, TypeScript or CSS: `{ line, text, width, trailing }`, one for each
 * line. A trailing comment follows code on its line. The expected output of Go's examples is left out.
 */
function* commentLines(source) {
  const lines = source.split("\n");
  let inside = false; // a block comment
  let quoted = ""; // a literal of several lines
  let output = -1; // the last line of an example's expected output
  for (const [at, line] of lines.entries()) {
    let text = inside ? "" : undefined;
    let trailing = false;
    for (let i = 0; i < line.length; i++) {
      if (inside) {
        const end = line.indexOf("*/", i);
        text = `${text ?? ""}${line.slice(i, end < 0 ? undefined : end)}`;
        if (end < 0) break;
        inside = false;
        i = end + 1;
        continue;
      }
      const c = line[i];
      if (quoted) {
        if (c === "\\") i++;
        else if (c === quoted) quoted = "";
        continue;
      }
      if (c === '"' || c === "'" || c === "`") {
        quoted = c;
      } else if (line.startsWith("//", i) && line[i - 1] !== ":" && line[i - 1] !== "\\") {
        trailing = line.slice(0, i).trim() !== "";
        text = `${text ?? ""}${line.slice(i + 2).replace(/^ /, "")}`;
        break;
      } else if (line.startsWith("/*", i) && line[i - 1] !== "\\" && !/[\w)\]]\s*$|=\s*$/.test(line.slice(0, i))) {
        inside = true;
        i++;
        text ??= "";
      }
    }
    if (quoted && quoted !== "`") quoted = ""; // a quotation mark in a regular expression
    if (text === undefined) continue;
    if (/^\s*(?:Unordered output|Output):/.test(text) || output === at) output = at + 1;
    else yield { line: at + 1, text: text.replace(/^\s*\* ?/, ""), width: line.length, trailing };
  }
}

function* shellLines(source) {
  for (const [at, line] of source.split("\n").entries()) {
    const comment = /^\s*#(?!!) ?(.*)$/.exec(line);
    if (comment) yield { line: at + 1, text: comment[1], width: line.length };
  }
}

function* textLines(source) {
  let code = false;
  for (const [at, line] of source.split("\n").entries()) {
    if (/^\s*```/.test(line)) code = !code;
    else if (!code && !/^\s*\|/.test(line)) yield { line: at + 1, text: line, width: 0 };
    else yield { line: at + 1, text: /^\s*\|/.test(line) && !code ? line : "", width: 0, table: true };
  }
}

/** Paragraphs: runs of lines that follow each other, and break at empty lines, list items and code. */
function* paragraphs(lines) {
  let current;
  let after = false; // the line before is a trailing comment
  for (const { line, text, table, trailing } of lines) {
    const starts = table || trailing || after || /^\s*(?:[-*#>]|\d+\.)\s|^\s*@\w+|^\t| {4,}/.test(text);
    after = trailing;
    if (current && (line !== current.last + 1 || text.trim() === "" || starts)) {
      yield current;
      current = undefined;
    }
    if (text.trim() === "") continue;
    const trimmed = text.trim().replace(/^(?:[-*#>|]+|\d+\.)\s+|^@\w+\s*(?:\{[^}]*\}\s*)?/, "");
    if (current) {
      current.text += ` ${trimmed}`;
      current.last = line;
    } else current = { line, last: line, text: trimmed, table: table ?? false };
  }
  if (current) yield current;
}

const sentences = (text) => text.split(/(?<=[.!?:;])\s+(?=[A-Z`"'([])|\s*\|\s*/).filter(Boolean);
/** Code and quotations are not counted. */
const plain = (text) => text.replace(/`[^`]*`/g, "`x`").replace(/"[^"]*"|“[^”]*”|«[^»]*»/g, '"x"');

/** The places of each pattern in one file: `[{ pattern, line, text }]`. */
export function found(path, source) {
  const lines = [
    ...(CODE.test(path) ? commentLines(source) : TEXT.test(path) ? textLines(source) : shellLines(source)),
  ];
  const places = [];
  const note = (pattern, line, text) => places.push({ pattern, line, text: text.slice(0, 160) });
  for (const { line, text, width } of lines)
    if (width > MOST_COLUMNS && !UNBROKEN.test(text)) note("columns", line, text);
  for (const { line, text, table } of paragraphs(lines)) {
    const words = plain(text);
    for (const [name, pattern] of Object.entries(phrases))
      for (const match of words.matchAll(pattern)) note(name, line, words.slice(Math.max(0, match.index - 60)));
    for (const sentence of sentences(words)) {
      if (OPENING.test(sentence)) note("opening", line, sentence);
      if (!table && sentence.split(/\s+/).filter((w) => /\w/.test(w)).length > MOST_WORDS)
        note("words", line, sentence);
    }
  }
  return places;
}

/** The counts of all tracked files: path to pattern to number. */
export function counted(paths = []) {
  const files = execFileSync("git", ["ls-files", "--", ...paths], { cwd: top, encoding: "utf8" })
    .trim()
    .split("\n");
  const counts = {};
  for (const path of files) {
    if (SKIPPED.test(path) || !(CODE.test(path) || SHELL.test(path) || TEXT.test(path))) continue;
    for (const { pattern } of found(path, readFileSync(top + path, "utf8"))) {
      counts[path] ??= {};
      counts[path][pattern] = (counts[path][pattern] ?? 0) + 1;
    }
  }
  return counts;
}

/** The recorded counts, in the form that `counted` returns. */
export const recorded = () => JSON.parse(readFileSync(record, "utf8"));

/**
 * The counts that are larger than recorded, as texts. A renamed file keeps its allowance: the counts
 * of files that are new may be as large as those of recorded files that no longer exist.
 */
export function grown(before, now, exists = (path) => existsSync(top + path)) {
  const allowed = {};
  for (const [path, counts] of Object.entries(before))
    if (!exists(path))
      for (const [pattern, n] of Object.entries(counts)) allowed[pattern] = (allowed[pattern] ?? 0) + n;
  const larger = [];
  for (const [path, counts] of Object.entries(now))
    for (const [pattern, n] of Object.entries(counts)) {
      const most = before[path]?.[pattern] ?? 0;
      if (n <= most) continue;
      if (!before[path] && n <= (allowed[pattern] ?? 0)) allowed[pattern] -= n;
      else larger.push(`${path}: ${pattern}: ${n}, recorded ${most}`);
    }
  return larger;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { write: { type: "boolean" }, list: { type: "string" } },
    allowPositionals: true,
  });
  const counts = counted(positionals);
  if (values.write) {
    const larger = existsSync(record) ? grown(recorded(), counted()) : [];
    if (larger.length > 0) {
      console.error(larger.join("\n"));
      process.exit(1);
    }
    writeFileSync(record, `${JSON.stringify(counted(), null, 2)}\n`);
  }
  if (values.list) {
    for (const path of Object.keys(counts))
      for (const { pattern, line, text } of found(path, readFileSync(top + path, "utf8")))
        if (values.list === "all" || pattern === values.list) console.log(`${path}:${line}: ${pattern}: ${text}`);
  } else {
    const sums = {};
    for (const file of Object.values(counts))
      for (const [pattern, n] of Object.entries(file)) sums[pattern] = (sums[pattern] ?? 0) + n;
    console.log(sums);
  }
}
