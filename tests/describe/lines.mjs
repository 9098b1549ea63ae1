// What describe makes of nodes, a line each: of all hierarchies below a folder.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const documents = ["zarr.json", ".zarray", ".zgroup"];

/** The folders of the hierarchies below a folder: those with metadata that lie in no other. */
export function hierarchies(dir, at = "") {
  const here = join(dir, at);
  if (documents.some((name) => existsSync(join(here, name)))) return [at];
  return readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => hierarchies(dir, at ? `${at}/${name}` : name));
}

/** The paths of the nodes of a hierarchy: of folders with metadata. */
export function nodesOf(dir, at = "") {
  const own = documents.some((name) => existsSync(join(dir, at, name))) ? [at] : [];
  const below = readdirSync(join(dir, at), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\d{3,}$/.test(entry.name) && entry.name !== "c")
    .map(({ name }) => name)
    .sort();
  return [...own, ...below.flatMap((name) => nodesOf(dir, at ? `${at}/${name}` : name))];
}

const mark = ({ by }) => (by === "stated" ? "!" : "?");

const short = (number) => (typeof number === "number" ? String(Number(number.toPrecision(6))) : String(number));

/** What a field is, in short. */
async function fieldLine(field) {
  const { axes, plane, levels, channels, packing, place } = field;
  const parts = [];
  const described = await Promise.all(
    axes.map(async (axis) => {
      const { name, role, length, units } = axis;
      const coordinate = await axis.coordinate();
      const ends = coordinate && length > 0 ? `=${coordinate.text(0)}..${coordinate.text(length - 1)}` : "";
      const same = role.value === name || (role.value === "other" && role.by === "guessed");
      return `${name}${same ? "" : `:${role.value}${mark(role)}`}[${length}]${ends || (units ? ` ${units}` : "")}`;
    }),
  );
  parts.push(`(${described.join(" ")})`);
  const { x, y, up, left } = plane.value;
  const drawn = x === null ? "value" : y === null ? `line ${axes[x].name}` : `${axes[y].name}×${axes[x].name}`;
  parts.push(`${drawn}${up ? " up" : ""}${left ? " left" : ""}${mark(plane)}`);
  const indices = field.indices.flatMap((index, d) => (index === 0 ? [] : [`${axes[d].name}@${index}`]));
  parts.push(...indices);
  if (field.values !== "number") parts.push(field.values);
  if (field.units) parts.push(`units=${field.units}`);
  if (field.title.value !== field.name) parts.push(`"${field.title.value}"`);
  if (levels.length > 1) {
    const level = ({ factor, start }) =>
      `${factor.map(short).join("·")}${start.some((one) => one !== 0) ? `+${start.map(short).join("·")}` : ""}`;
    parts.push(`levels=${levels.slice(1).map(level).join(" ")}`);
  }
  if (field.colourAxis !== null) parts.push(`colour=${axes[field.colourAxis].name}`);
  if (channels) {
    const list = channels.list.map(({ label, colour, window, visible }) => {
      const hex = colour.value.map((one) => one.toString(16).padStart(2, "0")).join("");
      return `${label} ${hex}${mark(colour)}${window ? ` ${window.value.map(short).join("..")}${mark(window)}` : ""}${visible ? "" : " off"}`;
    });
    parts.push(`channels=[${list.join(", ")}]`);
  }
  if (packing.scale !== 1 || packing.offset !== 0)
    parts.push(`packed=${short(packing.scale)}/${short(packing.offset)}`);
  if (packing.type) parts.push(`as=${packing.type}`);
  if (packing.missing.length > 0) parts.push(`missing=${packing.missing.map(short).join(",")}`);
  if (packing.valid) parts.push(`valid=${packing.valid.map(short).join("..")}`);
  if (field.categories.length > 0) {
    const list = field.categories.map(
      ({ value, label, colour }) =>
        `${value}=${label}${colour ? `#${colour.map((one) => one.toString(16).padStart(2, "0")).join("")}` : ""}`,
    );
    parts.push(`categories=${list.slice(0, 6).join(",")}${list.length > 6 ? `…${list.length}` : ""}`);
  }
  if (field.labels) parts.push("labels");
  if (field.range) parts.push(`range=${field.range.value.map(short).join("..")}`);
  if (field.scale.value !== "sequential") parts.push(`${field.scale.value}${mark(field.scale)}`);
  if (place) {
    const { lonLat, curvilinear, transform, crs } = place;
    const facts = [lonLat && "lonlat", curvilinear && "curvilinear", crs, transform?.map(short).join(" ")];
    parts.push(`place=${facts.filter(Boolean).join(",")}`);
  }
  if (field.members.length > 0) parts.push(`members=${field.members.join(",")}`);
  return parts.join(" ");
}

