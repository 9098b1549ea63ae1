// Tests the grammar, the programs and the units of expressions, against a plain reference.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../tests/lib/random.mjs";
import { completions } from "../view/expression/choice.js";
import {
  compiled,
  type Expression,
  ExpressionError,
  nearest,
  parseExpression,
  words,
  written,
} from "../view/expression/grammar.js";
import { unitsOfExpression } from "../view/expression/units.js";
import { runProgram } from "../view/worker/operations.js";

/** A value, or null if it is missing. */
type Value = number | null;
/** A random expression: its text, its value, and whether the text stands without parentheses. */
interface Made {
  readonly text: string;
  readonly value: (of: readonly Value[]) => Value;
  readonly whole: boolean;
}

const known = (value: number): Value => (Number.isNaN(value) ? null : value);
/** Applies a function of numbers, which is missing where an operand is. */
const on =
  (run: (...of: number[]) => number | null, ...parts: readonly Made[]) =>
  (of: readonly Value[]): Value => {
    const values = parts.map((part) => part.value(of));
    return values.includes(null) ? null : known(run(...(values as number[])) ?? Number.NaN);
  };

const names = ["u", "v", "t2m", "b8", "Länge", "2 m", "sqrt"];
const unary = {
  abs: Math.abs,
  sqrt: Math.sqrt,
  exp: Math.exp,
  log: (a: number) => (a > 0 ? Math.log(a) : null),
  log10: (a: number) => (a > 0 ? Math.log10(a) : null),
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  floor: Math.floor,
  round: (a: number) => {
    const below = Math.floor(a);
    if (a - below !== 0.5) return Math.round(a);
    return below % 2 === 0 ? below : below + 1;
  },
};
const binary: Record<string, (a: number, b: number) => number | null> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0 ? null : a / b),
  "^": (a, b) => (a === 0 && b < 0 ? null : a ** b),
  "<": (a, b) => Number(a < b),
  "<=": (a, b) => Number(a <= b),
  ">": (a, b) => Number(a > b),
  ">=": (a, b) => Number(a >= b),
  "==": (a, b) => Number(a === b),
  "!=": (a, b) => Number(a !== b),
};

function anything(roll: ReturnType<typeof random>, depth: number): Made {
  const part = () => anything(roll, depth - 1);
  const space = () => (roll(3) === 0 ? " " : "");
  /** Writes an operand with parentheses if it needs some, and sometimes if it does not. */
  const within = ({ text, whole }: Made) => (whole && roll(4) > 0 ? text : `(${space()}${text}${space()})`);
  const kind = depth === 0 ? roll(2) : roll(7);
  if (kind === 0) {
    const value = roll.of([0, 1, 2, 0.5, 3.25, 1e-3, 1e3]) as number;
    const text = roll.of([String(value), value.toExponential()]) as string;
    return { text, value: () => value, whole: true };
  }
  if (kind === 1) {
    const i = roll(names.length);
    return { text: written(names[i] as string), value: (of) => of[i] as Value, whole: true };
  }
  if (kind === 2) {
    const name = roll.of(Object.keys(unary)) as keyof typeof unary;
    const a = part();
    return { text: `${name}(${space()}${a.text})`, value: on(unary[name], a), whole: true };
  }
  if (kind === 3) {
    const a = part();
    return { text: `-${within(a)}`, value: on((x) => -x, a), whole: false };
  }
  if (kind === 4) {
    const [a, b, c] = [part(), part(), part()];
    const value = (of: readonly Value[]) => {
      const test = a.value(of);
      return test === null ? null : test !== 0 ? b.value(of) : c.value(of);
    };
    return { text: `where(${a.text},${b.text} , ${c.text})`, value, whole: true };
  }
  if (kind === 5) {
    const name = roll.of(["min", "max", "atan2"]) as "min" | "max" | "atan2";
    const parts = Array.from({ length: name === "atan2" ? 2 : 2 + roll(3) }, part);
    return {
      text: `${name}(${parts.map(({ text }) => text).join(",")})`,
      value: on(Math[name], ...parts),
      whole: true,
    };
  }
  const sign = roll.of(Object.keys(binary)) as string;
  const [a, b] = [part(), part()];
  return {
    text: `${within(a)}${space()}${sign}${space()}${within(b)}`,
    value: on(binary[sign] as (a: number, b: number) => number | null, a, b),
    whole: false,
  };
}

