import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUnits, TimeArray } from "../cf/index.js";
import { InvalidSelectionError } from "../errors.js";
import { booleanKeys, compare, durationKeys, numberKeys, roundHalf, textKeys, timeKeys } from "../xarray/keys.js";
import { LabelIndex, type Lookup, type Method, type Positions } from "../xarray/labels.js";
import { indexOf } from "../xarray/values.js";

const listOf = (found: Positions) => {
  if (typeof found === "number") return `${found}`;
  const list = "count" in found ? Array.from({ length: found.count }, (_, i) => found.start + i * found.step) : found;
  return `[${list.join()}]`;
};

function located(index: LabelIndex, selector: unknown, lookup?: Lookup): string {
  try {
    return listOf(index.locate(selector, lookup));
  } catch (error) {
    assert.ok(error instanceof InvalidSelectionError, String(error));
    return "error";
  }
}

/** Generates the numbers of the random cases, the same as in zarr/convention/xarray. */
class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  below(n: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return (this.#state >>> 8) % n;
  }
}

type RandomSlice = { start: number | null; stop: number | null; step: number | null };
interface RandomCase {
  values: number[];
  selector: number | number[] | RandomSlice;
  method?: Method | undefined;
  tolerance?: number | undefined;
  period?: number | undefined;
}

function randomCase(random: Random): RandomCase {
  const kind = random.below(8);
  const length = random.below(13);
  let values = Array.from({ length }, () => random.below(32) / 4);
  if (kind < 2) values = values.map((_, i) => i / 2);
  if (kind < 4 || kind === 5) values = [...new Set(values)];
  if (kind < 5) values.sort((a, b) => a - b);
  if (kind === 1 || kind === 3) values.reverse();
  if (kind === 7 && values.length > 0) values[random.below(values.length)] = Number.NaN;
  const label = () => {
    const far = random.below(80) / 8 - 1;
    const exact = random.below(3) > 0 && values.length > 0;
    return exact ? (values[random.below(values.length)] as number) : far;
  };
  const end = () => (random.below(4) === 0 ? null : label());
  const what = random.below(3);
  let selector: RandomCase["selector"] = label();
  if (what === 1) {
    const [start, stop] = [end(), end()];
    const step = random.below(2) === 0 ? null : (random.below(3) + 1) * (random.below(3) === 0 ? -1 : 1);
    selector = { start, stop, step };
  } else if (what === 2) selector = Array.from({ length: random.below(4) }, label);
  const method = ([undefined, undefined, "nearest", "pad", "backfill"] as const)[random.below(5)];
  const tolerance = method && random.below(3) === 0 ? random.below(8) / 8 : undefined;
  const period = random.below(4) === 0 ? 8 : undefined;
  return { values, selector, method, tolerance, period };
}

