import type { Field } from "../../describe/field.js";
import { classesOf } from "../colour/classes.js";
import { tableOf } from "../colour/colormaps.js";
import type { Figure } from "../take/figure.js";
import type { Contrast } from "./contrast.js";
import type { Look } from "./look.js";
import { colormapOf, coloursOf } from "./styling.js";

/** Returns the title and the colour legend of a picture's figure. */
export function meaningOf(field: Field, look: Look, contrast: Contrast): Pick<Figure, "title" | "bar" | "entries"> {
  const range = look.kind === "map" ? (look.range ?? contrast.range(look.read[0] ?? 0, look.curve)) : null;
  const colours = coloursOf(field);
  const classes = look.kind === "category" ? classesOf(field) : [];
  return {
    title: field.title.value,
    bar: range && {
      title: field.title.value,
      units: field.units,
      table: tableOf(colormapOf(field, look)),
      range,
      curve: look.curve,
      times: field.values === "time",
    },
    entries: [
      ...look.channels,
      ...classes.map(({ label }, i) => ({ label, colour: colours[i] ?? ([0, 0, 0] as const) })),
    ],
  };
}
