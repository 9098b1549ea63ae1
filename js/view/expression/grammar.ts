// The grammar of expressions: operators, functions, numbers, and variables at indices.
import { UnsupportedError } from "../../errors.js";
import { type Operation, operations, type Step } from "../worker/operations.js";

/** The index of an operand along one of its axes: a position as text, or an index. */
type Place = { readonly axis: string } & ({ readonly position: string } | { readonly index: number });

/** A parsed expression. `at` is the place of its first character in the text. */
export type Expression =
  | {
      readonly kind: "number";
      readonly value: number;
      /** The integer that was written, if float64 does not hold all of its size. */
      readonly exact?: bigint | undefined;
      readonly at: number;
    }
  | { readonly kind: "variable"; readonly name: string; readonly places: readonly Place[]; readonly at: number }
  | {
      readonly kind: "apply";
      readonly operation: Operation;
      readonly of: readonly Expression[];
      readonly at: number;
    };

/** A variable of an expression. */
export type Variable = Extract<Expression, { kind: "variable" }>;

/** The error of a text that is not an expression, or names something unknown. */
export class ExpressionError extends UnsupportedError {
  /** The place in the text, from 0. */
  readonly position: number;

  /** The message ends with the place, counted from 1. */
  constructor(message: string, position: number, hint?: string) {
    super(`${message} (character ${position + 1})`, { feature: "this expression", hint });
    this.position = position;
  }
}

/** The largest number of characters. */
const longest = 500;
/** The largest depth of parentheses, functions and signs. */
const deepest = 40;
/** The largest number of different operands. */
const mostOperands = 12;

/** The functions, with the number of their arguments. `min` and `max` take two or more. */
const functions: readonly Operation[] = (Object.keys(operations) as Operation[]).filter(
  (name) => /^\w+$/.test(name) && name !== "negate",
);

/** The names that mean no variable, unless they are quoted. */
export const words: readonly string[] = [...functions, "pi"];

/** Other spellings of operators. */
const spellings: Readonly<Record<string, string>> = {
  "**": "^",
  "−": "-",
  "–": "-",
  "×": "*",
  "·": "*",
  "÷": "/",
  "≤": "<=",
  "≥": ">=",
  "≠": "!=",
};

interface Token {
  readonly kind: "number" | "name" | "quoted" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

const pattern =
  /\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|([\p{L}_][\p{L}\p{M}\p{N}_]*)|"([^"]*)"|'([^']*)'|(\*\*|[<>=!]=|[-−–+*×·/÷^<>≤≥≠()[\],:=]))/uy;

/** The levels of binary operators, the weakest first. */
const levels: readonly (readonly string[])[] = [
  ["<", "<=", ">", ">=", "==", "!="],
  ["+", "-"],
  ["*", "/"],
];

