// Helpers that build the page's elements, like those of the view.

export { append, type Child, copyText, el, fill } from "../../js/view/dom.js";

/**
 * Returns the element of index.html with this id. Throws if it is missing, which is an error of the
 * page and not of the data.
 */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`The page has no <${type.name}> with the id "${id}".`);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

const ICONS: Record<string, string> = {
  group:
    "M2 4.5A1.5 1.5 0 0 1 3.5 3h2.6l1.6 1.8h4.8A1.5 1.5 0 0 1 14 6.3v5.2a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5z",
  array: "M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11",
  unknown: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 8v.1",
  twist: "M6 4l4 4l-4 4",
  copy: "M5.5 5.5h7v7h-7zM3.5 10.5v-7h7",
  panel: "M2.5 3h11v10h-11zM6 3v10",
  aside: "M2.5 3h11v10h-11zM10 3v10",
  link: "M6.8 9.2a2.3 2.3 0 0 0 3.3 0l2.2-2.2a2.3 2.3 0 0 0-3.3-3.3l-.8.8M9.2 6.8a2.3 2.3 0 0 0-3.3 0L3.7 9a2.3 2.3 0 0 0 3.3 3.3l.8-.8",
  full: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  good: "M3.5 8.5l3 3l6-7",
  advice: "M8 3v6M8 12v.1",
  bad: "M4 4l8 8M12 4l-8 8",
};

/**
 * Returns a small line icon, hidden from assistive technology because the text beside it says the
 * same.
 */
export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name] ?? ICONS.unknown ?? "");
  svg.appendChild(path);
  return svg;
}
