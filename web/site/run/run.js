// Runs an example in the frame that the site opens for it. web/site/build.mjs writes run.json.
import { linked, recording, relocated, takeDown } from "./live.js";

const here = (path) => new URL(path, location.href).href;
const placed = (paths, folder) =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, here(folder + path)]));

/** The package's files by the names of its entries, and the samples by the documents' addresses. */
const loading = fetch("run.json")
  .then((response) => response.json())
  .then(({ entries, samples }) => ({ files: placed(entries, ""), addresses: placed(samples, "../samples/") }));

const module = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));

/** The names of the variables that a script declares at its top level. */
function variablesOf(code) {
  const names = new Set();
  for (const [, pattern] of code.matchAll(/^(?:const|let) (\w+|[{[][^=\n]*[\]}]) = /gm))
    for (const [, name] of pattern.replace(/\w+:/g, "").matchAll(/(\w+)/g)) names.add(name);
  return [...names];
}

/**
 * Runs code, and returns `{ said, values, error }`: for each line that states its output the actual
 * and the stated one, and the arrays that the code read.
 */
globalThis.runExample = async ({ code, html, files: more, dark, comparing, print, resize }) => {
  const { files, addresses } = await loading;
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  document.body.innerHTML = relocated(html, addresses).replace(/<(!doctype|meta|link|title)[^>]*>|<\/title>/gi, "");
  new ResizeObserver(() => resize(document.body.childElementCount > 0 ? document.body.scrollHeight : 0)).observe(
    document.body,
  );
  const said = [];
  const values = {};
  const line = (level, list) => print({ level, text: list.map((value) => text(value, 0)).join(" ") });
  const failed = (error) => line("error", [`${error?.name ?? "Error"}: ${error?.message ?? error}`]);
  addEventListener("error", ({ error, message }) => failed(error ?? message));
  addEventListener("unhandledrejection", ({ reason }) => failed(reason));
  globalThis.example = {
    said,
    values,
    console: Object.fromEntries(
      ["log", "info", "debug", "warn", "error", "table", "dir"].map((level) => [level, (...list) => line(level, list)]),
    ),
    takeDown: (...words) => line("log", takeDown(...words)),
  };
  let script = relocated(comparing ? recording(code) : code, addresses);
  for (const [name, worker] of Object.entries(more)) {
    const url = module(linked(relocated(worker, addresses), files));
    script = script.replaceAll(`new URL("./${name}", import.meta.url)`, JSON.stringify(url));
  }
  const found = variablesOf(script).map((name) => `${name}: typeof ${name} === "undefined" ? undefined : ${name}`);
  // The first line stays the first: an error names the code's own lines.
  script = `const { said, takeDown, console } = globalThis.example; ${script}
Object.assign(globalThis.example.values, { ${found.join(", ")} });`;
  try {
    await import(module(script));
    return { said, values: arraysOf(values) };
  } catch (error) {
    failed(error);
    return { said, values: [], error: String(error) };
  }
};

// ---- output ---------------------------------------------------------------------

/** A value as a console would show it. */
function text(value, depth) {
  if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return value.toISOString();
  const list = ArrayBuffer.isView(value) || Array.isArray(value);
  if (list && value.length !== undefined) {
    const shown = Array.from({ length: Math.min(value.length, 12) }, (_, i) => text(value[i], depth + 1));
    const name = Array.isArray(value) ? "" : `${value.constructor.name}(${value.length}) `;
    return `${name}[${shown.join(", ")}${value.length > 12 ? ", …" : ""}]`;
  }
  const keys = Object.keys(value);
  if (depth > 2) return "{…}";
  const name = value.constructor?.name ?? "Object";
  const shown = keys.slice(0, 12).map((key) => `${key}: ${text(value[key], depth + 1)}`);
  if (keys.length > 12) shown.push("…");
  return `${name === "Object" ? "" : `${name} `}{${shown.length > 0 ? ` ${shown.join(", ")} ` : ""}}`;
}

const MOST_ROWS = 6;
const MOST_COLUMNS = 8;

const isArray = (value) =>
  value?.data?.length > 0 && Array.isArray(value.shape) && value.shape.length > 0 && !ArrayBuffer.isView(value);

/** The last array that the code read, as plain data for the page to show. */
function arraysOf(values) {
  const all = Object.entries(values).filter(([, value]) => isArray(value));
  if (isArray(values)) all.push(["data", { data: values.data, shape: values.shape }]);
  return all.slice(-1).map(([name, value]) => shown(name, value));
}

function shown(name, { data, shape }) {
  const [height, width] = shape.length === 1 ? [1, shape[0]] : shape.slice(-2);
  const size = shape.reduce((a, b) => a * b, 1);
  const rows = Array.from({ length: Math.min(height, MOST_ROWS) }, (_, row) =>
    Array.from({ length: Math.min(width, MOST_COLUMNS) }, (_, column) => text(data[row * width + column], 1)),
  );
  const cut = height > MOST_ROWS || width > MOST_COLUMNS || size > height * width;
  return {
    name,
    title: `${data.constructor.name}, ${shape.join(" × ")}`,
    rows,
    more: cut ? `The first ${rows.length} × ${rows[0].length} of ${size.toLocaleString("en")} elements.` : "",
    // A page of the example's own shows what it wants to show.
    picture:
      document.body.childElementCount === 0 && height >= 8 && width >= 8 && typeof data[0] === "number"
        ? picture(data, width, height)
        : undefined,
  };
}

/** The first plane in shades of gray, from the 2nd to the 98th percentile. */
function picture(data, width, height) {
  const plane = Array.from({ length: width * height }, (_, i) => data[i]);
  const sorted = plane.filter(Number.isFinite).sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  const [low, high] = [at(0.02), at(0.98)];
  const pixels = new ImageData(width, height);
  plane.forEach((value, i) => {
    const gray = (255 * (value - low)) / (high - low || 1);
    pixels.data.set([gray, gray, gray, Number.isFinite(value) ? 255 : 0], 4 * i);
  });
  return pixels;
}