class Parser {
  readonly #text: string;
  #at = 0;
  #token: Token;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#scan();
  }

  parse(): Expression {
    const found = this.#binary(0);
    const { kind, text, at } = this.#token;
    if (kind !== "end") throw new ExpressionError(`an operator is expected before ${text}`, at);
    return found;
  }

  #scan(): Token {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) {
      const rest = this.#text.slice(this.#at).trimStart();
      const at = this.#text.length - rest.length;
      if (rest === "") return { kind: "end", text: "", at: this.#text.length };
      const sign = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      throw new ExpressionError(/^["']/.test(rest) ? `the quotation ${sign} has no end` : `${sign} means nothing`, at);
    }
    const [whole, number, name, double, single, sign] = found;
    const at = pattern.lastIndex - whole.trimStart().length;
    this.#at = pattern.lastIndex;
    if (number !== undefined) return { kind: "number", text: number, at };
    if (name !== undefined) return { kind: "name", text: name, at };
    const quoted = double ?? single;
    if (quoted !== undefined) return { kind: "quoted", text: quoted, at };
    return { kind: "sign", text: spellings[sign ?? ""] ?? sign ?? "", at };
  }

  #next(): Token {
    const token = this.#token;
    this.#token = this.#scan();
    return token;
  }

  #is(sign: string): boolean {
    return this.#token.kind === "sign" && this.#token.text === sign;
  }

  #expect(sign: string, after: string): void {
    if (!this.#is(sign)) throw new ExpressionError(`${sign} is expected ${after}`, this.#token.at);
    this.#next();
  }

  /** Parses one level deeper, so that no text exhausts the stack. */
  #deeper(parse: () => Expression): Expression {
    if (++this.#depth > deepest)
      throw new ExpressionError(`an expression is at most ${deepest} levels deep`, this.#token.at);
    const found = parse();
    this.#depth--;
    return found;
  }

  #binary(level: number): Expression {
    const signs = levels[level];
    if (!signs) return this.#signed();
    let left = this.#binary(level + 1);
    for (let count = 0; this.#token.kind === "sign" && signs.includes(this.#token.text); count++) {
      const { text, at } = this.#token;
      if (level === 0 && count > 0) throw new ExpressionError("a comparison compares two values: use parentheses", at);
      this.#next();
      left = { kind: "apply", operation: text as Operation, of: [left, this.#binary(level + 1)], at: left.at };
    }
    return left;
  }

  #signed(): Expression {
    const { at } = this.#token;
    if (this.#is("+") || this.#is("-")) {
      const { text } = this.#next();
      const of = this.#deeper(() => this.#signed());
      return text === "+" ? of : { kind: "apply", operation: "negate", of: [of], at };
    }
    const base = this.#primary();
    if (!this.#is("^")) return base;
    this.#next();
    // A power is evaluated from the right, and before the sign in front of it.
    const exponent = this.#deeper(() => this.#signed());
    return { kind: "apply", operation: "^", of: [base, exponent], at: base.at };
  }

  #primary(): Expression {
    const { kind, text, at } = this.#token;
    if (kind === "end") throw new ExpressionError("a value is expected at the end", at);
    if (kind === "sign" && text !== "(") throw new ExpressionError(`a value is expected instead of ${text}`, at);
    this.#next();
    switch (kind) {
      case "number":
        return { kind: "number", value: Number(text), exact: largeOf(text), at };
      case "sign": {
        const found = this.#deeper(() => this.#binary(0));
        this.#expect(")", "after the expression in parentheses");
        return found;
      }
      case "name":
        if (this.#is("(")) return this.#call(text, at);
        if (text === "pi") return { kind: "number", value: Math.PI, at };
        if (words.includes(text)) throw new ExpressionError(`( is expected after ${text}`, this.#token.at);
    }
    return { kind: "variable", name: text, places: this.#is("[") ? this.#places() : [], at };
  }

  #call(name: string, at: number): Expression {
    const operation = functions.find((one) => one === name);
    if (!operation) {
      const near = nearest(name, functions);
      throw new ExpressionError(`there is no function ${name}`, at, near && `The nearest name is ${near}.`);
    }
    this.#next();
    const of: Expression[] = [];
    if (!this.#is(")")) {
      do {
        if (of.length > 0) this.#next();
        of.push(this.#deeper(() => this.#binary(0)));
      } while (this.#is(","));
    }
    this.#expect(")", `after the arguments of ${name}`);
    const count = operations[operation].length;
    const many = operation === "min" || operation === "max";
    if (many ? of.length < 2 : of.length !== count)
      throw new ExpressionError(`${name} takes ${count}${many ? " or more" : ""} arguments, not ${of.length}`, at);
    // More arguments of min and max are taken pair by pair.
    const [first, ...others] = many ? of : [];
    if (first) return others.reduce<Expression>((a, b) => ({ kind: "apply", operation, of: [a, b], at }), first);
    return { kind: "apply", operation, of, at };
  }

  /** Parses `[time=2020-01-01, height:0]`. Positions are texts, so tokens do not apply to them. */
  #places(): Place[] {
    const places: Place[] = [];
    // The token `[` is scanned, and nothing beyond it.
    const rest = /\s*(?:"([^"]*)"|'([^']*)'|([^\s=:,[\]"']+))\s*([=:])\s*(?:"([^"]*)"|'([^']*)'|([^,\]]*))\s*([,\]])/uy;
    for (;;) {
      rest.lastIndex = this.#at;
      const found = rest.exec(this.#text);
      const at = this.#at + (/^\s*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0);
      if (!found) throw new ExpressionError("an axis is expected, as in [time:3] or [time=2020-01-01]", at);
      const axis = found[1] ?? found[2] ?? found[3] ?? "";
      const value = (found[5] ?? found[6] ?? found[7] ?? "").trim();
      if (places.some((one) => one.axis === axis)) throw new ExpressionError(`${axis} is named twice`, at);
      if (value === "") throw new ExpressionError(`a position along ${axis} is expected`, at);
      if (found[4] === "=") places.push({ axis, position: value });
      else if (/^\d{1,15}$/.test(value)) places.push({ axis, index: Number(value) });
      else throw new ExpressionError(`the index of ${axis} is a whole number: ${axis}=${value} means a position`, at);
      this.#at = rest.lastIndex;
      if (found[8] === "]") break;
    }
    this.#token = this.#scan();
    return places;
  }
}

/**
 * Parses an expression.
 *
 * @throws {@link ExpressionError} with the place of the first mistake.
 */
export function parseExpression(text: string): Expression {
  if (text.length > longest) throw new ExpressionError(`an expression has at most ${longest} characters`, longest);
  if (text.trim() === "") throw new ExpressionError("the expression is empty", 0);
  return new Parser(text).parse();
}

/** Returns the integer that a number writes, beyond those that float64 holds; else undefined. */
function largeOf(text: string): bigint | undefined {
  return /^\d{16,20}$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined;
}

const sameVariable = (a: Variable, b: Variable): boolean =>
  a.name === b.name && JSON.stringify(a.places) === JSON.stringify(b.places);

/** Returns the different variables of an expression, and the program that computes it of them. */
export function compiled(expression: Expression): { variables: readonly Variable[]; program: readonly Step[] } {
  const variables: Variable[] = [];
  const program: Step[] = [];
  const visit = (one: Expression): void => {
    if (one.kind === "number") program.push({ constant: one.value, exact: one.exact });
    else if (one.kind === "variable") {
      let operand = variables.findIndex((other) => sameVariable(one, other));
      if (operand < 0) operand = variables.push(one) - 1;
      if (variables.length > mostOperands)
        throw new ExpressionError(`an expression has at most ${mostOperands} different operands`, one.at);
      program.push({ operand });
    } else {
      for (const part of one.of) visit(part);
      program.push({ operation: one.operation });
    }
  };
  visit(expression);
  return { variables, program };
}

/** Returns a name as an expression writes it: quoted if it is not a word. */
export function written(name: string): string {
  if (/^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name) && !words.includes(name) && name !== "this") return name;
  return name.includes('"') ? `'${name}'` : `"${name}"`;
}

/** Returns the number of changed, added and removed characters between two names. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] as number) + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** Returns up to three names that resemble an unknown one, the nearest first; `""` for none. */
export function nearest(name: string, names: readonly string[]): string {
  const lower = name.slice(0, 60).toLowerCase();
  return names
    .map((one) => [distance(lower, one.slice(0, 60).toLowerCase()), one] as const)
    .filter(([d, one]) => d <= Math.max(1, Math.min(3, Math.ceil(Math.max(name.length, one.length) / 2))))
    .sort(([a], [b]) => a - b)
    .slice(0, 3)
    .map(([, one]) => one)
    .join(", ");
}
