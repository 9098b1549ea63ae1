import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../tests/lib/random.mjs";
import type { Coordinate } from "../describe/index.js";
import { dateTicks } from "../view/axes/dates.js";
import { place, positionAt, shareOf } from "../view/axes/draw.js";
import { positionTicks } from "../view/axes/positions.js";
import { degreeTicks, logTicks, numberText, numberTicks, type Ticks, wholeTicks } from "../view/axes/ticks.js";
import { axisTitle, towards, unitsText } from "../view/axes/titles.js";

const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Returns the number of a label. */
function read(text: string): number {
  const plain = text
    .replaceAll("−", "-")
    .replace(/^10(?=[⁻⁰-⁹¹²³])/, "1×10")
    .replace(/×10([⁻⁰¹²³⁴-⁹]+)/, (_, power: string) => {
      return `e${[...power].map((digit) => (digit === "⁻" ? "-" : raised.indexOf(digit))).join("")}`;
    });
  assert.match(plain, /^-?\d+(\.\d+)?(e-?\d+)?$/, text);
  return Number(plain);
}

/** Returns the position of a text, which may be a difference from the common part. */
function positionOf(text: string, { common }: Ticks): number {
  if (!common.startsWith("from ")) return read(text);
  const whole = (part: string): bigint => BigInt(part.replace("−", "-").replace(/[^-\d]/g, ""));
  return Number(whole(common) + whole(text));
}

function check({ list }: Ticks, low: number, high: number, what: string): void {
  for (const [i, { position }] of list.entries()) {
    assert.ok(position >= low && position <= high, `${what}: ${position} is outside`);
    const before = list[i - 1];
    if (before) assert.ok(position > before.position, `${what}: ${position} is not above ${before.position}`);
  }
  assert.equal(new Set(list.map(({ text }) => text)).size, list.length, `${what}: ${list.map(({ text }) => text)}`);
}

const texts = ({ list }: Ticks): string[] => list.map(({ text }) => text);

test("ticks of numbers are ordered, inside, distinct, as many as are wanted, and read back as their positions", () => {
  const { next } = random(1);
  for (let n = 0; n < 4000; n++) {
    const middle = (next() - 0.5) * 10 ** Math.floor(next() * 40 - 20) * (next() < 0.2 ? 0 : 1);
    const span = 10 ** (next() * 40 - 20);
    const [low, high] = [middle - span * next(), middle + span * next()];
    if (!(high > low)) continue;
    const wanted = 1 + Math.floor(next() * 12);
    const what = `${low} to ${high}, ${wanted}`;
    const ticks = numberTicks(low, high, wanted);
    check(ticks, low, high, what);
    assert.ok(ticks.list.length <= wanted + 1, what);
    // Steps of 1, 2 and 5 give at least 2 of 5 wanted ticks, unless the numbers are too near to
    // each other.
    if (high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)))
      assert.ok(ticks.list.length >= Math.floor(wanted / 2.5) - 1, `${what}: ${ticks.list.length}`);
    for (const { position, text } of ticks.list) assert.equal(positionOf(text, ticks), position, `${what}: ${text}`);
  }
});

