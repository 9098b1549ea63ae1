import type { Field } from "../../describe/field.js";
import type { MenuEntry } from "../controls/toolbar.js";
import type { Figure } from "../take/figure.js";
import type { Wish } from "../take/slice.js";

/** What is taken away of. */
export interface Takeable {
  /** What is shown, and which part of it. */
  wish(): Wish;
  /** What is seen. */
  figure(): Figure;
  /** The axes that a film can run along. */
  readonly axes: readonly { readonly axis: number; readonly name: string; readonly length: number }[];
  /** Shows an index of an axis, and fulfils when it is painted. */
  go(axis: number, index: number, signal: AbortSignal): Promise<void>;
  /** Says how much of what takes long is done; null when it is. */
  progress(done: number, total: number): void;
  /** The element, whose attributes show the same in another page. */
  readonly element: HTMLElement;
  /** Whether it is an image with levels, or an array. */
  readonly kind: "array" | "image";
}

/** A film of an axis has at most so many pictures. */
const MOST_PICTURES = 1000;

/** The address of a field's store; null where it is none that others reach. */
export function addressOf(field: Field): string | null {
  const { store } = field.levels[0]?.array ?? {};
  const { url, address } = Object(store) as { url?: unknown; address?: unknown };
  const text = String(url ?? address ?? "");
  return /^https?:/.test(text) ? text : null;
}

/** What can be taken away. */
export function takeEntries(of: Takeable): MenuEntry[] {
  const { field } = of.wish();
  const url = addressOf(field);
  const local = url === null ? "The data are on this machine only." : undefined;
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
    entry("This slice", "npy", "NPY"),
    entry("This slice", "tiff", "GeoTIFF", field.place ? undefined : "It is not said where it lies on the Earth."),
    entry("For programs and pages", "code", "Code for this slice", local),
    entry("For programs and pages", "embed", "Embed in a page", local),
    ...(url === null
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
