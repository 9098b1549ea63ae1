// Compares docs/guides/hosting.md with web/demo/hostconfig.ts, the source of the configuration that
// the viewer's host check shows.
//
//   node tests/js/hosting.test.mjs --write   writes the configuration into the document
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { top } from "../lib/serve.mjs";

const file = join(top, "docs/guides/hosting.md");

/** The sections of all hosts, as Markdown. */
async function sections() {
  const { outputFiles } = await build({
    entryPoints: [join(top, "web/demo/hostconfig.ts")],
    bundle: true,
    write: false,
    format: "esm",
  });
  const { configurations } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`
  );
  return configurations("*")
    .map(({ name, parts, notes }) => {
      const blocks = parts.map(
        ({ where, lines }) => `${where.replace(/<\w+>/, "`$&`")}:\n\n\`\`\`text\n${lines}\n\`\`\`\n`,
      );
      return [`## ${name}\n`, ...blocks, `${notes.join(" ")}\n`].join("\n");
    })
    .join("\n");
}

test("docs/guides/hosting.md has the lines that the host check shows", async () => {
  const text = readFileSync(file, "utf8");
  const from = text.indexOf("## nginx\n");
  assert.ok(from > 0);
  const written = text.slice(0, from) + (await sections());
  if (process.argv.includes("--write")) writeFileSync(file, written);
  else assert.equal(text, written, "node tests/js/hosting.test.mjs --write");
  for (const name of ["nginx", "Apache", "Caddy", "Amazon S3", "Google Cloud Storage", "Cloudflare R2", "GitHub Pages"])
    assert.ok(written.includes(`\n## ${name}\n`), name);
});
