// The actions of a picture's menu.

import { UnsupportedError } from "../../index.js";
import { redact } from "../../platform/redact.js";
import { Dialog } from "../controls/dialog.js";
import { choice, labelled, offer, textButton } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import { type Takeable, addressOf as wholeAddress } from "../element/taking.js";
import { computedOf } from "../expression/computed.js";
import { codeOf, type Language, type Program } from "./code.js";
import { csvLines } from "./csv.js";
import { IndexRange, showTexts, waiting } from "./dialog.js";
import { expressionCode } from "./expressioncode.js";
import { figureCanvas, figureSvg, pngOf } from "./figure.js";
import { filmOf } from "./film.js";
import { elsewhere, embedOf } from "./links.js";
import { npyOf } from "./npy.js";
import { askPart } from "./partdialog.js";
import { physical } from "./physical.js";
import { fileName, save } from "./save.js";
import { readSlice, type Slice, selectionOf, type Wish } from "./slice.js";
import { georeferenceOf, tiffOf } from "./tiff.js";

/** Returns the root for dialogs over an element. */
const rootOf = ({ element }: Takeable): ParentNode & Node => element.shadowRoot ?? element;

/** Returns a table's lines, and yields between parts so that the page stays responsive. */
async function csvBlob(slice: Slice, signal: AbortSignal): Promise<Blob> {
  const parts: string[] = [];
  let part = "";
  let due = performance.now() + 12;
  for (const line of csvLines(slice)) {
    part += line;
    if (performance.now() < due) continue;
    parts.push(part);
    part = "";
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    due = performance.now() + 12;
  }
  return new Blob([...parts, part]);
}

/**
 * Returns the address of a field's store without its query, which may be a signature. Programs,
 * pages and links with the address are shared.
 */
const storeOf = (field: Wish["field"]): string | null => {
  const url = wholeAddress(field);
  return url && redact(url);
};

/** Returns the address of a node below its store. */
export function addressOf(url: string, path: string): string {
  const found = new URL(url);
  const below = path.split("/").filter(Boolean).map(encodeURIComponent).join("/");
  if (below !== "") found.pathname = `${found.pathname.replace(/\/$/, "")}/${below}`;
  return found.href;
}

/** Returns the programs that read the slice, with the names of their languages. */
export function programs(wish: Wish, kind: Takeable["kind"]): { name: string; text: string }[] {
  const { array } = wish.field.levels[wish.level] ?? {};
  const url = storeOf(wish.field);
  if (url === null || !array) return [];
  const computed = computedOf(wish.field);
  if (computed) {
    const text = expressionCode(url, wish, computed);
    return text === null ? [] : [{ name: "Python: xarray", text }];
  }
  const names = array.dimensionNames;
  const program: Program = {
    url,
    path: array.path,
    selection: selectionOf(wish),
    shape: array.shape,
    dimensions: names?.every((name) => typeof name === "string") ? (names as string[]) : null,
    // The levels of an image are not variables.
    dataset: kind === "image" || array.path === "/" ? null : array.path.replace(/\/[^/]*$/, "") || "/",
  };
  const languages: [Language, string][] = [
    ["javascript", "JavaScript"],
    ["python", "Python: zarr"],
    ["xarray", "Python: xarray"],
    ["go", "Go"],
  ];
  return languages.flatMap(([language, name]) => {
    const text = codeOf(language, program);
    return text === null ? [] : [{ name, text }];
  });
}

/** Attributes of the element that do not belong to the view. */
const others = ["class", "style", "id", "aria-busy", "src"];

