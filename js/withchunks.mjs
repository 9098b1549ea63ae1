// Moves an entry's chunks into the entry, after esbuild has split the package.
import { basename, relative } from "node:path";
import { build } from "esbuild";

/**
 * Puts an entry's chunks into the entry, so that a page waits for one file and not for two in turn.
 * The other files import from the entry instead of from these chunks, because classes and state
 * must exist once. The names of such private exports begin with an underscore. Returns all files.
 */
export async function withChunks(entry, files, outputs, options) {
  const chunks = outputs[relative(options.absWorkingDir, `${options.outdir}/${entry}`)].imports.filter(
    ({ kind }) => kind === "import-statement",
  );
  /** The exports of each chunk, with their names in the entry. */
  const exportsOf = new Map(
    chunks.map(({ path }, i) => [basename(path), outputs[path].exports.map((name) => [name, `_${i}${name}`])]),
  );
  const text = (name) => new TextDecoder().decode(files.get(name));
  const mapped = (name) => {
    const map = Buffer.from(files.get(`${name}.map`)).toString("base64");
    return `${text(name)}\n//# sourceMappingURL=data:application/json;base64,${map}`;
  };
  const list = (pairs, from) => `export { ${pairs.map(([name, as]) => `${name} as ${as}`)} } from "./${from}";`;
  const all = [`export * from "./${entry}";`, ...[...exportsOf].map(([name, pairs]) => list(pairs, name))].join("\n");
  /** Replaces a chunk by the names that a file imports of it. esbuild's metadata lacks them. */
  const replaced = (chunk, importer) => {
    const [before, found] = text(importer).split(`}from"./${chunk}"`);
    const clause = found === undefined ? "" : before.slice(before.lastIndexOf("{") + 1);
    const used = clause.split(",").map((specifier) => specifier.split(" as ")[0]);
    const pairs = exportsOf.get(chunk).filter(([name]) => used.includes(name));
    return list(
      pairs.map(([name, as]) => [as, name]),
      entry,
    );
  };
  /** Builds files again. `source` returns the code of a file or of an import, if not external. */
  const again = (names, source) => {
    const plugin = {
      name: "files",
      setup: (build) => {
        build.onResolve({ filter: /./ }, ({ path, kind, importer }) => {
          const [module, contents] = (kind !== "dynamic-import" && source(basename(path), importer)) || [];
          return module ? { path: module, namespace: "dist", pluginData: contents } : { path, external: true };
        });
        build.onLoad({ filter: /./, namespace: "dist" }, ({ pluginData }) => ({ contents: pluginData }));
      },
    };
    return build({ ...options, entryPoints: names, splitting: false, write: false, inject: [], plugins: [plugin] });
  };
  const others = [...files.keys()].filter((name) => name.endsWith(".js") && name !== entry && !exportsOf.has(name));
  const built = await Promise.all([
    again([entry], (name, importer) => (importer === "" ? ["all", all] : files.has(name) && [name, mapped(name)])),
    again(others, (name, importer) =>
      importer === ""
        ? [name, mapped(name)]
        : exportsOf.has(name) && [`${name} of ${importer}`, replaced(name, importer)],
    ),
  ]);
  // A list of exports has no source.
  const sources = (map) => map.replace(/"dist:[^"]*"/g, () => JSON.stringify("../js/withchunks.mjs"));
  return built.flatMap(({ outputFiles }) =>
    outputFiles.map(({ path, contents, text }) => [basename(path), path.endsWith(".map") ? sources(text) : contents]),
  );
}
