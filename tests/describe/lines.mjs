// Describes all nodes of all hierarchies below a folder, one line for each.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lineOf } from "./line.mjs";

const documents = ["zarr.json", ".zarray", ".zgroup"];

/** The hierarchies below a folder: the topmost folders with metadata. */
export function hierarchies(dir, at = "") {
  const here = join(dir, at);
  if (documents.some((name) => existsSync(join(here, name)))) return [at];
  return readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => hierarchies(dir, at ? `${at}/${name}` : name));
}

/** The paths of a hierarchy's nodes: folders with metadata. */
function nodesOf(dir, at = "") {
  const own = documents.some((name) => existsSync(join(dir, at, name))) ? [at] : [];
  const below = readdirSync(join(dir, at), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\d{3,}$/.test(entry.name) && entry.name !== "c")
    .map(({ name }) => name)
    .sort();
  return [...own, ...below.flatMap((name) => nodesOf(dir, at ? `${at}/${name}` : name))];
}

/** Errors of the program rather than of the data. */
export const fault = /is not (defined|a function|iterable)|Cannot (read|convert|mix)|Invalid array length|call stack/;

const programming = ["TypeError", "Error", "RangeError", "SyntaxError", "ReferenceError"];

/**
 * Archives, repositories and references below a folder. Each is one file, or several that are no
 * nodes.
 */
function containers(dir) {
  const { cases } = JSON.parse(readFileSync(join(dir, "public/containers.json"), "utf8"));
  const repositories = cases
    .filter(({ store, store_kind: kind }) => store && (kind === "icechunk" || kind === "n5"))
    .map(({ store }) => `public/${store}`);
  const files = readdirSync(dir, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    // The references of "public" point to servers.
    .filter((name) => name.endsWith(".zip") || /^ref\/\w+\.json$/.test(name));
  return [...new Set([...repositories, ...files])].sort();
}

/** The paths of the nodes of a hierarchy that its store lists. */
async function listed(root) {
  const paths = [];
  const visit = ({ node, children }) => {
    if (node.kind !== "implicit") paths.push(node.path);
    for (const child of children) visit(child);
  };
  if (root.kind === "group") visit(await root.tree());
  else paths.push(root.path);
  return paths;
}

/** A node's description as a line, or the name of the error that opening it throws. */
async function lineAt(open, describe) {
  try {
    const described = await describe(await open());
    const wrong = described.problems.find(({ message }) => fault.test(message));
    return wrong ? `FAULT ${wrong.message}` : await lineOf(described);
  } catch (error) {
    return programming.includes(error?.name) ? `FAULT ${error.stack}` : String(error?.name);
  }
}

/** The lines of each node of a hierarchy. */
async function ofHierarchy(dir, { open, describe }) {
  const root = await open(dir).catch(() => undefined);
  const lines = [];
  for (const path of nodesOf(dir)) {
    const node = () => (path !== "" && root?.kind === "group" ? root.open(path) : open(join(dir, path)));
    lines.push(`${path || "."}: ${await lineAt(node, describe)}`);
  }
  return lines;
}

/** The lines of each node of a container. */
async function ofContainer(file, { open, describe }) {
  let root;
  try {
    root = await open(file);
  } catch (error) {
    return [`.: ${error.name}`];
  }
  const lines = [];
  for (const path of await listed(root)) {
    lines.push(`${path}: ${await lineAt(() => (path === root.path ? root : root.open(path)), describe)}`);
  }
  return lines;
}

/**
 * The golden list: the path of each hierarchy and container below a folder, and a line for each
 * node.
 */
export async function golden(dir, api) {
  const text = [];
  for (const at of hierarchies(dir)) text.push(`# ${at}`, ...(await ofHierarchy(join(dir, at), api)));
  for (const at of containers(dir)) text.push(`# ${at}`, ...(await ofContainer(join(dir, at), api)));
  return `${text.join("\n")}\n`;
}