/** Runs a menu entry. The signal aborts its reads. */
export async function take(id: string, of: Takeable, signal: AbortSignal): Promise<void> {
  const wish = of.wish();
  const { field } = wish;
  const root = rootOf(of);
  const name = (ending: string) => fileName([field.name, of.subtitle()], ending);
  const url = storeOf(field);
  const slice = <T>(title: string, make: (slice: Slice, signal: AbortSignal) => Promise<T> | T): Promise<T> =>
    waiting(root, title, signal, async (signal) => make(await readSlice(wish, signal), signal));
  const [what, which = ""] = id.split(":");
  switch (what) {
    case "png":
      return save(await pngOf(figureCanvas(await of.figure())), "image/png", name("png"));
    case "svg":
      return save(figureSvg(await of.figure()), "image/svg+xml", name("svg"));
    case "csv":
      return save(await slice("Preparing the table", csvBlob), "text/csv", name("csv"));
    case "npy":
      return save(
        await slice("Preparing the array", async (slice) => npyOf(which === "stored" ? slice : await physical(slice))),
        "application/octet-stream",
        name(which === "stored" ? "stored.npy" : "npy"),
      );
    case "tiff": {
      const made = await slice("Preparing the image", async (slice) => {
        const where = georeferenceOf(slice);
        if (typeof where === "string") throw new UnsupportedError(where, { path: field.path, feature: "GeoTIFF" });
        return tiffOf(slice, where);
      });
      return save(made, "image/tiff", name("tif"));
    }
    case "zarr":
      return askPart(root, { ...wish, part: of.region() ?? wish.part }, name("zarr.zip"), signal);
    case "film": {
      const axis = of.axes.find((one) => String(one.axis) === which);
      return axis && film(of, axis, wish.indices[axis.axis] ?? 0, signal);
    }
    case "code":
      return showTexts(root, "Code for this slice", programs(wish, of.kind));
    case "embed": {
      const shown = of.attributes();
      const own = [...of.element.attributes].filter(
        ({ name }) => !others.includes(name) && !shown.some(([known]) => known === name),
      );
      const attributes = [...shown, ...own.map(({ name, value }) => [name, value] as const)];
      const text = embedOf([["src", url ?? ""], ...attributes]);
      return showTexts(root, "HTML for another page", [{ name: "HTML", text }]);
    }
    case "open": {
      const found = url && elsewhere(addressOf(url, field.path), of.kind).find((one) => one.id === which);
      if (!found) return;
      if (found.href) window.open(found.href, "_blank", "noopener");
      else showTexts(root, `Open in ${found.name}`, [{ name: "", text: found.command ?? "" }]);
    }
  }
}

type Axis = Takeable["axes"][number];

/** Asks for the range of a film along an axis, and records it. */
function film(of: Takeable, axis: Axis, before: number, signal: AbortSignal): void {
  const root = rootOf(of);
  const dialog = new Dialog(root, `Film of ${axis.name}`);
  const range = new IndexRange(axis.length, "", "From", () => say());
  range.ends = [0, axis.length - 1];
  const speed = choice("Speed", () => say());
  offer(
    speed,
    [2, 5, 10, 20, 30].map((n) => [String(n), `${n} per second`]),
  );
  speed.value = "10";
  const note = el("p", { class: "zc-note" });
  const say = () => {
    const [from, to] = range.ends;
    const pictures = to - from + 1;
    const seconds = Math.ceil(pictures / Number(speed.value));
    note.textContent = `${pictures} pictures. Recording takes ${seconds} seconds or more, and shows each picture.`;
  };
  const begin = textButton("Record the film", () => {
    const pictures = Number(speed.value);
    dialog.close();
    make(of, axis, range.ends, pictures, before, signal).catch((error: unknown) => {
      if ((error as Error).name === "AbortError") return;
      showTexts(root, "The film failed", [{ name: "", text: String(error) }]);
    });
  });
  say();
  fill(
    dialog.body,
    el("div", { class: "zc-line" }, ...range.elements),
    labelled("Speed", speed),
    note,
    el(
      "div",
      { class: "zc-line" },
      begin,
      textButton("Cancel", () => dialog.close()),
    ),
  );
}

async function make(
  of: Takeable,
  { axis, name }: Axis,
  [from, to]: readonly [number, number],
  speed: number,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const length = to - from + 1;
  const picture = async (i: number, signal: AbortSignal) => {
    await of.go(axis, from + i, signal);
    return figureCanvas(await of.figure(), 1);
  };
  try {
    const blob = await waiting(rootOf(of), "Recording the film", signal, (signal, done) =>
      filmOf({ length, speed, picture, done: (n) => done(n / length) }, signal),
    );
    save(blob, "video/webm", fileName([of.wish().field.name, name], "webm"));
  } finally {
    // Returns to the previous index, unless the view shows something else now.
    if (!signal.aborted) void of.go(axis, before, signal).catch(() => {});
  }
}
