// The bill of materials names everything published, and nothing else.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { top } from "../lib/serve.mjs";
import { sbom } from "../tools/sbom.mjs";

test("the bill of materials has the package, its dependencies and the Go modules whose notices it carries", () => {
  const own = JSON.parse(readFileSync(`${top}package.json`, "utf8"));
  const { bomFormat, metadata, components, dependencies } = sbom();
  assert.equal(bomFormat, "CycloneDX");
  assert.equal(metadata.component.purl, `pkg:npm/${own.name}@${own.version}`);
  assert.equal(metadata.component.name, own.name);
  const of = (kind) => components.filter(({ purl }) => purl.startsWith(`pkg:${kind}/`));
  assert.deepEqual(
    of("npm")
      .map(({ name }) => name)
      .sort(),
    [...Object.keys(own.dependencies ?? {}), "fzstd"].sort(),
  );
  assert.equal(of("npm").length + of("golang").length, components.length);

  const notices = readFileSync(`${top}THIRD_PARTY_NOTICES`, "utf8");
  const titles = [...notices.matchAll(/^=+\n(.+)\n=+$/gm)].map(([, title]) => title);
  for (const { name, version, licenses } of components) {
    const title = name === "std" ? "Go runtime, standard library and wasm_exec.js" : `${name} ${version}`;
    assert.ok(titles.includes(title), `${title} has no notice`);
    assert.ok(licenses.length > 0 && licenses.every(({ license }) => /^[\w.-]+$/.test(license.id)), name);
  }
  for (const title of titles)
    assert.ok(
      components.some(({ name }) => title.includes(name === "std" ? "Go runtime" : name)),
      `${title} is not in the bill`,
    );
  const refs = new Set([metadata.component["bom-ref"], ...components.map((one) => one["bom-ref"])]);
  assert.deepEqual(new Set(dependencies.map(({ ref }) => ref)), refs);
  // It contains no path of the build machine.
  assert.ok(!JSON.stringify(components).includes(top));
});