test("ticks of numbers are written as people write them", () => {
  assert.deepEqual(texts(numberTicks(-1, 1, 4)), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
  assert.deepEqual(texts(numberTicks(0, 100, 5)), ["0", "20", "40", "60", "80", "100"]);
  assert.deepEqual(texts(numberTicks(0, 2.5e6, 5)), ["0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶", "2.5×10⁶"]);
  assert.deepEqual(texts(numberTicks(1e-7, 3e-7, 2)), ["1×10⁻⁷", "2×10⁻⁷", "3×10⁻⁷"]);
  assert.deepEqual(texts(numberTicks(271.2, 273.9, 3)), ["272", "273"]);
  assert.deepEqual(texts(wholeTicks(0, 3, 10)), ["0", "1", "2", "3"]);
  assert.deepEqual(texts(wholeTicks(0, 2e6, 2)), ["0", "1\u202f000\u202f000", "2\u202f000\u202f000"]);
  assert.equal(numberText(-0.125), "−0.125");
  assert.equal(numberText(1.5e9), "1.5×10⁹");
  assert.equal(numberText(NaN), "NaN");
});

test("empty ranges have no ticks, and infinite ranges are accepted", () => {
  for (const [low, high] of [
    [1, 0],
    [NaN, 1],
    [0, NaN],
    [0, Infinity],
    [-Infinity, Infinity],
  ] as const) {
    for (const ticks of [
      numberTicks(low, high, 5),
      logTicks(low, high, 5),
      dateTicks(low, high, 5),
      degreeTicks(low, high, 5, "east"),
    ])
      assert.deepEqual(ticks.list, [], `${low} to ${high}`);
  }
  check(numberTicks(-Number.MAX_VALUE, Number.MAX_VALUE, 5), -Number.MAX_VALUE, Number.MAX_VALUE, "all numbers");
  assert.deepEqual(texts(numberTicks(5, 5, 5)), ["5"]);
  check(numberTicks(0, 5e-324, 5), 0, 5e-324, "the least number");
  assert.deepEqual(dateTicks(-9e15, 0, 5).list, []);
});

test("ticks of logarithmic axes are ordered, inside, distinct, and read back as their positions", () => {
  const { next } = random(2);
  for (let n = 0; n < 3000; n++) {
    const low = 10 ** (next() * 300 - 150);
    const high = low * 10 ** (next() * 120);
    const wanted = 1 + Math.floor(next() * 12);
    const ticks = logTicks(low, high, wanted);
    const what = `${low} to ${high}, ${wanted}`;
    check(ticks, low, high, what);
    for (const { position, text } of ticks.list) assert.equal(positionOf(text, ticks), position, `${what}: ${text}`);
    if (high / low >= 100 && wanted > Math.log10(high / low)) assert.ok(ticks.list.length >= 2, what);
  }
  assert.deepEqual(texts(logTicks(0.5, 200, 4)), ["1", "10", "100"]);
  assert.deepEqual(texts(logTicks(1, 50, 8)), ["1", "2", "5", "10", "20", "50"]);
  assert.deepEqual(texts(logTicks(1e-12, 1e12, 5)), ["10⁻¹⁰", "10⁻⁵", "1", "10⁵", "10¹⁰"]);
  assert.deepEqual(logTicks(0, 10, 5).list, []);
});

/** Returns the time of a label, completed by the axis's common part. */
function readDate(text: string, common: string): number {
  let whole = text.replace("−", "-");
  if (/^\d\d:/.test(whole)) whole = `${common.replace("−", "-")} ${whole}`;
  else if (/^\d\d-\d\d /.test(whole)) whole = `${common.replace("−", "-")}-${whole}`;
  const [, year = "", month = "01", day = "01", hour = "0", minute = "0", second = "0", ms = "0"] =
    /^(-?\d+)(?:-(\d\d))?(?:-(\d\d))?(?: (\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?)?$/.exec(whole) ?? assert.fail(whole);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.setUTCHours(Number(hour), Number(minute), Number(second), Number(ms));
}

test("ticks of times are ordered, inside, distinct, and read back as their positions", () => {
  const { next } = random(3);
  for (let n = 0; n < 4000; n++) {
    const low = Math.round((next() - 0.5) * 10 ** (6 + next() * 9.5));
    const high = low + Math.max(1, Math.round(10 ** (next() * 15)));
    const wanted = 1 + Math.floor(next() * 12);
    const what = `${low} to ${high}, ${wanted}`;
    const ticks = dateTicks(low, high, wanted);
    check(ticks, low, high, what);
    assert.ok(ticks.list.length <= 2 * wanted + 2, `${what}: ${ticks.list.length}`);
    for (const { position, text } of ticks.list)
      assert.equal(readDate(text, ticks.common), position, `${what}: ${text}`);
  }
});

test("ticks of times are at starts of years, months, days and hours", () => {
  const at = (text: string): number => Date.parse(text);
  const of = (low: string, high: string, wanted: number): Ticks => dateTicks(at(low), at(high), wanted);
  assert.deepEqual(texts(of("1950-01-16", "2015-12-16", 7)), ["1960", "1970", "1980", "1990", "2000", "2010"]);
  assert.deepEqual(texts(of("1999-11-16", "2000-08-16", 4)), ["2000-01", "2000-04", "2000-07"]);
  assert.deepEqual(texts(of("2000-02-25", "2000-03-08", 4)), ["2000-02-26", "2000-03-01", "2000-03-06"]);
  const hours = of("2000-01-01T03:00Z", "2000-01-01T21:00Z", 4);
  assert.deepEqual([texts(hours), hours.common], [["06:00", "12:00", "18:00"], "2000-01-01"]);
  const nights = of("2000-01-01T03:00Z", "2000-01-02T21:00Z", 4);
  assert.deepEqual([texts(nights), nights.common], [["01-01 12:00", "01-02 00:00", "01-02 12:00"], "2000"]);
  assert.deepEqual(texts(of("0050-01-01", "0250-01-01", 3)), ["0100", "0200"]);
});

test("degrees show their hemisphere, and a meridian at both ends has two names", () => {
  assert.deepEqual(texts(degreeTicks(-100, 100, 4, "east")), ["60°W", "0°", "60°E"]);
  assert.deepEqual(texts(degreeTicks(0, 359.5, 4, "east")), ["0°", "90°E", "180°", "90°W"]);
  assert.deepEqual(texts(degreeTicks(-90, 90, 6, "north")), ["90°S", "60°S", "30°S", "0°", "30°N", "60°N", "90°N"]);
  assert.deepEqual(texts(degreeTicks(47.2, 47.5, 3, "north")), ["47.2°N", "47.3°N", "47.4°N", "47.5°N"]);
  const { next } = random(4);
  for (let n = 0; n < 3000; n++) {
    const low = next() * 500 - 250;
    const high = low + Math.min(360, 10 ** (next() * 5 - 2));
    for (const toward of ["east", "north"] as const) {
      const ticks = degreeTicks(low, high, 1 + Math.floor(next() * 12), toward);
      check(ticks, low, high, `${low} to ${high} ${toward}`);
      for (const { position, text } of ticks.list) {
        const [, sign, size, side] = /^(−?)([\d.]+)°([NESW]?)$/.exec(text) ?? assert.fail(text);
        const value = Number(size) * (sign || side === "S" || side === "W" ? -1 : 1);
        const turns = toward === "east" ? Math.abs((value - position) / 360) : 0;
        assert.ok(Math.abs(turns - Math.round(turns)) < 1e-9, `${text} at ${position}`);
        if (toward === "north") assert.equal(value, position);
      }
    }
  }
});

/** Returns an axis with the given numbers as positions. */
function coordinate(kind: Coordinate["kind"], numbers: readonly number[]): Coordinate {
  const { length } = numbers;
  return { kind, name: "c", units: "", length, number: (i) => numbers[i] ?? NaN, text: (i) => `#${i}`, find: () => 0 };
}

test("marks are at their positions: rising, falling, uneven, not monotonic, names, and none", () => {
  const lat = Array.from({ length: 181 }, (_, i) => 90 - i);
  const falling = positionTicks(coordinate("number", lat), 181, 0, 181, 7, "degrees_north");
  assert.deepEqual(texts(falling), ["90°N", "60°N", "30°N", "0°", "30°S", "60°S", "90°S"]);
  assert.deepEqual(
    falling.list.map(({ position }) => position),
    [0.5, 30.5, 60.5, 90.5, 120.5, 150.5, 180.5],
  );
  const levels = [1000, 925, 850, 700, 500, 300, 200, 100, 50, 10];
  const uneven = positionTicks(coordinate("number", levels), 10, 0, 10, 10, "hPa");
  assert.deepEqual(texts(uneven), levels.map(String));
  assert.deepEqual(
    uneven.list.map(({ position }) => position),
    levels.map((_, i) => i + 0.5),
  );
  const fro = positionTicks(coordinate("number", [3, 1, 2]), 3, 0, 3, 5);
  assert.deepEqual(texts(fro), ["3", "1", "2"]);
  const words = positionTicks(coordinate("text", [NaN, NaN, NaN]), 3, 0, 3, 5);
  assert.deepEqual(texts(words), ["#0", "#1", "#2"]);
  assert.deepEqual(texts(positionTicks(coordinate("number", [7]), 1, 0, 1, 5)), ["7"]);
  assert.deepEqual(texts(positionTicks(null, 100, 0, 100, 5)), ["0", "20", "40", "60", "80"]);
  assert.deepEqual(positionTicks(null, 100, 0, 100, 5).list.at(-1)?.position, 80.5);
  assert.deepEqual(positionTicks(null, 0, 0, 0, 5).list, []);
  const days = Array.from({ length: 366 }, (_, i) => Date.UTC(2000, 0, 1 + i));
  const dates = positionTicks(coordinate("time", days), 366, 0, 366, 5);
  assert.deepEqual(texts(dates), ["2000-01", "2000-04", "2000-07", "2000-10", "2001-01"].slice(0, dates.list.length));
  for (const { position, text } of dates.list)
    assert.equal(days[Math.round(position - 0.5)], Date.parse(`${text}-01`), text);
});

test("marks of random coordinates are ordered, inside, and show the number at their position", () => {
  const { next } = random(5);
  for (let n = 0; n < 1500; n++) {
    const length = 2 + Math.floor(next() * 300);
    const sign = next() < 0.5 ? 1 : -1;
    let at = (next() - 0.5) * 1000;
    const numbers = Array.from({ length }, () => (at += sign * (1 + next())));
    const a = next() * length;
    const b = next() * length;
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    const ticks = positionTicks(coordinate("number", numbers), length, from, to, 6);
    check(ticks, from, to, `${length} positions, ${from} to ${to}`);
    for (const { position, text } of ticks.list) {
      const i = Math.max(0, Math.min(length - 2, Math.floor(position - 0.5)));
      const [p = NaN, q = NaN] = [numbers[i], numbers[i + 1]];
      const value = p + (position - 0.5 - i) * (q - p);
      assert.ok(Math.abs(value - read(text)) < 1e-6 || Math.abs(p - read(text)) < 1e-3, `${text} at ${value}`);
    }
  }
});

test("placed marks do not touch, whatever their texts", () => {
  const { next } = random(6);
  for (let n = 0; n < 1500; n++) {
    const length = 40 + next() * 1200;
    const spec = {
      from: next() * 100,
      to: next() * 100,
      title: "t",
      units: "",
      ticks: (low: number, high: number, wanted: number): Ticks => {
        const { list, common } = numberTicks(low, high, wanted);
        return { common, list: list.map(({ position, text }) => ({ position, text: text.repeat(1 + (n % 4)) })) };
      },
    };
    for (const side of ["bottom", "left"] as const) {
      const { marks } = place(spec, side, length, (text) => 7 * text.length, 10);
      for (const [i, mark] of marks.entries()) {
        const before = marks[i - 1];
        const size = (text: string): number => (side === "bottom" ? 7 * text.length : 12);
        const both = before ? (size(before.text) + size(mark.text)) / 2 : 0;
        if (before) assert.ok(mark.middle - before.middle >= both, `${before.text} and ${mark.text} on ${length}`);
        assert.ok(mark.at >= -0.01 && mark.at <= length + 0.01);
        if (!before?.text) continue;
        assert.ok(
          Math.abs(positionAt(spec, mark.at / length) - read(mark.text.slice(0, mark.text.length / (1 + (n % 4))))) <
            1e-6,
        );
      }
    }
  }
});

test("a share and a position are each other's inverse", () => {
  const { next } = random(7);
  for (let n = 0; n < 500; n++) {
    const axis = { from: 1e-3 + next() * 100, to: 200 + next() * 100, log: n % 2 === 0 };
    const share = next();
    assert.ok(Math.abs(shareOf(axis, positionAt(axis, share)) - share) < 1e-9);
  }
});

test("titles carry units as they are printed", () => {
  assert.equal(axisTitle("Temperature", "K"), "Temperature [K]");
  assert.equal(axisTitle("count", "1"), "count");
  assert.equal(axisTitle("count", ""), "count");
  assert.equal(axisTitle("time", "days since 1950-01-01"), "time");
  assert.equal(axisTitle("time", "", "2000-01-01"), "time · 2000-01-01");
  assert.equal(unitsText("kg m-2 s-1"), "kg m⁻² s⁻¹");
  assert.equal(unitsText("W/m^2"), "W/m²");
  assert.equal(unitsText("m s**-1"), "m s⁻¹");
  assert.equal(unitsText("micrometer"), "µm");
  assert.equal(unitsText("degrees_east"), "°E");
  for (const name of Object.getOwnPropertyNames(Object.prototype)) assert.equal(unitsText(name), name);
  assert.deepEqual(["degrees_north", "degree_N", "°E", "degreesE", "degrees", "K"].map(towards), [
    "north",
    "north",
    "east",
    "east",
    null,
    null,
  ]);
});

test("a narrow axis of dates has two marks where two fit", () => {
  const from = Date.UTC(2000, 0, 1);
  for (let days = 20; days < 400; days += 7) {
    const spec = { from, to: from + days * 864e5, title: "time", units: "", ticks: dateTicks };
    const { marks } = place(spec, "bottom", 200, (text) => 7 * text.length, 10);
    assert.ok(marks.length >= 2, `${days} days: ${marks.map(({ text }) => text)}`);
  }
});
