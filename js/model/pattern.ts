import { LimitError, UnsupportedError } from "../errors.js";

/** Instructions of one pattern. */
const maxProgram = 10_000;

/** Ranges of code points, both ends included, one after the other. */
type Ranges = readonly number[];

type Assertion = "start" | "end" | "word" | "notWord";

type Instruction =
  | { op: "in"; ranges: Ranges; not: boolean }
  | { op: "if"; assertion: Assertion }
  | { op: "split"; a: number; b: number }
  | { op: "jump"; a: number }
  | { op: "match" };

type Syntax =
  | { of: "in"; ranges: Ranges; not: boolean }
  | { of: "if"; assertion: Assertion }
  | { of: "all"; parts: Syntax[] }
  | { of: "any"; parts: Syntax[] }
  | { of: "repeat"; part: Syntax; min: number; max: number };

/**
 * A regular expression as JSON Schema writes them (ECMA-262, with the flag u), whose matching takes time in proportion to the text and
 * the expression, whatever they are. It does without what such matching cannot have: back references, lookahead and lookbehind; and without
 * classes by Unicode property. Those are an UnsupportedError, what is no expression a SyntaxError, and what is too long a LimitError.
 */
export class Pattern {
  readonly #program: Instruction[];

  constructor(source: string) {
    this.#program = programOf(new Parser(source).read());
  }

  /** Whether it matches anywhere in the text; each step is counted. */
  test(text: string, count: (steps: number) => void): boolean {
    const program = this.#program;
    const points = Array.from(text, (one) => one.codePointAt(0) as number);
    const isWord = (at: number) => at >= 0 && at < points.length && within(points[at] as number, word);
    const holds = (assertion: Assertion, at: number): boolean => {
      if (assertion === "start") return at === 0;
      if (assertion === "end") return at === points.length;
      return (isWord(at - 1) !== isWord(at)) === (assertion === "word");
    };
    let states: number[] = [];
    // In which round an instruction was last seen.
    const seen = new Uint32Array(program.length);
    count(program.length >> 4);
    for (let at = 0; ; at++) {
      // The states that are reached without a code point, and where the expression may begin here.
      const reached = states;
      reached.push(0);
      const next: number[] = [];
      let steps = 0;
      for (let pc = reached.pop(); pc !== undefined; pc = reached.pop()) {
        if (seen[pc] === at + 1) continue;
        seen[pc] = at + 1;
        steps++;
        const instruction = program[pc] as Instruction;
        if (instruction.op === "match") return true;
        if (instruction.op === "jump") reached.push(instruction.a);
        else if (instruction.op === "split") reached.push(instruction.a, instruction.b);
        else if (instruction.op === "if") {
          if (holds(instruction.assertion, at)) reached.push(pc + 1);
        } else if (at < points.length && within(points[at] as number, instruction.ranges) !== instruction.not) {
          next.push(pc + 1);
        }
      }
      count(steps);
      if (at >= points.length) return false;
      states = next;
    }
  }
}

function within(point: number, ranges: Ranges): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (point >= (ranges[i] as number) && point <= (ranges[i + 1] as number)) return true;
  }
  return false;
}

const last = 0x10ffff;
const digit = [0x30, 0x39];
const word = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const lineEnds = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];
const space = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f,
  0x3000, 0x3000, 0xfeff, 0xfeff,
];
const classes: Readonly<Record<string, Ranges>> = { d: digit, w: word, s: space };
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** What is not in the ranges. */
function complement(ranges: Ranges): Ranges {
  const pairs: [number, number][] = [];
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i] as number, ranges[i + 1] as number]);
  pairs.sort(([a], [b]) => a - b);
  const out: number[] = [];
  let from = 0;
  for (const [low, high] of pairs) {
    if (low > from) out.push(from, low - 1);
    from = Math.max(from, high + 1);
  }
  if (from <= last) out.push(from, last);
  return out;
}

