// A program that reads the variables of an expression and computes it.
import type { Field } from "../../describe/field.js";
import { own } from "../../shared/attributes.js";
import { type Computed, isProgrammable } from "../expression/computed.js";
import type { Expression } from "../expression/grammar.js";
import type { Operation } from "../worker/operations.js";
import { literal } from "./code.js";
import { selectionOf, type Wish } from "./slice.js";

/** Functions that numpy lacks, or that treat missing values differently. */
const helpers = {
  divide: `def divide(a, b):
    return a / xr.where(b == 0, np.nan, b)
`,
  power: `def power(a, b):
    return xr.where(np.isnan(a) | ((a == 0) & (b < 0)), np.nan, a) ** b
`,
  compare: `def compare(test, a, b):
    return xr.where(np.isnan(a) | np.isnan(b), np.nan, test(a, b))
`,
  choose: `def choose(test, a, b):
    return xr.where(np.isnan(test), np.nan, xr.where(test != 0, a, b))
`,
  positive: `def positive(a):
    return xr.where(a > 0, a, np.nan)
`,
} as const;

const comparisons: Readonly<Record<string, string>> = {
  "<": "less",
  "<=": "less_equal",
  ">": "greater",
  ">=": "greater_equal",
  "==": "equal",
  "!=": "not_equal",
};

const functions: Readonly<Partial<Record<Operation, string>>> = {
  atan2: "np.arctan2",
  min: "np.minimum",
  max: "np.maximum",
  abs: "np.abs",
};

/** Words that name something else in the program. */
const taken = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False np xr data dataset".split(
    " ",
  ),
);

/** Returns the expression in Python, and adds the helpers that it needs. */
function python(expression: Expression, nameOf: (one: Expression) => string, used: Set<keyof typeof helpers>): string {
  const write = (one: Expression): string => {
    if (one.kind === "number") return one.value === Math.PI ? "np.pi" : String(one.exact ?? one.value);
    if (one.kind === "variable") return nameOf(one);
    const { operation, of } = one;
    const parts = of.map(write);
    const list = parts.join(", ");
    const helper = (name: keyof typeof helpers, text = list): string => {
      used.add(name);
      return `${name}(${text})`;
    };
    const [, second] = of;
    const constant = second?.kind === "number" && second.value > 0;
    const comparison = comparisons[operation];
    if (comparison !== undefined) return helper("compare", `np.${comparison}, ${list}`);
    switch (operation) {
      case "+":
      case "-":
      case "*":
        return `(${parts.join(` ${operation} `)})`;
      case "/":
        return constant ? `(${parts.join(" / ")})` : helper("divide");
      case "^":
        return constant ? `(${parts.join(" ** ")})` : helper("power");
      case "negate":
        return `(-${list})`;
      case "where":
        return helper("choose");
      case "log":
      case "log10":
        return `np.${operation}(${helper("positive")})`;
      default:
        return `${functions[operation] ?? `np.${operation}`}(${list})`;
    }
  };
  const text = write(expression);
  // Parentheses around the whole are not needed.
  return expression.kind === "apply" && /^\(/.test(text) ? text.slice(1, -1) : text;
}

/** Returns the items of a selection by the names of dimensions. */
function itemsOf(wish: Wish, field: Field, index: Readonly<Record<string, number>>): string[] {
  const selection = selectionOf(wish);
  return field.axes.flatMap(({ name, length }, d) => {
    const along = wish.field.axes.findIndex((axis) => axis.name === name);
    const item = own(index, name) ?? (along < 0 ? field.indices[d] : selection[along]);
    if (typeof item === "number") return [`${literal(name)}: ${item}`];
    if (!item || (item[0] === 0 && item[1] === length)) return [];
    return [`${literal(name)}: slice(${item[0]}, ${item[1]})`];
  });
}

/**
 * Returns a program for xarray that computes an expression of the variables of a store. Null if its
 * operands have levels, or dimensions without names.
 */
export function expressionCode(url: string, wish: Wish, computed: Computed): string | null {
  if (!isProgrammable(computed)) return null;
  const { expression, variables, operands } = computed;
  const names = new Map<string, string>();
  const groups = new Map<string, string>();
  const lines = operands.map(({ field, index }, i) => {
    const variable = variables[i];
    const path = field.levels[0]?.array.path ?? field.path;
    const group = path.replace(/\/[^/]*$/, "");
    const own = path.slice(group.length + 1);
    const plain = /^[A-Za-z_]\w*$/.test(own) && !taken.has(own) && !Object.hasOwn(helpers, own);
    const base = plain ? own : `v${i + 1}`;
    const used = [...names.values()];
    const name = used.includes(base) ? `${base}_${i + 1}` : base;
    if (variable) names.set(JSON.stringify([variable.name, variable.places]), name);
    const dataset = groups.get(group) ?? (groups.size === 0 ? "dataset" : `dataset_${groups.size + 1}`);
    groups.set(group, dataset);
    const items = itemsOf(wish, field, index);
    return `${name} = ${dataset}[${literal(own)}]${items.length > 0 ? `.isel({${items.join(", ")}})` : ""}`;
  });
  const used = new Set<keyof typeof helpers>();
  const nameOf = (one: Expression) =>
    (one.kind === "variable" && names.get(JSON.stringify([one.name, one.places]))) || "np.nan";
  const text = python(expression, nameOf, used);
  const opened = [...groups].map(
    ([group, name]) =>
      `${name} = xr.open_zarr(${literal(url)}${group === "" ? "" : `, group=${literal(group.slice(1))}`})`,
  );
  const defined = [...used].map((name) => `\n\n${helpers[name]}`).join("");
  return `import numpy as np
import xarray as xr
${defined}${defined === "" ? "" : "\n"}
${[...opened, ...lines].join("\n")}
data = ${text}
`;
}
