// The units of expressions, as far as the units of their operands determine them.
import type { Expression, Variable } from "./grammar.js";

/** Powers of symbols, like m¹ s⁻¹. A pure number has none. */
type Powers = ReadonlyMap<string, number>;

/** The units of an expression: powers, or the reason why they are unknown. */
type Known = { readonly powers: Powers } | { readonly why: string };

/** The units of a result as text, and the reason if it has none. */
interface ResultUnits {
  /** Display text; `""` for none. */
  readonly units: string;
  /** Why there are none; `""` if there are. */
  readonly why: string;
}

const raisedDigits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (power: number): string =>
  String(power).replace(/./g, (one) => (one === "-" ? "⁻" : (raisedDigits[Number(one)] ?? one)));
const lowered = (text: string): string =>
  text.replace(/⁻/g, "-").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (one) => String(raisedDigits.indexOf(one)));

/** Scales with a zero of their own: a product of their values has no meaning. */
const shifted = new Set(["°C", "°F"]);

const pure: Known = { powers: new Map() };

/** Parses display text of units: `m s⁻¹`, `kg/m2`. Other texts are one symbol. */
function powersOf(units: string): Powers {
  const powers = new Map<string, number>();
  const whole = new Map([[units, 1]]);
  for (const [, slash, factor = ""] of units.matchAll(/(?:^|\s*(\/)\s*|[\s·*.]+)([^\s·*./]+)/g)) {
    const [, symbol, power] = /^([^\d⁰¹²³⁴⁵⁶⁷⁸⁹⁻^-]+)(?:\^?([-⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+))?$/.exec(factor) ?? [];
    if (symbol === undefined) return whole;
    const times = Number(power === undefined ? 1 : lowered(power)) * (slash ? -1 : 1);
    powers.set(symbol, (powers.get(symbol) ?? 0) + times);
  }
  return powers.size === 0 ? whole : powers;
}

const textOf = (powers: Powers): string =>
  [...powers]
    .sort(([, a], [, b]) => Number(b > 0) - Number(a > 0))
    .map(([symbol, power]) => (power === 1 ? symbol : `${symbol}${raised(power)}`))
    .join(" ");

const keyOf = (powers: Powers): string => JSON.stringify([...powers].sort());

/** Returns the product of powers, each raised. */
function product(...factors: readonly (readonly [Powers, number])[]): Powers {
  const all = new Map<string, number>();
  for (const [powers, times] of factors)
    for (const [symbol, power] of powers) all.set(symbol, (all.get(symbol) ?? 0) + power * times);
  return new Map([...all].filter(([, power]) => power !== 0));
}

const isNumber = (one: Known): boolean => "powers" in one && one.powers.size === 0;
const isShifted = (one: Known): boolean => "powers" in one && [...one.powers.keys()].some((name) => shifted.has(name));
const nameOf = (one: Known): string => ("powers" in one ? textOf(one.powers) || "a number" : "");

/** Returns the units that all sides share. With `numbers`, a bare number fits any units. */
function common(sides: readonly Known[], numbers: boolean): Known {
  const unknown = sides.find((one) => "why" in one);
  if (unknown) return unknown;
  const [first = pure, ...others] = numbers && !sides.every(isNumber) ? sides.filter((one) => !isNumber(one)) : sides;
  const other = others.find(
    (one) => keyOf((one as { powers: Powers }).powers) !== keyOf((first as { powers: Powers }).powers),
  );
  return other ? { why: `${nameOf(first)} and ${nameOf(other)} are not the same units` } : first;
}

/** Returns the units of a shift between kelvin and degrees Celsius; undefined for other sums. */
function shift(operation: "+" | "-", a: Known, b: Expression | undefined): Known | undefined {
  if (b?.kind !== "number" || b.value !== 273.15) return undefined;
  if (operation === "-" && nameOf(a) === "K") return { powers: new Map([["°C", 1]]) };
  return operation === "+" && nameOf(a) === "°C" ? { powers: new Map([["K", 1]]) } : undefined;
}

/** Returns the value of a number, of its negation, or of a fraction of numbers. */
function constantOf(expression: Expression | undefined): number | undefined {
  if (expression?.kind === "number") return expression.value;
  if (expression?.kind !== "apply") return undefined;
  const [a, b] = expression.of.map(constantOf);
  if (expression.operation === "negate") return a === undefined ? undefined : -a;
  return expression.operation === "/" && a !== undefined && b !== undefined ? a / b : undefined;
}

function scaled(one: Known, power: number): Known {
  if ("why" in one || isNumber(one)) return one;
  if (isShifted(one)) return { why: `a power of ${nameOf(one)} has no meaning` };
  const powers = product([one.powers, power]);
  if ([...powers.values()].every(Number.isInteger)) return { powers };
  return { why: `${nameOf(one)} to the power of ${power} has no units` };
}

function times(a: Known, b: Known, sign: 1 | -1): Known {
  if ("why" in a) return a;
  if ("why" in b) return b;
  const free = isNumber(b) ? a : isNumber(a) && sign === 1 ? b : undefined;
  if (free) return free;
  const odd = [a, b].find(isShifted);
  if (odd) return { why: `a product of ${nameOf(odd)} has no meaning` };
  return { powers: product([a.powers, 1], [b.powers, sign]) };
}

function unitsIn(expression: Expression, unitsOf: (variable: Variable) => string): Known {
  if (expression.kind === "number") return pure;
  if (expression.kind === "variable") {
    const units = unitsOf(expression);
    return units === "" ? { why: `${expression.name} has no units` } : { powers: powersOf(units) };
  }
  const { operation, of } = expression;
  const sides = of.map((one) => unitsIn(one, unitsOf));
  const [a = pure, b = pure, c = pure] = sides;
  switch (operation) {
    case "+":
    case "-":
      return shift(operation, a, of[1]) ?? common(sides, false);
    case "min":
    case "max":
      return common(sides, true);
    case "where":
      return common([b, c], true);
    case "*":
      return times(a, b, 1);
    case "/":
      return times(a, b, -1);
    case "^": {
      const power = constantOf(of[1]);
      if (power !== undefined) return scaled(a, power);
      return isNumber(a) && isNumber(b) ? pure : { why: "the power is not a number" };
    }
    case "sqrt":
      return scaled(a, 0.5);
    case "negate":
    case "abs":
    case "floor":
    case "round":
      return a;
    case "exp":
    case "log":
    case "log10":
    case "sin":
    case "cos":
    case "tan":
      if ("why" in a || isNumber(a)) return a;
      return { why: `${operation} of ${nameOf(a)} has no units` };
    case "atan2": {
      const both = common(sides, false);
      return "why" in both ? both : pure;
    }
    default:
      // The result of a comparison is a number, whatever is compared.
      return pure;
  }
}

/**
 * Returns the units of an expression. `unitsOf` returns the display text of a variable's units, and
 * `operands` are all these texts: the result uses their spelling.
 */
export function unitsOfExpression(
  expression: Expression,
  unitsOf: (variable: Variable) => string,
  operands: readonly string[],
): ResultUnits {
  const found = unitsIn(expression, unitsOf);
  if ("why" in found) return { units: "", why: found.why };
  if (found.powers.size === 0) return { units: "", why: "the result is a pure number" };
  const key = keyOf(found.powers);
  return { units: operands.find((text) => keyOf(powersOf(text)) === key) ?? textOf(found.powers), why: "" };
}
