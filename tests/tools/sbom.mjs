// Writes the software bill of materials of the npm package, in CycloneDX. It contains `npm sbom`'s
// entries for the package and its dependencies, the Go modules linked into its wasm, and the npm
// packages bundled in its scripts. THIRD_PARTY_NOTICES has the notices of the same ones.
//
//   node tests/tools/sbom.mjs [FILE]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../../", import.meta.url));
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: top, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** The bill, as an object. */
export function sbom() {
  const own = JSON.parse(readFileSync(`${top}package.json`, "utf8"));
  const bill = JSON.parse(run("npm", "sbom", "--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx"));
  const { component } = bill.metadata;
  component.name = own.name; // npm takes the folder's
  const modules = JSON.parse(run("go", "run", "./tests/tools/notices", "-list")).map(
    ({ kind, name, version, licenses }) => {
      const purl = `pkg:${kind}/${name}@${version}`;
      const description = name === "std" ? "The runtime and the standard library of Go, and wasm_exec.js" : undefined;
      return {
        "bom-ref": purl,
        type: "library",
        name,
        version,
        description,
        scope: "required",
        purl,
        licenses: licenses.map((id) => ({ license: { id } })),
      };
    },
  );
  bill.components.push(...modules);
  bill.dependencies.find(({ ref }) => ref === component["bom-ref"]).dependsOn.push(...modules.map(({ purl }) => purl));
  bill.dependencies.push(...modules.map(({ purl }) => ({ ref: purl, dependsOn: [] })));
  return bill;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = `${JSON.stringify(sbom(), null, 2)}\n`;
  if (process.argv[2]) writeFileSync(process.argv[2], text);
  else process.stdout.write(text);
}