/** Computes an expression of columns of values, NaN if missing. */
function computed(text: string, columns: Readonly<Record<string, readonly number[]>>, length: number): number[] {
  const { variables, program } = compiled(parseExpression(text));
  const results = new Float64Array(length);
  const load = (k: number, to: Float64Array) => to.set(columns[variables[k]?.name ?? ""] as number[]);
  runProgram(program, [], load, results);
  return [...results];
}

test("a random expression has the values of the plain reference, and is missing where that is", () => {
  for (let seed = 1; seed <= 1500; seed++) {
    const roll = random(seed);
    const made = anything(roll, 1 + roll(4));
    if (made.text.length > 500) continue;
    const length = 7;
    const value = () => (roll(5) === 0 ? null : (roll.of([0, 1, -1, 0.5, 2.5, roll.real(-9, 9)]) as number));
    const rows = Array.from({ length }, () => names.map(value));
    const columns = Object.fromEntries(names.map((name, i) => [name, rows.map((row) => row[i] ?? Number.NaN)]));
    let found: number[];
    try {
      found = computed(made.text, columns, length);
    } catch (error) {
      // Only random nesting can exceed the bounds.
      assert.match((error as Error).message, /levels deep/, made.text);
      continue;
    }
    // A sign of zero is no difference between values.
    const plain = (one: number) => (one === 0 ? 0 : one);
    assert.deepEqual(
      found.map(plain),
      rows.map((row) => plain(made.value(row) ?? Number.NaN)),
      `seed ${seed}: ${made.text}`,
    );
  }
});

test("operators bind as in arithmetic", () => {
  const value = (text: string) => computed(`${text} + 0 * x`, { x: [1] }, 1)[0];
  const cases: [string, number][] = [
    ["1 - 2 - 3", -4],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["2 ^ -1", 0.5],
    ["2 ** 3 × 2 ÷ 4 − 1", 3],
    ["8 / 2 / 2", 2],
    ["(1 + 2 * 3 < 8) + 1", 2],
    ["max(1, 5, 3) - min(4, 2)", 3],
    ["+ + 3", 3],
    ["sin(pi / 2)", 1],
    ["round(2.5) + round(3.5) + round(-0.5)", 6],
    [".5e1 + 1.", 6],
  ];
  for (const [text, expected] of cases) assert.equal(value(text), expected, text);
});

test("a variable has positions and indices along its axes", () => {
  const places = (text: string) => {
    const found = parseExpression(text);
    assert.equal(found.kind, "variable");
    return found.kind === "variable" ? found.places : [];
  };
  assert.deepEqual(places("t2m [ time = 2020-01-01T12:00 , height:3]"), [
    { axis: "time", position: "2020-01-01T12:00" },
    { axis: "height", index: 3 },
  ]);
  assert.deepEqual(places(`"2 m"["a b"='x, ]y']`), [{ axis: "a b", position: "x, ]y" }]);
  assert.deepEqual(places("this[time= -5.5]"), [{ axis: "time", position: "-5.5" }]);
  const { variables, program } = compiled(parseExpression("a - a[t:0] + a[t:0] * a"));
  assert.equal(variables.length, 2, "the same operand is read once");
  assert.equal(program.length, 7);
});

test("an invalid expression is an error with the place of the mistake", () => {
  const cases: [string, number, RegExp][] = [
    ["", 0, /is empty/],
    ["   ", 0, /is empty/],
    ["1 +", 3, /a value is expected at the end/],
    ["1 + * 2", 4, /instead of \*/],
    ["(1 + 2", 6, /\) is expected/],
    ["1 + 2)", 5, /before \)/],
    ["2x", 1, /an operator is expected before x/],
    ["a b", 2, /an operator is expected before b/],
    ["sqr(2)", 0, /no function sqr/],
    ["sqrt", 4, /\( is expected after sqrt/],
    ["sqrt(1, 2)", 0, /takes 1 arguments, not 2/],
    ["min(1)", 0, /takes 2 or more arguments, not 1/],
    ["a < b < c", 6, /compares two values/],
    ["a = b", 2, /before =/],
    ["a & b", 2, /& means nothing/],
    ["'abc", 0, /has no end/],
    ["a[time]", 2, /an axis is expected/],
    ["a[time=]", 2, /a position along time is expected/],
    ["a[time:x]", 2, /whole number/],
    ["a[t:1, t:2]", 7, /named twice/],
    ["constructor.constructor", 11, /\. means nothing/],
    ["a => a", 2, /before =/],
    [`${"(".repeat(200)}1${")".repeat(200)}`, 41, /levels deep/],
    [`${"-".repeat(499)}1`, 41, /levels deep/],
    [`1${" + 1".repeat(200)}`, 500, /at most 500 characters/],
  ];
  for (const [text, position, message] of cases) {
    let found: unknown;
    try {
      parseExpression(text);
    } catch (error) {
      found = error;
    }
    assert.ok(found instanceof ExpressionError, text);
    assert.equal(found.name, "UnsupportedError");
    assert.match(found.message, message, text);
    assert.match(found.message, new RegExp(`\\(character ${found.position + 1}\\)$`));
    assert.equal(found.position, position, `${text}: ${found.message}`);
  }
});

