// Tests that the coastlines are in the right places, and that they are drawn completely wherever a
// picture begins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { coastlines, type Pen, traceLines } from "../view/coast/index.js";

/** Records the drawn segments. */
class Segments implements Pen {
  readonly drawn: [x0: number, y0: number, x1: number, y1: number][] = [];
  #at: [number, number] = [Number.NaN, Number.NaN];
  moveTo(x: number, y: number): void {
    this.#at = [x, y];
  }
  lineTo(x: number, y: number): void {
    this.drawn.push([...this.#at, x, y]);
    this.#at = [x, y];
  }
  get length(): number {
    return this.drawn.reduce((sum, [x0, y0, x1, y1]) => sum + Math.hypot(x1 - x0, y1 - y0), 0);
  }
}

const degrees = (lon: number, lat: number): [number, number] => [lon, lat];

test("the coastlines are where the coasts are", async () => {
  const lines = await coastlines();
  assert.equal(lines.length, 134);
  const near = (lon: number, lat: number): boolean =>
    lines.some((line) => {
      for (let i = 0; i < line.length; i += 2)
        if (Math.hypot((line[i] ?? 0) - lon, (line[i + 1] ?? 0) - lat) < 1.5) return true;
      return false;
    });
  // Cape Agulhas, Gibraltar, Cape Horn, Honshu, the North Cape, Tasmania's south
  for (const [lon, lat] of [
    [20, -34.8],
    [-5.4, 36],
    [-67.3, -55.5],
    [140.9, 36],
    [25.7, 71],
    [146.8, -43.6],
  ] as const)
    assert.ok(near(lon, lat), `${lon}, ${lat}`);
  // The middles of the Pacific, Asia and the Sahara
  for (const [lon, lat] of [
    [-130, 0],
    [85, 45],
    [10, 24],
  ] as const)
    assert.ok(!near(lon, lat), `${lon}, ${lat}`);
  for (const line of lines) {
    assert.ok(line.length >= 4);
    for (let i = 0; i < line.length; i += 2) {
      const [lon, lat] = [line[i] ?? Number.NaN, line[i + 1] ?? Number.NaN];
      assert.ok(Math.abs(lon) <= 180 && Math.abs(lat) <= 90, `${lon}, ${lat}`);
      if (i > 0)
        assert.ok(Math.hypot(lon - (line[i - 2] ?? 0), lat - (line[i - 1] ?? 0)) < 12, `a jump to ${lon}, ${lat}`);
    }
  }
});

test("any 360 degrees show the whole world once, and 720 twice", async () => {
  const lines = await coastlines();
  const drawn = (west: number, east: number): Segments => {
    const pen = new Segments();
    traceLines(pen, lines, { west, east, place: degrees });
    return pen;
  };
  const whole = drawn(-180, 180).length;
  assert.ok(whole > 4000 && whole < 6000, String(whole));
  for (const west of [0, -360, -179.9, 12.3, 90, 1234]) {
    const pen = drawn(west, west + 360);
    assert.ok(Math.abs(pen.length - whole) < 0.01, `from ${west}: ${pen.length} and not ${whole}`);
    for (const [x0, , x1] of pen.drawn) {
      assert.ok(Math.min(x0, x1) >= west - 1e-9 && Math.max(x0, x1) <= west + 360 + 1e-9);
      assert.ok(Math.abs(x1 - x0) < 12, "a line across the picture");
    }
  }
  assert.ok(Math.abs(drawn(-180, 540).length - 2 * whole) < 0.01);
  const parts = [0, 90, 180, 270].reduce((sum, west) => sum + drawn(west, west + 90).length, 0);
  assert.ok(Math.abs(parts - whole) < 0.01);
});

test("places outside the picture are left out, and coordinates that are not degrees draw nothing", async () => {
  const lines = await coastlines();
  const pen = new Segments();
  traceLines(pen, lines, {
    west: -180,
    east: 180,
    place: (lon, lat) => (lat > 0 ? [lon, lat] : [Number.NaN, Number.NaN]),
  });
  assert.ok(pen.drawn.length > 1000);
  assert.ok(pen.drawn.every(([, y0, , y1]) => y0 > 0 && y1 > 0));
  for (const [west, east] of [
    [Number.NaN, 1],
    [0, Infinity],
    [0, 5e6],
    [360, 0],
  ] as const) {
    const none = new Segments();
    traceLines(none, lines, { west, east, place: degrees });
    assert.equal(none.drawn.length, 0, `${west} to ${east}`);
  }
});
