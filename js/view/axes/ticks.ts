// Positions and texts of tick marks.

/** A mark of an axis. */
export interface Tick {
  /** The mark's place, in positions of the axis. */
  readonly position: number;
  /** The mark's text. */
  readonly text: string;
}

/** The marks of an axis, in ascending order of their positions. */
export interface Ticks {
  /** The marks. */
  readonly list: readonly Tick[];
  /**
   * The part that all texts leave out because it is the same, like the date of hours. `""` if there
   * is none.
   */
  readonly common: string;
}

/** A distance between marks: `digits * 10 ** exponent`. */
interface Step {
  readonly digits: number;
  readonly exponent: number;
}

/** No marks. */
export const noTicks: Ticks = { list: [], common: "" };

/** Returns about `wanted` numbers that are round in decimals, within `[low, high]`. */
export function numberTicks(low: number, high: number, wanted: number): Ticks {
  if (low === high && Number.isFinite(low)) return { list: [{ position: low, text: numberText(low) }], common: "" };
  const step = decimalStep(roughStep(low, high, wanted));
  const values = multiples(low, high, step);
  const least = Math.min(Math.abs(low), Math.abs(high));
  if (values.length < 2 && least > Number.MAX_SAFE_INTEGER && high - low < 1e-9 * least) {
    const beyond = offsetTicks(low, high, wanted);
    if (beyond.list.length > values.length) return beyond;
  }
  const texts = numberTexts(values, step.exponent);
  return { list: values.map((position, i) => ({ position, text: texts[i] ?? "" })), common: "" };
}

/**
 * Returns whole numbers beyond 2^53 as differences from the lowest one, which is the common part.
 * Float64 has few of them, and no round one may be among them.
 */
function offsetTicks(low: number, high: number, wanted: number): Ticks {
  const unit = 2 ** (Math.floor(Math.log2(Math.max(Math.abs(low), Math.abs(high)))) - 52);
  const step = unit * Math.max(1, Math.ceil((high - low) / unit / Math.max(1, wanted)));
  const count = Math.floor((high - low) / step);
  if (!Number.isFinite(count) || count > 1000) return noTicks;
  const list = Array.from({ length: count + 1 }, (_, k) => ({
    position: low + k * step,
    text: `+${counted(k * step)}`,
  }));
  return { list, common: `from ${minus(String(BigInt(low)))}` };
}

/** Returns whole numbers, such as indices, within `[low, high]`. */
export function wholeTicks(low: number, high: number, wanted: number): Ticks {
  const step = decimalStep(Math.max(1, roughStep(low, high, wanted)));
  return { list: multiples(low, high, step).map((position) => ({ position, text: counted(position) })), common: "" };
}

