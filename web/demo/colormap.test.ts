import assert from "node:assert/strict";
import { test } from "node:test";
import { COLORMAPS, type ColormapName, colorAt, cssGradient, isColormap, lookupTable } from "./colormap.js";

test("the ends, the anchors and beyond", () => {
  assert.deepEqual(colorAt("viridis", 0), [0x44, 0x01, 0x54]);
  assert.deepEqual(colorAt("viridis", 1), [0xfd, 0xe7, 0x25]);
  assert.deepEqual(colorAt("viridis", 3 / 9), [0x31, 0x68, 0x8e]);
  assert.deepEqual(colorAt("gray", 0.5), [128, 128, 128]);
  assert.deepEqual(colorAt("gray", -4), [0, 0, 0]);
  assert.deepEqual(colorAt("gray", Number.POSITIVE_INFINITY), [255, 255, 255]);
  assert.deepEqual(colorAt("gray", Number.NaN), [0, 0, 0]);
});

test("every scale grows lighter from one end to the other", () => {
  for (const name of Object.keys(COLORMAPS) as ColormapName[]) {
    let before = -1;
    for (let i = 0; i < 256; i++) {
      const [r, g, b] = colorAt(name, i / 255);
      const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      assert.ok(light >= before - 0.5, `${name} at ${i}`);
      before = light;
    }
  }
});

test("the table holds opaque pixels in memory order", () => {
  const table = lookupTable("viridis");
  assert.equal(table.length, 256);
  assert.deepEqual([...new Uint8Array(table.buffer, 0, 4)], [0x44, 0x01, 0x54, 255]);
});

test("names and gradients", () => {
  assert.ok(isColormap("gray"));
  assert.ok(!isColormap("toString"));
  assert.equal(cssGradient("gray"), "linear-gradient(to right, #000000, #ffffff)");
});
