import { checkVersion, type Rules } from "./document.js";
import type { CheckedValue } from "./problems.js";

/** Red, green, blue and opacity, each from 0 to 255. */
export type Rgba = [red: number, green: number, blue: number, alpha: number];

/** The labels of a label image (section "image-label", since 0.5 "labels"). */
export interface Label {
  /**
   * The colour of each value; null for a value listed without one. If a value is listed twice, the
   * last entry counts.
   */
  colors: Map<number | bigint, Rgba | null>;
  /** The properties of each value. */
  properties: Map<number | bigint, Record<string, unknown>>;
  /** The path of the labelled image, relative to this one. */
  source: string;
}

/** Reads `image-label`. Skips only the invalid parts. */
export function labelOf(part: CheckedValue, rules: Rules): Label {
  const label: Label = { colors: new Map(), properties: new Map(), source: "../../" };
  if (!part.object()) return label;
  const [colors, properties, source] = [part.get("colors"), part.get("properties"), part.get("source")];
  if (!colors.exists) colors.should("an `image-label` SHOULD have `colors`");
  else each(colors, (value, item) => label.colors.set(value, rgbaOf(item.get("rgba"))));
  if (properties.exists) {
    each(properties, (value, item) => {
      const { "label-value": _, ...others } = item.value as Record<string, unknown>;
      label.properties.set(value, others);
    });
  }
  if (source.exists) {
    source.optional(source.isObject, "an object");
    const image = source.get("image");
    image.optional(image.text !== undefined, "a string");
    label.source = image.text || label.source;
  }
  checkVersion(part, rules, "an `image-label`");
  return label;
}

/** Calls `take` for each object of a list, with the label value of the object. */
function each(part: CheckedValue, take: (value: number | bigint, item: CheckedValue) => void): void {
  const seen = new Set<number | bigint>();
  for (const item of part.list() ?? []) {
    if (!item.isObject) {
      item.must("this MUST be an object");
      continue;
    }
    const at = item.get("label-value");
    const { integer: value } = at;
    if (value === undefined) {
      at.must(at.exists ? "`label-value` MUST be an integer" : "`label-value` is missing");
      continue;
    }
    if (seen.has(value)) at.must("the values of labels MUST be unique");
    seen.add(value);
    take(value, item);
  }
}

function rgbaOf(part: CheckedValue): Rgba | null {
  if (!part.exists) return null;
  const values = part.items.map(({ value }) => value);
  const byte = (value: unknown) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
  if (values.length === 4 && values.every(byte)) return values as Rgba;
  part.must("`rgba` MUST be four integers from 0 to 255");
  return null;
}

/** Reads the paths that a group of labels lists. */
export function pathsOf(part: CheckedValue): string[] {
  if (!globalThis.Array.isArray(part.value)) {
    part.must("this MUST be a list of paths");
    return [];
  }
  const texts = part.items.map((item) => item.text || item.must("this MUST be a path"));
  return texts.filter((text) => text !== undefined);
}
