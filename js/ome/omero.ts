import type { Version } from "./document.js";
import type { CheckedValue } from "./problems.js";

/** The range of values that a channel displays. */
export interface Window {
  /** The smallest value that may be chosen. */
  min: number;
  /** The largest value that may be chosen. */
  max: number;
  /** The value displayed black. */
  start: number;
  /** The value displayed in the full colour. */
  end: number;
}

/**
 * The display settings of a channel (section "omero"). Members missing in the document are
 * undefined.
 */
export interface Channel {
  /** The name. */
  label: string | undefined;
  /** Six hexadecimal digits, red, green and blue, as stated. */
  color: string | undefined;
  /** Whether it is displayed initially. */
  active: boolean | undefined;
  /** The displayed range of values. */
  window: Window | undefined;
  /** Whether bright and dark are swapped. */
  inverted: boolean | undefined;
  /**
   * The function from values to brightness: `"linear"`, `"polynomial"`, `"exponential"`,
   * `"logarithmic"`.
   */
  family: string | undefined;
  /** The parameter of `family`. */
  coefficient: number | undefined;
}

/**
 * The initial display settings of an image (section "omero", `rdefs`). Members missing in the
 * document are undefined.
 */
export interface RenderingDefaults {
  /** `"color"` or `"greyscale"`. */
  model: string | undefined;
  /** The initial index along t. */
  defaultT: number | undefined;
  /** The initial index along z. */
  defaultZ: number | undefined;
}

/** The display settings of an image. */
export interface Omero {
  channels: Channel[];
  rdefs: RenderingDefaults | undefined;
}

const sides = ["min", "max", "start", "end"] as const;

/** Reads `omero`. The section is transitional: only its invalid parts are skipped. */
export function omeroOf(part: CheckedValue, version: Version): Omero {
  const level = version < "0.4" ? "warning" : "MUST";
  const [list, rdefs] = [part.get("channels"), part.get("rdefs")];
  if (part.exists && !globalThis.Array.isArray(list.value)) list.report(level, "`channels` MUST be a list");
  const channels = list.items.map((item): Channel => {
    if (!item.isObject) item.report(level, "a channel MUST be an object");
    const color = item.get("color");
    const hex = /^[0-9a-f]{6}$/i.test(color.text ?? "");
    if (item.isObject && !hex) color.report(level, "`color` MUST be six hexadecimal digits");
    const { coefficient, ...rest } = {
      label: item.get("label").text,
      color: hex ? color.text : undefined,
      active: item.get("active").flag,
      window: item.isObject ? windowOf(item.get("window"), level) : undefined,
      inverted: item.get("inverted").flag,
      family: item.get("family").text,
      coefficient: item.get("coefficient").number,
    };
    return { ...rest, coefficient };
  });
  const [model, defaultT, defaultZ] = [rdefs.get("model"), rdefs.get("defaultT"), rdefs.get("defaultZ")];
  const index = ({ integer }: CheckedValue) => (typeof integer === "number" && integer >= 0 ? integer : undefined);
  for (const one of [defaultT, defaultZ]) {
    if (one.exists && index(one) === undefined) one.report("warning", "this is not an index");
  }
  if (model.exists && model.text !== "color" && model.text !== "greyscale") {
    model.report("warning", "`model` must be color or greyscale");
  }
  const read = { model: model.text, defaultT: index(defaultT), defaultZ: index(defaultZ) };
  return { channels, rdefs: rdefs.isObject ? read : undefined };
}

function windowOf(part: CheckedValue, level: "MUST" | "warning"): Window | undefined {
  if (!part.isObject) return part.report(level, "`window` MUST be an object");
  const window: Partial<Window> = {};
  for (const side of sides) {
    const { number } = part.get(side);
    if (number === undefined) part.get(side).report(level, `\`${side}\` MUST be a number`);
    else window[side] = number;
  }
  return sides.every((side) => window[side] !== undefined) ? (window as Window) : undefined;
}
