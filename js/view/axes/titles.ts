// Titles of axes.
import type { Coordinate } from "../../describe/field.js";
import { own } from "../../shared/attributes.js";
import { superscript } from "./ticks.js";

/** Returns the direction in which degrees count; null for other units. */
export function towards(units: string): "east" | "north" | null {
  const [, way] = /^(?:°|deg(?:ree)?s?)[ _]?(e|east|n|north)$/i.exec(units.trim()) ?? [];
  if (way === undefined) return null;
  return way.toLowerCase().startsWith("e") ? "east" : "north";
}

const signs: Readonly<Record<string, string>> = {
  micrometer: "µm",
  um: "µm",
  degC: "°C",
  degrees_C: "°C",
  celsius: "°C",
  Celsius: "°C",
  degree: "°",
  degrees: "°",
  percent: "%",
};

/**
 * Formats units for display: superscript powers, signs in place of names. Returns `""` for units
 * without meaning.
 */
export function unitsText(units: string): string {
  const text = units.trim();
  const toward = towards(text);
  if (toward) return toward === "east" ? "°E" : "°N";
  if (text === "1" || text === "" || / since /.test(text)) return "";
  return (
    own(signs, text) ??
    text.replace(/([A-Za-zµΩ°])(?:\*\*|\^)?(-?\d+)(?=$|[\s/.*)])/g, (_, letter: string, power: string) => {
      return letter + superscript(Number(power));
    })
  );
}

/** Returns `title [units]`, with the part that all mark texts leave out. */
export function axisTitle(title: string, units: string, common = ""): string {
  const printed = unitsText(units);
  const text = printed === "" ? title : `${title} [${printed}]`;
  return common === "" ? text : `${text} · ${common}`;
}

/** Returns the title of an axis's positions. It says that they are indices if none are known. */
export const positionTitle = (title: string, coordinate: Coordinate | null): string =>
  coordinate ? title : `${title} (index)`;