/** Returns the result of a selection by a linear search through the labels. */
function model({ values, selector, method, tolerance, period }: RandomCase): string {
  const pairs = values.slice(1).map((v, i) => [values[i] as number, v] as const);
  const up = pairs.every(([a, b]) => a <= b) && !values.some(Number.isNaN);
  const down = pairs.every(([a, b]) => a >= b) && !values.some(Number.isNaN);
  const unique = values.every((a, i) => values.every((b, j) => i === j || !Object.is(a, b)));
  const all = values.map((_, i) => i);
  const one = (label: number): number | undefined => {
    if (period && !up && !down) return undefined;
    if (Number.isNaN(label) && (method || period)) return undefined;
    // A label can match on the circle at each of these numbers of turns.
    const turns = period ? [0, -2, -1, 1, 2] : [0];
    const met = turns.flatMap((turn) => all.map((i) => ({ i, at: (values[i] as number) + turn * (period ?? 0) })));
    if (!method) {
      const found = met.filter(({ at }) => at === label || (Number.isNaN(at) && Number.isNaN(label)));
      return found.length === 1 ? found[0]?.i : undefined;
    }
    if ((!up && !down) || !unique) return undefined;
    const before = (at: number) => (up ? at <= label : at >= label);
    const behind = (at: number) => (up ? at >= label : at <= label);
    const may = met.filter(({ at }) => method === "nearest" || (method === "pad" ? before(at) : behind(at)));
    const far = (at: number) => Math.abs(at - label);
    may.sort((a, b) => far(a.at) - far(b.at) || b.at - a.at);
    const best = may[0];
    return best && (tolerance === undefined || far(best.at) <= tolerance) ? best.i : undefined;
  };
  if (Array.isArray(selector)) {
    const found = selector.map(one);
    return found.includes(undefined) ? "error" : `[${found.join()}]`;
  }
  if (typeof selector === "number") {
    const same = all.filter((i) => values[i] === selector || Object.is(values[i], selector));
    if (!method && !period && same.length > 1) return `[${same.join()}]`;
    const found = one(selector);
    return found === undefined ? "error" : `${found}`;
  }
  const step = selector.step ?? 1;
  const { start, stop } = selector;
  if (period && !up && !down) return "error";
  if (period && start !== null && stop !== null) {
    if (step < 0 || Number.isNaN(start) || Number.isNaN(stop)) return "error";
    const mod = (x: number) => ((x % period) + period) % period;
    const forth = (from: number, to: number) => (up ? to - from : from - to);
    const raw = forth(start, stop);
    const width = raw >= 0 ? Math.min(raw, period) : mod(raw);
    const offset = (i: number) => mod(forth(start, values[i] as number));
    const found = all.filter((i) => offset(i) <= width);
    // Equal labels keep their order.
    found.sort((a, b) => offset(a) - offset(b) || a - b);
    return `[${found.filter((_, i) => i % step === 0).join()}]`;
  }
  const [from, to] = step < 0 ? [stop, start] : [start, stop];
  let found = all;
  if (up || down) {
    if ([from, to].some((end) => end !== null && Number.isNaN(end))) return "error";
    const after = (v: number, end: number) => (up ? v >= end : v <= end);
    found = all.filter((i) => {
      const v = values[i] as number;
      return (from === null || after(v, from)) && (to === null || v === to || !after(v, to));
    });
  } else {
    const places = (end: number | null) =>
      end === null ? all : all.filter((i) => values[i] === end || Object.is(values[i], end));
    const [first, last] = [places(from), places(to)];
    const ends: [number[], number | null][] = [
      [first, from],
      [last, to],
    ];
    for (const [list, end] of ends) {
      const run = (list.at(-1) ?? 0) - (list[0] ?? 0) === list.length - 1;
      if (end !== null && (list.length === 0 || !run)) return "error";
    }
    found = all.filter(
      (i) =>
        i >= (from === null ? 0 : (first[0] as number)) && i <= (to === null ? values.length : (last.at(-1) as number)),
    );
  }
  if (step < 0) found = [...found].reverse();
  return `[${found.filter((_, i) => i % Math.abs(step) === 0).join()}]`;
}

test("labels: 10,000 random selections are those of a search through all labels", () => {
  const random = new Random(15);
  let hash = 0x811c9dc5;
  const counts: Record<string, number> = {};
  for (let i = 0; i < 10_000; i++) {
    const one = randomCase(random);
    const { values, selector, ...lookup } = one;
    const is = located(new LabelIndex("x", numberKeys(Float64Array.from(values), "float64")), selector, lookup);
    assert.equal(is, model(one), JSON.stringify({ i, ...one, values: values.map(String) }));
    const sort = is === "error" ? "errors" : is === "[]" ? "empty" : "found";
    counts[sort] = (counts[sort] ?? 0) + 1;
    for (const c of `${is}\n`) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
  }
  assert.ok(Object.values(counts).length === 3 && Object.values(counts).every((n) => n > 800), JSON.stringify(counts));
  // zarr/convention/xarray has the same number, because both give the same answers to the same
  // cases.
  assert.equal(hash, 900332981);
});

test("labels: texts go by code points", () => {
  const names = ["a", "b", "ü", "￮", "😀"];
  const index = new LabelIndex("name", textKeys(names));
  assert.equal(index.order, "ascending");
  assert.equal(located(index, { start: "b", stop: "￮" }), "[1,2,3]");
  assert.ok(compare("😀", "￮") > 0);
});

test("labels: 64-bit integers are exact", () => {
  const big = 2n ** 60n;
  const index = new LabelIndex("id", numberKeys(BigInt64Array.of(big, big + 1n, big + 2n), "int64"));
  assert.equal(located(index, big + 1n), "1");
  assert.equal(located(index, Number(big)), "0");
  assert.equal(located(index, { start: big + 1n, stop: null }), "[1,2]");
  assert.equal(located(index, 0.5, { method: "nearest" }), "0");
  const small = new LabelIndex("n", numberKeys(Int32Array.of(1, 2, 3), "int32"));
  assert.equal(located(small, 2n), "1");
  assert.equal(located(small, 2n ** 60n), "error");
});

test("labels: a label is rounded to the type of its coordinate first", () => {
  const index = new LabelIndex("lat", numberKeys(Float32Array.of(0, 0.1, 0.2, 0.3), "float32"));
  assert.equal(located(index, 0.1), "1");
  assert.equal(located(index, { start: 0.1, stop: 0.3 }), "[1,2,3]");
  assert.equal(located(index, [0.2, 0.1]), "[2,1]");
  assert.deepEqual([0.1, 65519, 65520, 6e-8, -2.5e-8, Number.NaN].map(roundHalf), [
    0.0999755859375,
    65504,
    Number.POSITIVE_INFINITY,
    2 ** -24,
    -0,
    Number.NaN,
  ]);
});