/** What a description says, in a line. */
export async function lineOf(described) {
  const { kind, conventions, problems } = described;
  const parts = [kind];
  switch (kind) {
    case "array":
    case "image":
      parts.push(await fieldLine(described.field));
      if (kind === "image") {
        if (described.labels.length > 0) parts.push(`over=${described.labels.map(({ name }) => name).join(",")}`);
        if (described.images.length > 0) parts.push(`images=${described.images.join(",")}`);
      }
      break;
    case "dataset": {
      const { dimensions, coordinates, variables, first } = described;
      const named = async ({ name }) => {
        const extent = await described.extent(name);
        return extent ? `${name}=${extent.first}..${extent.last}` : name;
      };
      parts.push(`(${dimensions.map(({ name, length }) => `${name}[${length}]`).join(" ")})`);
      parts.push(`coordinates=${(await Promise.all(coordinates.map(named))).join(",")}`);
      parts.push(`variables=${variables.map(({ name, units }) => (units ? `${name} ${units}` : name)).join(",")}`);
      parts.push(`first=${first?.value ?? "none"}`);
      break;
    }
    case "plate": {
      const { rows, columns, wells } = described;
      parts.push(`${rows.join(",")} × ${columns.join(",")} wells=${wells.length}`);
      if (wells[0])
        parts.push(`images=${(await described.images(wells[0].path).catch(({ name }) => [name])).join(",")}`);
      break;
    }
    case "table": {
      const { length, columns, embeddings } = described;
      parts.push(`${length} rows`, columns.map((one) => `${one.name}:${one.kind}`).join(","));
      if (embeddings.length > 0)
        parts.push(`points=${embeddings.map((one) => `${one.name}[${one.dimensions}]`).join(",")}`);
      break;
    }
    default:
      parts.push(described.members ? `members=${described.members.length}` : "members=unknown");
  }
  if (conventions.length > 0)
    parts.push(`{${conventions.map(({ name, version }) => (version ? `${name} ${version}` : name)).join(", ")}}`);
  if (problems.length > 0) parts.push(`problems=${problems.length}`);
  return parts.join(" ");
}

/** Problems that are mistakes of the program and not of the data. */
export const fault = /is not (defined|a function|iterable)|Cannot (read|convert|mix)|Invalid array length|call stack/;

const programming = ["TypeError", "Error", "RangeError", "SyntaxError", "ReferenceError"];

/** Archives, repositories and references below a folder: what lies in them is one file, or several that are no nodes. */
function containers(dir) {
  const { cases } = JSON.parse(readFileSync(join(dir, "public/containers.json"), "utf8"));
  const repositories = cases
    .filter(({ store, store_kind: kind }) => store && (kind === "icechunk" || kind === "n5"))
    .map(({ store }) => `public/${store}`);
  const files = readdirSync(dir, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    // The references of "public" lead to servers.
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

/** What describe makes of a node: a line; of one that cannot be opened its named error. */
async function lineAt(open, describe) {
  try {
    const described = await describe(await open());
    const wrong = described.problems.find(({ message }) => fault.test(message));
    return wrong ? `FAULT ${wrong.message}` : await lineOf(described);
  } catch (error) {
    return programming.includes(error?.name) ? `FAULT ${error.stack}` : String(error?.name);
  }
}

/** What describe makes of each node of a hierarchy, a line each. */
async function ofHierarchy(dir, { open, describe }) {
  const root = await open(dir).catch(() => undefined);
  const lines = [];
  for (const path of nodesOf(dir)) {
    const node = () => (path !== "" && root?.kind === "group" ? root.open(path) : open(join(dir, path)));
    lines.push(`${path || "."}: ${await lineAt(node, describe)}`);
  }
  return lines;
}

/** What describe makes of each node of a container, a line each. */
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

/** The golden list: of each hierarchy and container below a folder its path, and a line for each node. */
export async function golden(dir, api) {
  const text = [];
  for (const at of hierarchies(dir)) text.push(`# ${at}`, ...(await ofHierarchy(join(dir, at), api)));
  for (const at of containers(dir)) text.push(`# ${at}`, ...(await ofContainer(join(dir, at), api)));
  return `${text.join("\n")}\n`;
}
