// The operations of expressions on values. NaN is a missing value: an operation with a missing
// operand is missing, and so is a result that the real numbers do not have.

/** Returns 1 or 0, or NaN if an operand is missing. */
const truth = (test: boolean, a: number, b: number): number =>
  Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : Number(test);

/** The operations, by the names that programs use. */
export const operations = {
  "+": (a: number, b: number) => a + b,
  "-": (a: number, b: number) => a - b,
  "*": (a: number, b: number) => a * b,
  "/": (a: number, b: number) => (b === 0 ? Number.NaN : a / b),
  // A power of 0 is 1 for every number, also for NaN, and a negative power of 0 divides by 0.
  "^": (a: number, b: number) => (Number.isNaN(a) || (a === 0 && b < 0) ? Number.NaN : a ** b),
  "<": (a: number, b: number) => truth(a < b, a, b),
  "<=": (a: number, b: number) => truth(a <= b, a, b),
  ">": (a: number, b: number) => truth(a > b, a, b),
  ">=": (a: number, b: number) => truth(a >= b, a, b),
  "==": (a: number, b: number) => truth(a === b, a, b),
  "!=": (a: number, b: number) => truth(a !== b, a, b),
  negate: (a: number) => -a,
  abs: (a: number) => Math.abs(a),
  sqrt: (a: number) => Math.sqrt(a),
  exp: (a: number) => Math.exp(a),
  log: (a: number) => (a > 0 ? Math.log(a) : Number.NaN),
  log10: (a: number) => (a > 0 ? Math.log10(a) : Number.NaN),
  sin: (a: number) => Math.sin(a),
  cos: (a: number) => Math.cos(a),
  tan: (a: number) => Math.tan(a),
  atan2: (a: number, b: number) => Math.atan2(a, b),
  min: (a: number, b: number) => Math.min(a, b),
  max: (a: number, b: number) => Math.max(a, b),
  floor: (a: number) => Math.floor(a),
  // A half goes to the even neighbour, as in numpy.
  round: (a: number) => (Math.abs(a % 1) === 0.5 ? 2 * Math.round(a / 2) : Math.round(a)),
  // The operand that is not chosen may be missing.
  where: (test: number, a: number, b: number) => (Number.isNaN(test) ? Number.NaN : test !== 0 ? a : b),
} as const;

/** The name of an operation. */
export type Operation = keyof typeof operations;

/** One step of a program: it pushes a value, or replaces the last values by a result. */
export type Step =
  | { readonly operand: number }
  | { readonly constant: number; readonly exact?: bigint | undefined }
  | { readonly operation: Operation };

/**
 * Runs a program on `count` elements, and writes the results. `load` writes the values of an
 * operand. The stack is reused by later runs.
 */
export function runProgram(
  program: readonly Step[],
  stack: Float64Array[],
  load: (operand: number, values: Float64Array) => void,
  results: Float64Array,
): void {
  const { length } = results;
  let top = 0;
  const at = (i: number): Float64Array => {
    const found = stack[i];
    if (found && found.length >= length) return found;
    const made = new Float64Array(length);
    stack[i] = made;
    return made;
  };
  for (const step of program) {
    if ("operand" in step) load(step.operand, at(top++).subarray(0, length));
    else if ("constant" in step) at(top++).fill(step.constant, 0, length);
    else {
      const run = operations[step.operation] as (a: number, b?: number, c?: number) => number;
      top -= run.length - 1;
      const [a, b, c] = [at(top - 1), at(top), at(top + 1)];
      if (run.length === 1) for (let i = 0; i < length; i++) a[i] = run(a[i] as number);
      else if (run.length === 2) for (let i = 0; i < length; i++) a[i] = run(a[i] as number, b[i]);
      else for (let i = 0; i < length; i++) a[i] = run(a[i] as number, b[i], c[i]);
    }
  }
  results.set(at(0).subarray(0, length));
}