test("labels: a circle has no seam where one asks for a period", () => {
  const degrees = Float64Array.from({ length: 36 }, (_, i) => i * 10);
  const index = new LabelIndex("lon", numberKeys(degrees, "float64"));
  const period = 360;
  assert.equal(located(index, -10), "error");
  assert.equal(located(index, -10, { period }), "35");
  assert.equal(located(index, 730, { period }), "1");
  assert.equal(located(index, 357, { period, method: "nearest" }), "0");
  assert.equal(located(index, -4, { period, method: "pad" }), "35");
  assert.equal(located(index, 351, { period, method: "backfill" }), "0");
  assert.equal(located(index, { start: -20, stop: 10 }, { period }), "[34,35,0,1]");
  assert.equal(located(index, { start: 350, stop: 10 }, { period }), "[35,0,1]");
  assert.equal(located(index, { start: -180, stop: 180 }, { period }).slice(0, 12), "[18,19,20,21");
  assert.equal(located(index, { start: -20, stop: 10, step: 2 }, { period }), "[34,0]");
  assert.equal(located(index, 1e300, { period }), "error");
  assert.equal(located(index, Number.POSITIVE_INFINITY, { period }), "error");
  const both = new LabelIndex("lon", numberKeys(Float64Array.of(0, 90, 180, 270, 360), "float64"));
  assert.equal(located(both, 360, { period }), "4");
  assert.equal(located(both, 0, { period }), "0");
  const west = new LabelIndex("lon", numberKeys(Float64Array.of(170, 90, 10, -70, -150), "float64"));
  assert.equal(located(west, { start: -140, stop: 165 }, { period }), "[4,0]");
  const round = new LabelIndex("lon", numberKeys(Float64Array.of(0, 300, 700), "float64"));
  assert.equal(located(round, 0, { period }), "error");
});

test("labels: booleans, durations and times take labels of their own kind only", () => {
  const flags = new LabelIndex("flag", booleanKeys([false, true]));
  assert.equal(located(flags, true), "1");
  for (const label of [1, "true", {}, undefined, Symbol.iterator]) assert.equal(located(flags, label), "error");
  const micros = BigInt64Array.of(0n, 21_600_000_000n, 86_400_000_000n);
  const lags = new LabelIndex("lag", durationKeys(micros, 1n));
  assert.equal(located(lags, "6h"), "1");
  assert.equal(located(lags, "1.5 days", { method: "pad" }), "2");
  assert.equal(located(lags, "20h", { method: "nearest", tolerance: "4h" }), "2");
  assert.equal(located(lags, "20h", { method: "nearest", tolerance: "3h" }), "error");
  assert.equal(located(lags, "6 parsecs"), "error");
  const times = new LabelIndex(
    "time",
    timeKeys(micros, 1n, (label) => (label === "start" ? { first: 0n, last: 0n } : undefined)),
  );
  assert.equal(located(times, "start"), "0");
  assert.equal(located(times, "end"), "error");
  assert.equal(located(times, 3), "error");
  assert.equal(located(times, 86_400_000_000n), "2");
  assert.equal(located(times, new Date(Number.NaN)), "error");
});

test("labels: a lookup that is not one is refused", () => {
  const index = new LabelIndex("x", numberKeys(Float64Array.of(1, 2, 3), "float64"));
  for (const step of [0, 0.5, Number.NaN, "1"]) assert.equal(located(index, { start: 1, stop: 3, step }), "error");
  for (const period of [-1, Number.NaN, "360", Number.POSITIVE_INFINITY]) {
    assert.equal(located(index, 1, { period: period as number }), "error");
  }
  for (const tolerance of [-1, "1h", Number.NaN, {}])
    assert.equal(located(index, 1, { method: "nearest", tolerance }), "error");
  assert.equal(located(index, 1, { tolerance: 1 }), "error");
});

