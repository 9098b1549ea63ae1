// Bundles the declarations that tsc makes of js/ into one file for each entry of the package.
// Shared declarations go into types.d.ts, because a class that is declared twice would be two
// types.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const here = dirname(fileURLToPath(import.meta.url));
const top = dirname(here);

/**
 * Writes the declarations into a folder. `entries` maps each file of declarations to its module
 * below js/ and the names of the values that its script exports. All other names are exported as
 * types only.
 */
export async function writeDeclarations(out, entries) {
  const made = join(top, "build", "types");
  rmSync(made, { recursive: true, force: true });
  execFileSync(join(top, "node_modules", ".bin", "tsc"), ["-p", join(here, "tsconfig.build.json"), "--outDir", made], {
    stdio: "inherit",
  });
  const bundle = await rolldown({
    cwd: made,
    input: Object.fromEntries(
      Object.entries(entries).map(([name, { module }]) => [name, join(made, `${module}.d.ts`)]),
    ),
    plugins: [dts({ dtsInput: true, tsconfig: false })],
  });
  const { output } = await bundle.write({
    dir: out,
    entryFileNames: "[name].ts",
    chunkFileNames: "[name].ts",
    minifyInternalExports: false,
    codeSplitting: { groups: [{ name: "types.d", minShareCount: 2 }] },
  });
  await bundle.close();
  for (const { fileName } of output) {
    const { values } = entries[fileName.replace(/\.d\.ts$/, "")] ?? {};
    const file = join(out, fileName);
    const text = readFileSync(file, "utf8").replace(/^\/\/ .*\.d\.ts\n/gm, "");
    writeFileSync(file, values ? text.replace(/^export \{(.*)\};$/m, (_, list) => exported(list, values)) : text);
  }
}

/** Returns a list of exports in which names without a value are marked as types. */
function exported(list, values) {
  const specifiers = list.split(",").map((one) => {
    const specifier = one.trim().replace(/^type /, "");
    const name = specifier.split(" as ").at(-1);
    return name && !values.includes(name) ? `type ${specifier}` : specifier;
  });
  return `export { ${specifiers.join(", ")} };`.replace("{  }", "{}");
}
