// The licences of the software that the site contains.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const top = join(here, "../..");

/** The list of the npm packages in the pages' scripts, which their build writes. */
export const bundledList = join(top, "build/site-bundled.json");

/** The package of a bundled module, or undefined for the site's own. */
export const packageOf = (id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, ""))?.[1];

/** The licence of an npm package, with its text if the package has one. */
function licenceOf(name) {
  const folder = join(here, "node_modules", name);
  const { version, license, author, repository } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
  if (!license) throw new Error(`${name} states no licence`);
  const source = typeof repository === "string" ? repository : (repository?.url ?? "");
  const by = typeof author === "string" ? author : (author?.name ?? "");
  const body = file ? readFileSync(join(folder, file), "utf8").trim() : `${by}\n${source}`.trim();
  return `${name} ${version} (${license})\n\n${body}`;
}

/** The text of notices.txt. The pages show an icon of Simple Icons. */
export function notices() {
  const bundled = [...JSON.parse(readFileSync(bundledList, "utf8")), "@iconify-json/simple-icons"];
  const read = (file) => readFileSync(join(top, file), "utf8").trim();
  const line = `\n\n${"-".repeat(80)}\n\n`;
  const parts = [
    `This site contains zarr-wasm, its viewer, and the scripts of its pages.\n\n${read("LICENSE")}`,
    ...bundled.sort().map(licenceOf),
    `The following software is in the package.\n\n${read("THIRD_PARTY_NOTICES")}`,
  ];
  return `${parts.join(line)}\n`;
}