test("labels: 3,000 random selections of times are those of a search through their texts", async () => {
  const random = new Random(44);
  let hash = 0x811c9dc5;
  const counts: Record<string, number> = {};
  for (let round = 0; round < 3000; round++) {
    const units = parseUnits("hours since 2019-12-20", ["standard", "noleap", "360_day"][random.below(3)]);
    const order = random.below(3);
    // Steps of one hour, one day and half an hour.
    const step = [1, 24, 0.5][random.below(3)] as number;
    const hours = Array.from(
      { length: random.below(15) },
      () => (random.below(60) * 24) / (random.below(2) + 1) + random.below(3) * step,
    );
    if (order < 2) hours.sort((a, b) => a - b);
    if (order === 1) hours.reverse();
    const texts = hours.map((hour) => String(units.date(hour)));
    const data = new TimeArray(Float64Array.from(hours), undefined, units);
    const index = await indexOf("time", { data, dtype: "time" });
    const label = () => {
      const some = random.below(4) > 0 && texts.length > 0;
      const text = some ? (texts[random.below(texts.length)] as string) : String(units.date(random.below(70) * 23));
      return text.slice(0, [4, 7, 10, 13, 16, 19][random.below(6)]);
    };
    const slices = random.below(3) === 0;
    const [start, stop] = [label(), label()];
    const is = located(index, slices ? { start, stop } : start);
    // The first part of the texts that is not the beginning of a day, an hour and so on.
    const fine = [10, 13, 16, 19].find((n) => texts.every((text) => text.slice(n) === "T00:00:00".slice(n - 10))) ?? 19;
    const ordered =
      order < 2 ||
      texts.every((text, i) => i === 0 || text >= (texts[i - 1] as string)) ||
      texts.every((text, i) => i === 0 || text <= (texts[i - 1] as string));
    const all = texts.map((_, i) => i);
    const begins = (text: string, i: number) => (texts[i] as string).slice(0, text.length);
    const full = (text: string) => text + "0000-01-01T00:00:00".slice(text.length);
    let want: string;
    if (!slices) {
      const wide = start.length < fine;
      const found = all.filter((i) => (wide ? begins(start, i) === start : texts[i] === full(start)));
      const between =
        wide &&
        ordered &&
        texts.some((_, i) => begins(start, i) < start) &&
        texts.some((_, i) => begins(start, i) > start);
      if (found.length > 0) want = wide || found.length > 1 ? `[${found.join()}]` : `${found[0]}`;
      else want = between ? "[]" : "error";
    } else if (ordered) {
      const up = texts.every((text, i) => i === 0 || text >= (texts[i - 1] as string));
      const [low, high] = up ? [start, stop] : [stop, start];
      want = `[${all.filter((i) => begins(low, i) >= low && begins(high, i) <= high).join()}]`;
    } else {
      const [first, last] = [start, stop].map((text) => all.filter((i) => texts[i] === full(text))) as [
        number[],
        number[],
      ];
      const run = (list: number[]) =>
        list.length > 0 && (list.at(-1) as number) - (list[0] as number) === list.length - 1;
      const ends = [start, stop].every((text) => text.length >= fine) && run(first) && run(last);
      want = ends
        ? `[${all.filter((i) => i >= (first[0] as number) && i <= (last.at(-1) as number)).join()}]`
        : "error";
    }
    assert.equal(is, want, JSON.stringify({ round, texts, start, stop: slices && stop }));
    const sort = is === "error" ? "errors" : is === "[]" ? "empty" : is.startsWith("[") ? "lists" : "single";
    counts[sort] = (counts[sort] ?? 0) + 1;
    for (const c of `${is}\n`) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
  }
  assert.ok(Object.values(counts).length === 4 && Object.values(counts).every((n) => n > 60), JSON.stringify(counts));
  // zarr/convention/xarray has the same number.
  assert.equal(hash, 2211289821);
});

test("labels: the index of a long coordinate is made in tasks that are short", async () => {
  const length = 200_000;
  const units = parseUnits("days since 1940-01-01");
  const times = new TimeArray(
    Float64Array.from({ length }, (_, i) => i / 24),
    undefined,
    units,
  );
  const texts = Array.from({ length: 20 * length }, (_, i) => `${i % length}`);
  for (const [decoded, label, place] of [
    [{ data: times, dtype: "time" }, "1940-01-02T01", "25"],
    [{ data: texts, dtype: "string" }, "7", undefined],
  ] as const) {
    let [turns, going] = [0, true];
    const turn = () => {
      turns++;
      if (going) setImmediate(turn);
    };
    setImmediate(turn);
    const index = await indexOf("x", decoded);
    going = false;
    if (place) assert.equal(located(index, label), place);
    // Work in one task would leave no turns for others.
    assert.ok(turns >= 2, `${turns} other tasks ran meanwhile`);
  }
});

test("a year of eight digits with its month is not a date without separators", () => {
  const { first, last } = parseUnits("days since 2000-01-01", "noleap").partial("31709800-12-26T01:45:17");
  assert.deepEqual([String(first), first.year, first.month], ["31709800-12-26T01:45:17", 31_709_800, 12]);
  assert.equal(last.microsecond, 999_999);
  assert.equal(parseUnits("days since 2000-01-01").partial("20200102").first.day, 2);
});