/** Formats a whole number. From 10000 on, thin spaces separate its thousands. */
export function counted(number: number): string {
  const text = minus(number);
  return Math.abs(number) < 1e4 || text.includes("e") ? text : text.replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

const degrees = [1, 2, 5, 10, 15, 30, 45, 60, 90];

/** Returns longitudes or latitudes, such as 30°W and 60°N, within `[low, high]`. */
export function degreeTicks(low: number, high: number, wanted: number, toward: "east" | "north"): Ticks {
  const rough = roughStep(low, high, wanted);
  const whole = degrees.find((digits) => digits >= rough);
  const step = rough > 0.5 && whole !== undefined ? { digits: whole, exponent: 0 } : decimalStep(rough);
  const taken = new Set<string>();
  const list = multiples(low, high, step).map((position) => {
    const decimals = Math.max(0, -step.exponent);
    let text = degreeText(position, decimals, toward);
    // Around the whole Earth, the same meridian stands at both ends.
    if (taken.has(text)) text = `${minus(position.toFixed(decimals))}°`;
    taken.add(text);
    return { position, text };
  });
  return { list, common: "" };
}

function degreeText(value: number, decimals: number, toward: "east" | "north"): string {
  const number = (at: number): string => at.toFixed(decimals);
  if (toward === "north") {
    if (Math.abs(value) > 90) return `${minus(number(value))}°`;
    return value === 0 ? "0°" : `${number(Math.abs(value))}°${value > 0 ? "N" : "S"}`;
  }
  if (value < -360 || value > 540) return `${minus(number(value))}°`;
  const turned = value > 180 ? value - 360 : value < -180 ? value + 360 : value;
  const size = number(Math.abs(turned));
  if (Number(size) === 0) return "0°";
  if (Number(size) === 180) return "180°";
  return `${size}°${turned > 0 ? "E" : "W"}`;
}

/**
 * Returns positive numbers for a logarithmic axis: powers of ten, and 2 and 5 times these if they
 * fit.
 */
export function logTicks(low: number, high: number, wanted: number): Ticks {
  if (!(low > 0) || !(high > low) || !Number.isFinite(high)) return noTicks;
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const decades = Math.log10(high) - Math.log10(low);
  if (decades < 1) return numberTicks(low, high, wanted);
  const list: Tick[] = [];
  const plain = low >= 1e-4 && high < 1e6;
  const add = (digits: number, exponent: number): void => {
    const position = Number(`${digits}e${exponent}`);
    if (!(position >= low && position <= high)) return;
    list.push({ position, text: plain || position === 1 ? String(position) : powerText(digits, exponent) });
  };
  const digits = wanted >= 3 * decades ? [1, 2, 5] : [1];
  const every = decimalStep(Math.max(1, decades / Math.max(1, wanted)));
  const step = Math.max(1, Number(`${every.digits}e${every.exponent}`));
  for (let exponent = Math.floor(first / step) * step; exponent <= last; exponent += step) {
    for (const digit of digits) add(digit, exponent);
  }
  return { list, common: "" };
}

function powerText(digits: number, exponent: number): string {
  return digits === 1 ? `10${superscript(exponent)}` : `${digits}×10${superscript(exponent)}`;
}

/** Formats a number with few digits for a label, never as `1e+21`. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
    const [digits = "", exponent = "0"] = Number(value.toPrecision(6)).toExponential().split("e");
    return `${minus(digits)}×10${superscript(Number(exponent))}`;
  }
  return minus(Number(value.toPrecision(6)));
}

/** Formats multiples of a power of ten, with as many digits as distinguish them. */
function numberTexts(values: readonly number[], exponent: number): string[] {
  const largest = Math.max(...values.map(Math.abs));
  const power = largest > 0 ? Math.floor(Math.log10(largest)) : 0;
  if (power < 6 && power >= -4) return values.map((value) => minus(value.toFixed(Math.max(0, -exponent))));
  const decimals = Math.min(20, Math.max(0, power - exponent));
  return values.map((value) => {
    if (value === 0) return "0";
    return `${minus(shifted(value, power).toFixed(decimals))}×10${superscript(power)}`;
  });
}

/** Returns `value / 10 ** power`, exact to the last digit. */
function shifted(value: number, power: number): number {
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  return Number(`${digits}e${Number(exponent) - power}`);
}

/** Formats a number with a minus sign in place of the hyphen. */
export function minus(number: number | string): string {
  return String(number).replace("-", "−");
}

/** Formats a whole number in superscript digits. */
export function superscript(number: number): string {
  return String(number).replace(/[-\d]/g, (sign) => (sign === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)] ?? sign)));
}

/**
 * Returns the distance of marks before rounding. It is no less than the resolution of numbers of
 * this size.
 */
function roughStep(low: number, high: number, wanted: number): number {
  const parts = Math.max(1, wanted);
  return Math.max(high / parts - low / parts, Math.max(Math.abs(low), Math.abs(high)) * 2 ** -46);
}

/** Returns the least of 1, 2, 5, 10, 20 … that is no less than a distance. */
function decimalStep(rough: number): Step {
  if (!(rough > 0) || !Number.isFinite(rough)) return { digits: 1, exponent: 0 };
  const exponent = Math.max(-323, Math.floor(Math.log10(rough)) - 1);
  for (const digits of [1, 2, 5, 10, 20, 50, 100]) {
    if (Number(`${digits}e${exponent}`) >= rough) {
      // 10 is 1 of the next power: the exponent takes up the zeros.
      const zeros = digits >= 100 ? 2 : digits >= 10 ? 1 : 0;
      return { digits: digits / 10 ** zeros, exponent: exponent + zeros };
    }
  }
  return { digits: 1, exponent: exponent + 2 };
}

/** Returns the least round number of years that is no less than a distance. */
export function roundYears(rough: number): number {
  const { digits, exponent } = decimalStep(Math.max(1, rough));
  return Number(`${digits}e${exponent}`);
}

/**
 * Returns the multiples of a step within `[low, high]`. Each is the float64 nearest to its decimal
 * text.
 */
function multiples(low: number, high: number, { digits, exponent }: Step): number[] {
  const step = Number(`${digits}e${exponent}`);
  const out: number[] = [];
  if (!(high >= low) || !Number.isFinite(low) || !Number.isFinite(high) || step === 0) return out;
  const end = Math.floor(high / step) + 1;
  for (let k = Math.ceil(low / step) - 1; k <= end && out.length < 1000; k++) {
    const position = Number(`${k * digits}e${exponent}`) || 0;
    if (position >= low && position <= high) out.push(position);
  }
  return out;
}