test("no text makes parsing fail otherwise than by name, and none takes long", () => {
  const roll = random(3);
  const signs = [
    "(",
    ")",
    "[",
    "]",
    "+",
    "-",
    "^",
    "1",
    "e",
    "a",
    "'",
    '"',
    ",",
    ":",
    "=",
    "<",
    " ",
    "min(",
    "\ud800",
    "é",
    ".",
    "where(",
  ];
  for (let i = 0; i < 20_000; i++) {
    const text = Array.from({ length: roll(40) }, () => roll.of(signs)).join("");
    try {
      compiled(parseExpression(text));
    } catch (error) {
      assert.ok(error instanceof ExpressionError, `${text}: ${error}`);
      assert.ok(error.position >= 0 && error.position <= text.length, text);
    }
  }
  assert.throws(
    () => compiled(parseExpression(Array.from({ length: 20 }, (_, i) => `a${i}`).join("+"))),
    ExpressionError,
  );
});

test("the longest and deepest expressions are computed", () => {
  assert.deepEqual(computed(`${"x+".repeat(249)}x`, { x: [2] }, 1), [500]);
  assert.deepEqual(computed(`${"(x+".repeat(39)}x${")".repeat(39)}`, { x: [2] }, 1), [80]);
});

test("units are those that the operands determine", () => {
  const units: Record<string, string> = {
    t: "K",
    c: "°C",
    u: "m s⁻¹",
    v: "m/s",
    p: "hPa",
    r: "mm/day",
    n: "",
    area: "m2",
  };
  const cases: [string, string][] = [
    ["t - t", "K"],
    ["t - c", ""],
    ["t - 273.15", "°C"],
    ["c + 273.15", "K"],
    ["t - 5", ""],
    ["(t + t) / 2", "K"],
    ["sqrt(u^2 + u^2)", "m s⁻¹"],
    ["sqrt(u^2 + v^2)", "m s⁻¹"],
    ["v + u", "m/s"],
    ["u * u", "m² s⁻²"],
    ["1 / u", "s m⁻¹"],
    ["u ^ -1", "s m⁻¹"],
    ["area ^ (1/2)", "m"],
    ["u ^ 0.5", ""],
    ["(u - v) / (u + v)", ""],
    ["t > 5", ""],
    ["max(t, 0)", "K"],
    ["where(n > 1, p, 0)", "hPa"],
    ["abs(-r)", "mm/day"],
    ["exp(t)", ""],
    ["exp(t / t)", ""],
    ["c * c", ""],
    ["2 * c", "°C"],
    ["n + t", ""],
    ["atan2(u, v)", ""],
    ["area * u", "m³ s⁻¹"],
  ];
  for (const [text, expected] of cases) {
    const found = unitsOfExpression(parseExpression(text), ({ name }) => units[name] ?? "", [
      ...new Set([...text.matchAll(/[a-z]+/g)].flatMap(([name]) => (units[name] ? [units[name] as string] : []))),
    ]);
    assert.equal(found.units, expected, `${text}: ${found.why}`);
    assert.equal(found.why === "", expected !== "", text);
  }
});

test("completions continue the last word, and nearest names resemble a wrong one", () => {
  const all = ["t2m", "tp", "sst", "air temp"];
  assert.deepEqual(completions("sst - t2", all), ["sst - t2m"]);
  assert.deepEqual(completions("SQ", all), ["sqrt("]);
  assert.ok(completions("", all).includes('"air temp"'));
  for (const text of completions("(t", all)) assert.match(text, /^\((t2m|tp|tan\()$/);
  assert.equal(nearest("t2n", all), "t2m, tp", "the nearest is first");
  assert.equal(nearest("zzzz", all), "");
  const names = ["a", "pi", "x y", "this", 'q"', ...words];
  const parsed = (text: string): Expression => parseExpression(text);
  for (const name of names) {
    const found = parsed(written(name));
    assert.ok(found.kind === "variable" && found.name === name, name);
  }
});
