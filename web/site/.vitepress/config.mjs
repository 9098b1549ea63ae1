// The site's configuration. web/site/build.mjs writes the pages first.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { actualBase, base } from "../base.mjs";
import { anchorOf } from "../markdown.mjs";
import { bundledList, packageOf } from "../notices.mjs";
import { home, liveBlocks, pages, sections, source, top } from "../pages.mjs";

const { version } = JSON.parse(readFileSync(join(top, "package.json"), "utf8"));
const icon = readFileSync(join(top, "web/site/icon.svg"), "utf8").trim();
const live = new Map([...pages.values()].flatMap(liveBlocks).map((block) => [block.code, block]));

/** Wraps the blocks of code that run in a page into the component that runs them. */
function liveCode(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, i, options, env, ...more) => {
    const code = fence(tokens, i, options, env, ...more);
    // Mermaid would be by far the largest script of the site, for a few diagrams.
    if (tokens[i].info === "mermaid") {
      const file = pages.get(env.relativePath);
      return `${code}<p><a href="${home}/blob/main/${file}">GitHub draws this diagram.</a></p>`;
    }
    const block = live.get(tokens[i].content);
    if (!block) return code;
    const { html, files, words } = block;
    const data = encodeURIComponent(JSON.stringify({ html, files, language: words[0] }));
    return `<LiveCode data="${data}">${code}</LiveCode>`;
  };
}

/** Headers of tables without text are cells: GitHub's Markdown has no table without headers. */
function emptyHeaders(md) {
  md.core.ruler.push("empty headers", ({ tokens }) => {
    for (const [i, { type }] of tokens.entries())
      if (type === "th_open" && tokens[i + 1].content === "") tokens[i].tag = tokens[i + 2].tag = "td";
  });
}

const text = (code, pattern, to) => {
  if (!code.includes(pattern)) throw new Error(`VitePress has no ${pattern}`);
  return code.replaceAll(pattern, to);
};

/** Makes the scripts use the actual path. */
const anyPath = {
  name: "any path",
  enforce: "pre",
  transform(code, id) {
    if (/vitepress\/dist\/client\/app\/utils\.js$/.test(id))
      return text(code, "import.meta.env.BASE_URL", "siteDataRef.value.base");
  },
};
/**
 * Changes of VitePress's components by the rules of accessibility. The results of a search become
 * plain links, and the start page gets a main part.
 */
const mended = {
  VPHome: [
    [/<div(?=\s+class="VPHome")/, "<main"],
    [/<\/div>(?=\s*<\/template>)/, "</main>"],
  ],
  VPLocalSearchBox: [
    [
      /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
      'role="dialog" aria-modal="true"',
    ],
    [/:aria-activedescendant="[^"]*"\s+aria-autocomplete="both"/, ""],
    [/:role="[^"]*listbox[^"]*"/, ""],
    [/:aria-selected="[^"]*"\s+role="option"/, ""],
    [/:aria-label="\[\.\.\.p\.titles[^"]*"/, ""],
    [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
  ],
};
const accessible = {
  name: "accessible components",
  enforce: "pre",
  transform(code, id) {
    const [, name] = /\/theme-default\/components\/(\w+)\.vue$/.exec(id) ?? [];
    return mended[name]?.reduce((text, [pattern, to]) => {
      const changed = text.replace(pattern, to);
      if (changed === text) throw new Error(`${name} has no ${pattern}`);
      return changed;
    }, code);
  },
};
const searchIndex = {
  name: "search at any path",
  enforce: "post",
  transform(code, id) {
    if (/^\/@localSearchIndex(?!$)/.test(id))
      return code.replace(
        /^export default (.*)$/s,
        (_, index) =>
          `export default (${index.replace(/;\s*$/, "")}).replaceAll("${base}", ${actualBase} ?? "${base}")`,
      );
  },
};

/** Writes the names of the npm packages of the pages' scripts, for their licences. */
const listBundled = {
  name: "list of bundled packages",
  apply: (_, { isSsrBuild }) => !isSsrBuild,
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => Object.keys(chunk.modules ?? {}));
    const names = new Set(modules.map(packageOf).filter(Boolean));
    writeFileSync(bundledList, JSON.stringify([...names]));
  },
};

/** The modules of the API. Their pages list what they export. */
const api = () =>
  readdirSync(join(source, "api"), { recursive: true })
    .filter((name) => /index\.md$/.test(name) && name !== "index.md")
    .map((name) => name.replace(/\/index\.md$/, ""))
    .sort()
    .map((text) => ({ text, link: `/api/${text}/` }));

const groups = sections().filter(({ items }) => items.length > 0);

export default defineConfig({
  base,
  srcDir: source,
  outDir: join(top, "build/site"),
  cacheDir: join(top, "build/site-cache"),
  metaChunk: true,
  lang: "en",
  title: "zarr-wasm",
  description: "Reads and writes Zarr in the browser, with a Go core compiled to WebAssembly.",
  head: [
    // A relative address would change its meaning when the reader goes to another page.
    ["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
    ["meta", { name: "theme-color", content: "#0b6e8f" }],
  ],
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (md) => md.use(liveCode).use(emptyHeaders),
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "zarr-view" } } },
  vite: {
    plugins: [anyPath, accessible, searchIndex, listBundled],
    experimental: {
      renderBuiltUrl: (file, { hostType, ssr }) => {
        if (hostType === "js" && !ssr) return { runtime: `(${actualBase}+${JSON.stringify(file)})` };
        return hostType === "css" ? { relative: true } : undefined;
      },
    },
    build: { chunkSizeWarningLimit: 10_000 },
  },
  themeConfig: {
    version,
    nav: [
      { text: "Start", link: groups[0].items[0].link, activeMatch: "/start/" },
      { text: "Guides", link: groups[1].items[0].link, activeMatch: "/guides/" },
      { text: "API", link: "/api/", activeMatch: "/api/" },
      { text: "Viewer", link: "/viewer/index.html", target: "_self" },
    ],
    sidebar: groups.flatMap((group) =>
      group.text === "Reference" ? [group, { text: "API", link: "/api/", items: api() }] : [group],
    ),
    outline: [2, 3],
    search: { provider: "local", options: { detailedView: true } },
    socialLinks: [{ icon: "github", link: home }],
    footer: {
      message: `Version ${version}, MIT licence. <a href="${base}notices.txt">Licences of what this site contains</a>`,
    },
  },
});
