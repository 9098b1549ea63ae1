import type { Field, Packing } from "../../describe/field.js";
import { classesOf } from "../colour/classes.js";
import { categoryColours, defaultColormap, isColormap, tableOf } from "../colour/colormaps.js";
import type { Style } from "../paint/painter.js";
import type { Contrast } from "./contrast.js";
import type { ChannelStyle } from "./layer.js";
import type { Look } from "./look.js";

/** Returns the name of a look's colour map; `-r` at its end reverses it. */
export const colormapOf = (field: Field, look: Look): string =>
  look.colormap !== null && isColormap(look.colormap) ? look.colormap : defaultColormap(field.scale.value);

/**
 * Returns the range of stored colours: from 0 to the largest of their integer type, and from 0 to 1
 * for floats.
 */
function colourRange({ levels, range }: Field): readonly [number, number] {
  if (range) return range.value;
  const type = levels[0]?.array.type;
  return type?.kind === "uint" || type?.kind === "int"
    ? [0, 2 ** (8 * type.size - (type.kind === "int" ? 1 : 0)) - 1]
    : [0, 1];
}

/** Returns the colour of each class. */
export function coloursOf(field: Field): (readonly [number, number, number])[] {
  const classes = classesOf(field);
  const palette = categoryColours(classes.length);
  return classes.map(
    ({ colour }, i) => colour ?? [palette[4 * i] ?? 0, palette[4 * i + 1] ?? 0, palette[4 * i + 2] ?? 0],
  );
}

type LabelStyle = Style & { readonly kind: "label" };

/** Cached, because there may be thousands, and painters identify colours by their object. */
const labelColours = new WeakMap<Field, LabelStyle["colours"]>();

/** Returns the style of labels, with their stated colours and the highlighted one. */
export function labelStyleOf(field: Field, chosen: number | null): LabelStyle {
  const known = labelColours.get(field);
  const colours =
    known ?? new Map(field.categories.flatMap(({ value, colour }) => (colour ? [[value, [...colour, 255]]] : [])));
  if (!known) labelColours.set(field, colours);
  return { kind: "label", chosen, colours };
}

/** Returns the styles of a field's channels, and the channels without a known range. */
export function stylesOf(
  field: Field,
  look: Look,
  contrast: Contrast,
  packing: Packing,
): { readonly styles: ChannelStyle[]; readonly unknown: number[] } {
  const { curve } = look;
  const [channel = 0] = look.read;
  switch (look.kind) {
    case "colour":
      return {
        styles: [{ channel, style: { kind: "colour", range: look.range ?? colourRange(field) } }],
        unknown: [],
      };
    case "label":
      return { styles: [{ channel, style: labelStyleOf(field, look.chosen) }], unknown: [] };
    case "category": {
      const values = classesOf(field).map(({ value }) => value);
      const colours = Uint8Array.from(coloursOf(field).flatMap((colour) => [...colour, 255]));
      return { styles: [{ channel, style: { kind: "category", values, colours } }], unknown: [] };
    }
    case "channel": {
      const styles: ChannelStyle[] = [];
      const unknown: number[] = [];
      for (const { index, colour, range } of look.channels) {
        const known = range ?? contrast.range(index, curve);
        if (known) styles.push({ channel: index, style: { kind: "channel", colour, range: known, curve, packing } });
        else unknown.push(index);
      }
      return { styles, unknown };
    }
    case "map": {
      const range = look.range ?? contrast.range(channel, curve);
      if (!range) return { styles: [], unknown: [channel] };
      const table = tableOf(colormapOf(field, look));
      return { styles: [{ channel, style: { kind: "map", table, range, curve, packing } }], unknown: [] };
    }
  }
}
