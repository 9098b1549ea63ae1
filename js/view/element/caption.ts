// What a picture shows, in words.
import type { Field } from "../../describe/field.js";
import { cellsOf } from "../mesh/cells.js";
import { type Look, takenAxes } from "./look.js";
import type { Positions } from "./positions.js";

/** Where it is along the axes that are not drawn. */
export function subtitleParts(field: Field, look: Look, positions: Positions): string[] {
  const taken = takenAxes(field, look);
  return field.axes.flatMap(({ name, length }, d) => {
    if (taken.includes(d) || length < 2) return [];
    const index = look.indices[d] ?? 0;
    return [`${name} ${positions.of(d)?.text(index) ?? index}`];
  });
}

/** All of it, for those who do not see it. */
export function captionOf(field: Field, look: Look, positions: Positions): string {
  const { axes, title } = field;
  const plane = `${axes[look.y ?? -1]?.name} down, ${axes[look.x ?? -1]?.name} to the right`;
  return [title.value, plane, ...subtitleParts(field, look, positions)].join("; ");
}

/** Which level is drawn, or how many of the elements are; empty where all of them are. */
export function badgeOf(field: Field, level: number): string {
  const { length } = field.levels;
  if (length > 1) return `level ${level + 1} of ${length}`;
  const every = cellsOf(field)?.every ?? 1;
  return every > 1 ? `one of ${every} columns and rows` : "";
}
