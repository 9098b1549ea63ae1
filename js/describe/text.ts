// Numbers and units as display text.

/** Symbols of units, by their names in conventions. */
const symbols: Readonly<Record<string, string>> = {
  "1": "",
  degree: "°",
  degrees: "°",
  deg: "°",
  percent: "%",
  degc: "°C",
  celsius: "°C",
  degree_celsius: "°C",
  degrees_celsius: "°C",
  deg_c: "°C",
  kelvin: "K",
  angstrom: "Å",
  micron: "µm",
  microns: "µm",
  um: "µm",
  μm: "µm",
};

const prefixes: Readonly<Record<string, string>> = {
  nano: "n",
  micro: "µ",
  milli: "m",
  centi: "c",
  kilo: "k",
  mega: "M",
  pico: "p",
  femto: "f",
};

const bases: Readonly<Record<string, string>> = { meter: "m", metre: "m", second: "s" };

const raised = (digits: string) =>
  Array.from(digits, (one) => (one === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(one)])).join("");

/**
 * @internal Units as display text: `°N` for `degrees_north`, `µm` for `micrometer`, `m s⁻¹` for
 * `m s-1`.
 */
export function unitText(units: string): string {
  const plain = units.trim();
  const lower = plain.toLowerCase();
  if (Object.hasOwn(symbols, lower)) return symbols[lower] as string;
  const [, direction] = /^degrees?_?(e|east|n|north)$/.exec(lower) ?? [];
  if (direction) return direction.startsWith("e") ? "°E" : "°N";
  const [, prefix = "", base = ""] =
    /^(nano|micro|milli|centi|kilo|mega|pico|femto)?(met(?:er|re)|second)s?$/.exec(lower) ?? [];
  if (base) return `${prefixes[prefix] ?? ""}${bases[base]}`;
  const short = plain.length > 60 ? `${plain.slice(0, 59)}…` : plain;
  // A digit is a power if it has a sign, or if the unit is a length or a time.
  return short.replace(
    /([A-Za-z])(?:(?:\*\*|\^)(-?\d+)|(-\d+))(?![\d:])|\b(k?m|cm|mm|s)([23])(?=[\s/]|$)/g,
    (_, letter, power, negative, unit, square) =>
      letter === undefined ? `${unit}${raised(square)}` : `${letter}${raised(power ?? negative)}`,
  );
}

/** @internal A quantity with its units; degrees follow without a space. */
export function withUnits(text: string, units: string): string {
  if (units === "") return text;
  return /^(°[NESW]?|%)$/.test(units) ? `${text}${units}` : `${text} ${units}`;
}

/** @internal The shortest text that reads back as the same number of its type. */
export function exactText(value: number, single: boolean): string {
  if (!single || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

/** @internal A number with the given count of significant digits, without trailing zeros. */
export function roundText(value: number, digits = 7): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : String(value);
}
