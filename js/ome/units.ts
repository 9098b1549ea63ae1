const metric = "yocto zepto atto femto pico nano micro milli centi deci hecto kilo mega giga tera peta exa zetta yotta";
const prefixed = (unit: string) => [unit, ...metric.split(" ").map((prefix) => prefix + unit)];

/** The units that the specification lists for each axis type (section "axes"). */
export const units: Readonly<Record<string, ReadonlySet<string>>> = {
  space: /* @__PURE__ */ new Set([...prefixed("meter"), "angstrom", "foot", "inch", "mile", "parsec", "yard"]),
  time: /* @__PURE__ */ new Set([...prefixed("second"), "day", "hour", "minute"]),
};
