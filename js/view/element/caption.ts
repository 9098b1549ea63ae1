// Texts that describe a picture.
import type { Field } from "../../describe/field.js";
import { cellsOf } from "../mesh/cells.js";
import { type Look, takenAxes } from "./look.js";
import type { Positions } from "./positions.js";

/** Returns the positions along the axes that are not drawn. */
export function subtitleParts(field: Field, look: Look, positions: Positions): string[] {
  const taken = takenAxes(field, look);
  return field.axes.flatMap(({ name, length }, d) => {
    if (taken.includes(d) || length < 2) return [];
    const index = look.indices[d] ?? 0;
    return [`${name} ${positions.of(d)?.text(index) ?? index}`];
  });
}

/** Returns a full description for assistive technology. */
export function captionOf(field: Field, look: Look, positions: Positions): string {
  const { axes, title } = field;
  const plane = `${axes[look.y ?? -1]?.name} down, ${axes[look.x ?? -1]?.name} to the right`;
  return [title.value, plane, ...subtitleParts(field, look, positions)].join("; ");
}

/** Returns the drawn level or the share of drawn elements; `""` if all are drawn. */
export function badgeOf(field: Field, level: number): string {
  const { length } = field.levels;
  if (length > 1) return `level ${level + 1} of ${length}`;
  const every = cellsOf(field)?.every ?? 1;
  return every > 1 ? `one of ${every} columns and rows` : "";
}
