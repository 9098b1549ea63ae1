// What is written beside an axis.
import { superscript } from "./ticks.js";

/** Which way degrees count, where units are such. */
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

/** Units as they are printed: powers raised, signs for names. `""` where they say nothing. */
export function unitsText(units: string): string {
  const text = units.trim();
  const toward = towards(text);
  if (toward) return toward === "east" ? "°E" : "°N";
  if (text === "1" || text === "" || / since /.test(text)) return "";
  return (
    signs[text] ??
    text.replace(/([A-Za-zµΩ°])(?:\*\*|\^)?(-?\d+)(?=$|[\s/.*)])/g, (_, letter: string, power: string) => {
      return letter + superscript(Number(power));
    })
  );
}

/** `title [units]`, and what the marks leave out. */
export function axisTitle(title: string, units: string, common = ""): string {
  const printed = unitsText(units);
  const text = printed === "" ? title : `${title} [${printed}]`;
  return common === "" ? text : `${text} · ${common}`;
}
