import { css } from "../controls/choicestyles.js";
import type { Panel } from "../controls/parts.js";
import type { MenuEntry } from "../controls/toolbar.js";
import { adoptStyles, append, el, fill } from "../dom.js";
import { addressOf, type Takeable } from "../element/taking.js";
import { computedOf, isProgrammable } from "../expression/computed.js";
import { cellsOf } from "../mesh/cells.js";
import { isPacked } from "../take/packed.js";

/** The largest number of frames of a film along an axis. */
const MOST_PICTURES = 1000;

/** Returns the menu of downloads and copies. */
export function takeEntries(of: Takeable): MenuEntry[] {
  const { field } = of.wish();
  const url = addressOf(field);
  const local = url === null ? "The data is only on this machine." : undefined;
  const computed = computedOf(field);
  const unwritten = computed && !isProgrammable(computed) ? "xarray reads variables with named dimensions." : undefined;
  const films = typeof MediaRecorder === "undefined" ? "This browser records no films." : undefined;
  const entry = (group: string, id: string, text: string, without?: string): MenuEntry => ({
    group,
    id,
    text,
    without,
  });
  return [
    entry("Figure", "png", "PNG"),
    entry("Figure", "svg", "SVG"),
    ...of.axes
      .filter(({ length }) => length > 1)
      .map(({ axis, name, length }) =>
        entry(
          "Film",
          `film:${axis}`,
          `WebM of ${name}`,
          length > MOST_PICTURES ? `More than ${MOST_PICTURES} pictures.` : films,
        ),
      ),
    entry("This slice", "csv", "CSV"),
    ...(isPacked(field)
      ? [
          entry("This slice", "npy", `NPY of values${field.units === "" ? "" : ` in ${field.units}`}`),
          entry("This slice", "npy:stored", "NPY of stored numbers"),
        ]
      : [entry("This slice", "npy", "NPY")]),
    entry("This slice", "tiff", "GeoTIFF", field.place ? undefined : "Its place on the Earth is unknown."),
    entry(
      "This slice",
      "zarr",
      "Zarr in a zip archive…",
      cellsOf(field) && "Rows and columns can be taken: press Map.",
    ),
    entry("For programs and pages", "code", "Code for this slice", of.made ?? unwritten ?? local),
    entry("For programs and pages", "embed", "Embed in a page", local),
    ...(url === null || of.made || computed
      ? []
      : [
          entry("Open in", "open:neuroglancer", "Neuroglancer"),
          ...(of.kind === "image"
            ? [
                entry("Open in", "open:vizarr", "vizarr"),
                entry("Open in", "open:validator", "OME-NGFF validator"),
                entry("Open in", "open:napari", "napari"),
              ]
            : []),
        ]),
  ];
}

/** Fills a menu with entries below their headings. Arrow keys move through them. */
export function fillMenu(panel: Panel, entries: readonly MenuEntry[], chosen: (id: string) => void): void {
  const menu = panel.box;
  adoptStyles(menu, css);
  fill(menu);
  let group = "";
  let box: HTMLElement = menu;
  const items = entries.map((entry) => {
    if (entry.group !== group) {
      group = entry.group;
      box = el(
        "div",
        { role: "group", "aria-label": group },
        el("div", { class: "zc-kind", "aria-hidden": "true" }, group),
      );
      append(menu, box);
    }
    const item = el(
      "button",
      { type: "button", role: "menuitem", class: "zc-item", tabindex: -1, "aria-disabled": entry.without && "true" },
      entry.text,
      entry.without ? el("small", {}, entry.without) : null,
    );
    item.addEventListener("click", () => {
      if (entry.without) return;
      panel.close();
      panel.button.focus();
      chosen(entry.id);
    });
    append(box, item);
    return item;
  });
  // Assigned, so that a refilled menu replaces its key handler.
  menu.onkeydown = (event) => {
    const at = items.indexOf(event.target as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") panel.close();
    if (to === undefined) return;
    items[to % items.length]?.focus();
    event.preventDefault();
  };
}