class Parser {
  readonly #source: string;
  readonly #points: string[];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#points = Array.from(source);
  }

  read(): Syntax {
    const all = this.#alternatives();
    if (this.#at < this.#points.length) this.#fail("a ) without its (");
    return all;
  }

  #fail(why: string): never {
    throw new SyntaxError(`the pattern ${JSON.stringify(this.#source)} has ${why}`);
  }

  #unsupported(what: string): never {
    const feature = `${what} of patterns`;
    throw new UnsupportedError(`unsupported in the pattern ${JSON.stringify(this.#source)}: ${feature}`, { feature });
  }

  #take(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#points[this.#at + i] !== text[i]) return false;
    this.#at += text.length;
    return true;
  }

  #alternatives(): Syntax {
    if (++this.#depth > 200) {
      throw new LimitError("groups of a pattern nest deeper than 200 levels", { limit: "depth", max: 200 });
    }
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    this.#depth--;
    return { of: "any", parts };
  }

  #sequence(): Syntax {
    const parts: Syntax[] = [];
    for (;;) {
      const next = this.#points[this.#at];
      if (next === undefined || next === "|" || next === ")") return { of: "all", parts };
      const part = this.#atom(next);
      parts.push(this.#repeated(part));
    }
  }

  #repeated(part: Syntax): Syntax {
    let [min, max] = [0, Number.POSITIVE_INFINITY];
    if (this.#take("+")) min = 1;
    else if (this.#take("?")) max = 1;
    else if (!this.#take("*")) {
      if (!this.#take("{")) return part;
      const from = this.#number();
      if (from === undefined) this.#fail("a { that begins no count");
      min = from;
      max = min;
      if (this.#take(",")) max = this.#number() ?? Number.POSITIVE_INFINITY;
      if (!this.#take("}") || max < min) this.#fail("a count that is none");
    }
    if (part.of === "if") this.#fail("nothing to repeat");
    // That it takes as little as possible makes no difference to whether it matches.
    this.#take("?");
    return { of: "repeat", part, min, max };
  }

  #number(): number | undefined {
    let text = "";
    while (/^\d$/.test(this.#points[this.#at] ?? "")) text += this.#points[this.#at++];
    return text === "" ? undefined : Number(text);
  }

  #atom(next: string): Syntax {
    this.#at++;
    switch (next) {
      case "^":
        return { of: "if", assertion: "start" };
      case "$":
        return { of: "if", assertion: "end" };
      case ".":
        return { of: "in", ranges: lineEnds, not: true };
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        if (this.#take("b")) return { of: "if", assertion: "word" };
        if (this.#take("B")) return { of: "if", assertion: "notWord" };
        return { of: "in", ranges: this.#escape(), not: false };
      case "*":
      case "+":
      case "?":
        return this.#fail("nothing to repeat");
      case "{":
      case "}":
      case "]":
        return this.#fail(`a ${next} that stands alone`);
      default:
        return only(next.codePointAt(0) as number);
    }
  }

  #group(): Syntax {
    if (this.#take("?")) {
      if (this.#take("<")) {
        if (this.#take("=") || this.#take("!")) this.#unsupported("lookbehind");
        let name = "";
        while (this.#at < this.#points.length && !this.#take(">")) name += this.#points[this.#at++];
        if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) this.#fail("a group with a name that is none");
      } else if (this.#take("=") || this.#take("!")) this.#unsupported("lookahead");
      else if (!this.#take(":")) this.#fail("a (? that begins nothing");
    }
    const inner = this.#alternatives();
    if (!this.#take(")")) this.#fail("a ( without its )");
    return inner;
  }

  #class(): Syntax {
    const not = this.#take("^");
    const ranges: number[] = [];
    while (!this.#take("]")) {
      const from = this.#classItem();
      if (this.#points[this.#at] !== "-" || (this.#points[this.#at + 1] ?? "]") === "]") {
        ranges.push(...from);
        continue;
      }
      this.#at++;
      const to = this.#classItem();
      const [low, high] = [from[0] as number, to[0] as number];
      if (from.length !== 2 || to.length !== 2 || low !== from[1] || high !== to[1] || low > high) {
        this.#fail("a range of characters that is none");
      }
      ranges.push(low, high);
    }
    return { of: "in", ranges, not };
  }

  #classItem(): Ranges {
    const next = this.#points[this.#at++];
    if (next === undefined) this.#fail("a [ without its ]");
    if (next !== "\\") return same(next.codePointAt(0) as number);
    if (this.#take("b")) return same(8);
    if (this.#take("-")) return same(0x2d);
    return this.#escape();
  }

  /** What stands after a backslash. */
  #escape(): Ranges {
    const next = this.#points[this.#at++];
    if (next === undefined) this.#fail("a \\ at its end");
    const named = classes[next.toLowerCase()];
    if (named && /^[dwsDWS]$/.test(next)) return next === next.toLowerCase() ? named : complement(named);
    const control = controls[next];
    if (control !== undefined) return same(control);
    if (/^[\^$\\.*+?()[\]{}|/]$/.test(next)) return same(next.codePointAt(0) as number);
    if (next === "0" && !/^\d$/.test(this.#points[this.#at] ?? "")) return same(0);
    if (/^\d$/.test(next) || next === "k") this.#unsupported("back references");
    if (next === "p" || next === "P") this.#unsupported("classes by Unicode property");
    if (next === "c") {
      const letter = this.#points[this.#at++] ?? "";
      if (/^[A-Za-z]$/.test(letter)) return same((letter.codePointAt(0) as number) % 32);
    }
    if (next === "x") return same(this.#hex(2));
    if (next === "u") {
      if (!this.#take("{")) {
        const unit = this.#hex(4);
        if (unit < 0xd800 || unit > 0xdbff || this.#points[this.#at] !== "\\") return same(unit);
        const mark = this.#at;
        if (this.#take("\\u")) {
          const low = this.#hex(4);
          if (low >= 0xdc00 && low <= 0xdfff) return same(0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00));
        }
        this.#at = mark;
        return same(unit);
      }
      let text = "";
      while (/^[0-9a-fA-F]$/.test(this.#points[this.#at] ?? "")) text += this.#points[this.#at++];
      const point = Number.parseInt(text, 16);
      if (this.#take("}") && point <= last) return same(point);
    }
    return this.#fail(`the escape \\${next}, which is none`);
  }

  #hex(digits: number): number {
    const text = this.#points.slice(this.#at, this.#at + digits).join("");
    if (text.length !== digits || !/^[0-9a-fA-F]+$/.test(text)) this.#fail("an escape without its digits");
    this.#at += digits;
    return Number.parseInt(text, 16);
  }
}

const same = (point: number): Ranges => [point, point];
const only = (point: number): Syntax => ({ of: "in", ranges: same(point), not: false });

function programOf(syntax: Syntax): Instruction[] {
  const program: Instruction[] = [];
  const add = (instruction: Instruction): number => {
    if (program.length >= maxProgram) {
      throw new LimitError(`a pattern has more than ${maxProgram} steps`, { limit: "pattern", max: maxProgram });
    }
    return program.push(instruction) - 1;
  };
  const emit = (part: Syntax): void => {
    if (part.of === "in") add({ op: "in", ranges: part.ranges, not: part.not });
    else if (part.of === "if") add({ op: "if", assertion: part.assertion });
    else if (part.of === "all") part.parts.forEach(emit);
    else if (part.of === "any") alternatives(part.parts);
    else repeat(part.part, part.min, part.max);
  };
  const alternatives = (parts: Syntax[]): void => {
    const ends = parts.map((part, i) => {
      if (i === parts.length - 1) {
        emit(part);
        return undefined;
      }
      const split = add({ op: "split", a: program.length + 1, b: 0 });
      emit(part);
      const end = add({ op: "jump", a: 0 });
      program[split] = { op: "split", a: split + 1, b: program.length };
      return end;
    });
    for (const end of ends) if (end !== undefined) program[end] = { op: "jump", a: program.length };
  };
  const repeat = (part: Syntax, min: number, max: number): void => {
    const before = program.length;
    for (let i = 0; i < min; i++) {
      emit(part);
      // A part of no instructions is the same however often it stands there.
      if (program.length === before) return;
    }
    if (max === Number.POSITIVE_INFINITY) {
      const split = add({ op: "split", a: 0, b: 0 });
      emit(part);
      add({ op: "jump", a: split });
      program[split] = { op: "split", a: split + 1, b: program.length };
      return;
    }
    const splits: number[] = [];
    for (let i = min; i < max; i++) {
      splits.push(add({ op: "split", a: 0, b: 0 }));
      emit(part);
    }
    for (const split of splits) program[split] = { op: "split", a: split + 1, b: program.length };
  };
  emit(syntax);
  add({ op: "match" });
  return program;
}
