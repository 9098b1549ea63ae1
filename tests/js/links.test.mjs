// Every relative link and picture of the Markdown files names a tracked file, and every anchor a
// heading of that file. Every {@link} in js/ names an export of the package, or a name of its file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { anchorOf } from "../../web/site/markdown.mjs";
import { top } from "../lib/serve.mjs";

const files = execFileSync("git", ["ls-files"], { cwd: top, encoding: "utf8" }).trim().split("\n");
const tracked = new Set(files.filter((file) => existsSync(top + file)));
// tests/chaos/page.md is a template: docs/reports/robustness.md is checked in its place.
const pages = [...tracked].filter(
  (file) => file.endsWith(".md") && !/(^|\/)testdata\//.test(file) && file !== "tests/chaos/page.md",
);
const folders = new Set(
  [...tracked].flatMap((file) =>
    file
      .split("/")
      .slice(0, -1)
      .map((_, i, parts) => parts.slice(0, i + 1).join("/")),
  ),
);

/** The lines of a page outside its blocks of code. */
function prose(file) {
  let code = false;
  return readFileSync(top + file, "utf8")
    .split("\n")
    .map((line) => {
      const fence = /^\s*```/.test(line);
      if (fence) code = !code;
      return code || fence ? "" : line;
    });
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(file) {
  const seen = new Map();
  return new Set(
    prose(file)
      .filter((line) => /^#+ /.test(line))
      .map((line) => {
        const anchor = anchorOf(line.replace(/^#+ /, ""));
        const n = seen.get(anchor) ?? 0;
        seen.set(anchor, n + 1);
        return n === 0 ? anchor : `${anchor}-${n}`;
      }),
  );
}

/** The links of a page: `{ line, to }`. Code in a line has none. */
const linksOf = (file) =>
  prose(file).flatMap((text, i) =>
    [...text.replace(/`[^`]*`/g, "``").matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => ({ line: i + 1, to })),
  );

/** The names that a script declares, imports, or gives to members. */
function namesIn(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  const declared = code.matchAll(
    /\b(?:function\*?|class|const|let|var|type|interface|enum|namespace|as|get|set|static|async) +([\w$]+)|^\s*(?:readonly +|abstract +|override +)*([\w$]+)\??[:(<]/gm,
  );
  const imported = [...code.matchAll(/\b(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\}/g)].flatMap(
    ([, list]) => list.match(/[\w$]+/g) ?? [],
  );
  return new Set([...[...declared].map(([, name, member]) => name ?? member), ...imported]);
}

test("every {@link} of a comment names an export of the package or a name of its file", () => {
  const broken = [];
  let checked = 0;
  const scripts = [...tracked].filter((file) => /^js\/.*\.ts$/.test(file));
  const texts = new Map(scripts.map((file) => [file, readFileSync(top + file, "utf8")]));
  const anywhere = new Set([...texts.values()].flatMap((text) => [...namesIn(text)]));
  const exported = new Set(readFileSync(`${top}docs/reports/api-js.txt`, "utf8").match(/[\w$]+/g));
  for (const [file, text] of texts) {
    const names = namesIn(text);
    for (const [link, target] of text.matchAll(/\{@link(?:code|plain)? +([^}\s|]+)[^}]*\}/g)) {
      if (/^https?:/.test(target)) continue;
      checked++;
      const [name, ...members] = target.split(/[.#]/);
      if (!(names.has(name) || exported.has(name)) || members.some((member) => !anywhere.has(member)))
        broken.push(`${file}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(checked > 100, `${checked} links`);
});

test("every relative link and anchor of the Markdown files leads somewhere", () => {
  const broken = [];
  let checked = 0;
  for (const file of pages) {
    for (const { line, to } of linksOf(file)) {
      if (/^[a-z]+:/.test(to)) continue;
      checked++;
      const [path, anchor] = to.split("#");
      const target = path === "" ? file : posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "");
      const there = tracked.has(target) || folders.has(target);
      if (!there || (anchor && target.endsWith(".md") && !anchorsOf(target).has(anchor)))
        broken.push(`${file}:${line}: ${to}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(checked > 100, `${checked} links`);
});
