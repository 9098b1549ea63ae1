// Writes the pages that VitePress builds into build/site-pages: the documents, with links that hold
// on the site, and the start page. TypeDoc adds the pages of the API.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { addressesAt, blocksOf } from "../../tests/js/snippets.mjs";
import { relocated, runsInPage } from "./live.mjs";
import { sitePages, targetOnSite, withTargets } from "./markdown.mjs";

export const top = join(import.meta.dirname, "../..");
export const source = join(top, "build/site-pages");
const read = (file) => readFileSync(join(top, file), "utf8");
const { homepage } = JSON.parse(read("package.json"));
export const home = homepage.replace(/#.*$/, "");
const files = execFileSync("git", ["ls-files", "docs", "examples", "*.md"], { cwd: top, encoding: "utf8" })
  .trim()
  .split("\n");
export const pages = sitePages(files);

/** Pages of tables that a search should not find. */
const unsearched = /^reports\/(?!formats)/;

/** The paths of the live examples' data below samples/, by the addresses in the documents. */
export function sampleAddresses() {
  const at = "@/build/fixtures/";
  const guarded = Object.fromEntries(
    ["private", "bucket"].map((host) => [`https://${host}.example.org/climate.zarr`, `${at}xarray/climate_v3.zarr`]),
  );
  const all = Object.entries(addressesAt("@/", guarded));
  return Object.fromEntries(all.map(([from, to]) => [from, to.slice(at.length)]));
}

/** The blocks of a document that the site runs, with the parts that a run needs. */
export function liveBlocks(file) {
  const blocks = blocksOf(file);
  const named = Object.fromEntries(blocks.filter(({ name }) => name).map(({ name, code }) => [name, code]));
  const live = blocks.filter(runsInPage).map((block) => {
    const html = blocks.find(({ title, words }) => title === block.title && words[0] === "html")?.code ?? "";
    const ids = [...html.matchAll(/ id="(\w+)"/g)].map(([, id]) => id);
    const used = Object.keys(named).filter((name) => block.code.includes(`./${name}`));
    return {
      ...block,
      html: ids.some((id) => block.code.includes(`#${id}`)) ? html : "",
      files: Object.fromEntries(used.map((name) => [name, named[name]])),
    };
  });
  // An element needs no script of its own.
  const elements = blocks.filter(
    ({ words, code }) => words[0] === "html" && code.includes("<zarr-view src=") && sampled(code).length > 0,
  );
  return [...live, ...elements.map((block) => ({ ...block, html: block.code, files: {} }))].sort(
    (a, b) => a.line - b.line,
  );
}

/** The paths below build/fixtures that a block reads, if they exist. */
export function sampled(code) {
  const addresses = Object.fromEntries(Object.entries(sampleAddresses()).map(([from, to]) => [from, `@@/${to}`]));
  const literals = [...code.matchAll(/["'`]([\w./+-]+)["'`]/g)].map(([, text]) => text);
  const paths = [...relocated(code, addresses).matchAll(/@@\/([^"'`|?\s<>)]*)/g)].flatMap(([, path]) => {
    const [before, after] = path.split("${");
    return after === undefined ? [path] : literals.map((name) => before + name);
  });
  // A node's store, or a container, whole: references name the files beside them.
  const roots = paths.map((path) => (/^ref\//.test(path) ? "ref" : path.replace(/(\.(zarr|zip|n5))\/.*$/, "$1")));
  return [...new Set(roots)].filter((path) => path && existsSync(join(top, "build/fixtures", path)));
}

/** A block of a document as Markdown, for the start page: `<!-- block FILE TITLE LANGUAGE -->`. */
const included = (text) =>
  text.replace(/^<!-- block (\S+) "(.*)" (\w+) -->$/gm, (_, file, title, language) => {
    const block = blocksOf(file).find((one) => one.title === title && one.words[0] === language);
    if (!block) throw new Error(`${file} has no block ${language} in "${title}"`);
    return `\`\`\`${block.words.join(" ")}\n${block.code}\`\`\``;
  });

/** Writes the documents. Returns the paths of their samples. */
export function writePages() {
  rmSync(source, { recursive: true, force: true });
  const samples = new Set();
  for (const [page, file] of pages) {
    const text = withTargets(read(file), (to) => targetOnSite(to, { file, page, pages, home }));
    const out = join(source, page);
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, unsearched.test(page) ? `---\nsearch: false\n---\n${text}` : text);
    for (const { code, html, files: more } of liveBlocks(file))
      for (const one of [code, html, ...Object.values(more)]) for (const path of sampled(one)) samples.add(path);
  }
  for (const file of files.filter((name) => /^docs\/.*\.(png|svg)$/.test(name)))
    cpSync(join(top, file), join(source, file.slice("docs/".length)));
  const start = { file: "web/site/index.md", page: "index.md", pages, home };
  writeFileSync(join(source, "index.md"), included(withTargets(read(start.file), (to) => targetOnSite(to, start))));
  return [...samples].sort();
}

/** The groups of the README's list of documents: `{ text, items: [{ text, link }] }`. */
export function sections() {
  const [, list] = /^## Documentation\n([\s\S]*?)\n(?=Licence|## )/m.exec(read("README.md"));
  return [...list.matchAll(/^- \*\*(.*?):\*\*([\s\S]*?)(?=^- |(?![\s\S]))/gm)].map(([, text, links]) => ({
    text,
    items: [...links.matchAll(/\]\(([^)]+)\)/g)].flatMap(([, to]) => {
      const page = [...pages].find(([, file]) => file === to)?.[0];
      return page === undefined ? [] : [{ text: titleOf(to), link: `/${page.replace(/(index)?\.md$/, "")}` }];
    }),
  }));
}

const titleOf = (file) => /^# (.*)$/m.exec(read(file))[1];
