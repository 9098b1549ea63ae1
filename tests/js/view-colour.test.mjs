// Colours of the view: maps, labels, categories, and the position of values in a range.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { top } from "../lib/serve.mjs";

const { outputFiles } = await build({
  absWorkingDir: top,
  stdin: {
    contents: ["channels", "colormaps", "curve", "labels", "range"]
      .map((name) => `export * from "./${name}.js";`)
      .join(""),
    resolveDir: `${top}js/view/colour`,
    loader: "ts",
  },
  bundle: true,
  format: "esm",
  write: false,
});
const colour = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

/** A colour in Oklab: its lightness, and its position between red, green, yellow and blue. */
function oklab([red, green, blue]) {
  const [r, g, b] = [red, green, blue].map((v) =>
    v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
  );
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
const apart = (one, two) => Math.hypot(...oklab(one).map((part, i) => part - oklab(two)[i]));
const entry = (table, i) => [...table.subarray(i * 4, i * 4 + 3)];
const all = (name) => Array.from({ length: 256 }, (_, i) => entry(colour.tableOf(name), i));

test("every map has 256 opaque colours, one array each, and its reverse", () => {
  for (const { name, kind } of colour.colormaps) {
    const table = colour.tableOf(name);
    assert.equal(table.length, 1024);
    assert.equal(colour.tableOf(name), table, "a painter knows it by its object");
    assert.ok(table.every((part, i) => i % 4 !== 3 || part === 255));
    assert.equal(colour.kindOf(`${name}-r`), kind);
    if (kind !== "categorical") assert.deepEqual(all(`${name}-r`), all(name).reverse());
    assert.match(colour.gradientOf(name), /^linear-gradient\(to right, rgb\(/);
  }
  assert.equal(new Set(colour.colormaps.map(({ name }) => name)).size, colour.colormaps.length);
});

test("the documentation names all maps by their kinds, and the defaults", () => {
  const text = readFileSync(join(top, "docs/guides/viewer.md"), "utf8");
  for (const kind of ["sequential", "diverging", "cyclic", "categorical"]) {
    const row = text.split("\n").find((line) => line.startsWith(`| ${kind} |`));
    const [, , names, why] = row.split("|");
    const own = colour.colormaps.filter((map) => map.kind === kind).map(({ name }) => name);
    assert.deepEqual(names.match(/[\w-]+/g), own, kind);
    assert.equal(why.match(/`(.*?)`/)[1], colour.defaultColormap(kind));
  }
});

test("known colours of known maps", () => {
  assert.deepEqual(entry(colour.tableOf("viridis"), 0), [68, 1, 84]);
  assert.deepEqual(entry(colour.tableOf("viridis"), 255), [253, 231, 37]);
  assert.ok(apart(entry(colour.tableOf("viridis"), 128), [33, 145, 140]) < 0.01);
  assert.ok(apart(entry(colour.tableOf("plasma"), 128), [204, 71, 120]) < 0.01);
  assert.deepEqual(entry(colour.tableOf("magma"), 255), [252, 253, 191]);
  assert.deepEqual(
    all("gray"),
    Array.from({ length: 256 }, (_, i) => [i, i, i]),
  );
});

test("sequential maps grow lighter in even steps", () => {
  for (const name of ["viridis", "magma", "inferno", "plasma", "cividis", "gray"]) {
    const colours = all(name);
    const steps = colours.slice(1).map((c, i) => apart(c, colours[i]));
    const light = colours.map((c) => oklab(c)[0]);
    assert.ok(
      light.every((l, i) => i === 0 || l > light[i - 1] - 0.006),
      `${name} is nowhere darker than before`,
    );
    const even = steps.slice(8).map((_, i) => apart(colours[i], colours[i + 8]));
    assert.ok(Math.max(...even.slice(16)) < 5 * Math.min(...even.slice(16)), `${name}: even steps`);
  }
  const turbo = all("turbo");
  assert.ok(turbo.slice(1).every((c, i) => apart(c, turbo[i]) < 0.02));
});

test("diverging maps are lightest in the middle, and equally dark at both ends", () => {
  for (const { name } of colour.colormaps.filter(({ kind }) => kind === "diverging")) {
    const light = all(name).map((c) => oklab(c)[0]);
    for (let i = 1; i < 128; i++) {
      assert.ok(light[i] > light[i - 1] - 0.004, `${name} at ${i}`);
      assert.ok(light[255 - i] > light[256 - i] - 0.004, `${name} at ${255 - i}`);
      assert.ok(
        Math.abs(light[i] - light[255 - i]) < 0.06,
        `${name}: both sides of ${i}: ${light[i]} ${light[255 - i]}`,
      );
    }
    const [, a, b] = oklab(entry(colour.tableOf(name), 128));
    assert.ok(Math.hypot(a, b) < 0.03, `${name}: no hue in the middle`);
    assert.ok(apart(entry(colour.tableOf(name), 20), entry(colour.tableOf(name), 235)) > 0.15, `${name}: two hues`);
  }
});

test("cyclic maps end where they begin", () => {
  for (const { name } of colour.colormaps.filter(({ kind }) => kind === "cyclic")) {
    const colours = all(name);
    assert.ok(apart(colours[0], colours[255]) < 0.01, name);
    assert.ok(
      colours.slice(1).every((c, i) => apart(c, colours[i]) < 0.025),
      `${name} has no jump`,
    );
    assert.ok(apart(colours[64], colours[192]) > 0.15, `${name}: halves are told apart`);
  }
});

test("an unknown name is rejected", () => {
  for (const name of ["", "Viridis", "toString", "__proto__", "viridis-r-r", "-r"]) {
    assert.equal(colour.isColormap(name), false, name);
    assert.throws(() => colour.tableOf(name), TypeError, name);
  }
  for (const scale of ["sequential", "diverging", "cyclic", "categorical"]) {
    assert.equal(colour.kindOf(colour.defaultColormap(scale)), scale);
  }
});

test("categories have distinct colours, in the requested number", () => {
  for (const count of [1, 10, 20]) {
    const colours = colour.categoryColours(count);
    assert.equal(colours.length, count * 4);
    for (let i = 0; i < count; i++) {
      assert.equal(colours[i * 4 + 3], 255);
      for (let j = 0; j < i; j++)
        assert.ok(apart(entry(colours, i), entry(colours, j)) > 0.06, `${i} and ${j} of ${count}`);
    }
  }
  assert.equal(colour.categoryColours(0).length, 0);
  assert.equal(colour.categoryColours(300).length, 1200);
});

test("labels have their colours by their numbers, neighbours far apart", () => {
  let near = 0;
  const table = colour.labelTable();
  const colourOf = (label) => [...table.subarray(4 * colour.labelIndex(label)).subarray(0, 3)];
  for (let label = 1; label < 1000; label++) {
    const own = colourOf(label);
    if (apart(own, colourOf(label + 1)) < 0.04) near++;
    assert.ok(oklab(own)[0] > 0.5, "seen on black");
  }
  assert.ok(near < 40, `${near} of 1000 look like the next`);
  for (const odd of [-1, 2 ** 31, 2 ** 32 - 1, 2 ** 60, Number.NaN]) assert.equal(colourOf(odd).length, 3);
});

test("the values of a curve have their shares of the range", () => {
  const curves = [
    { kind: "linear" },
    { kind: "log" },
    { kind: "power", exponent: 0.5 },
    { kind: "power", exponent: 3 },
  ];
  for (const curve of curves) {
    for (const range of [
      [1, 1000],
      [300, 2],
      [0.001, 0.002],
      ...(curve.kind === "log"
        ? []
        : [
            [-5, 5],
            [-1e308, 1e308],
          ]),
    ]) {
      for (const share of [0, 0.25, 0.5, 0.9, 1]) {
        const [low, high] = range;
        const at = curve.kind === "power" ? share ** (1 / curve.exponent) : share;
        const value = curve.kind === "log" ? low * (high / low) ** at : low * (1 - at) + high * at;
        assert.ok(
          Math.abs(colour.shareOf(value, range, curve) - share) < 1e-9,
          `${curve.kind} ${range} ${share}: ${value}`,
        );
      }
    }
    assert.equal(colour.shareOf(-Infinity, [1, 5], curve), 0);
    assert.equal(colour.shareOf(Infinity, [1, 5], curve), 1);
    assert.equal(colour.shareOf(0, [1, 5], curve), 0);
  }
  const linear = { kind: "linear" };
  assert.deepEqual(
    [2, 3, 4].map((v) => colour.shareOf(v, [3, 3], linear)),
    [0, 0.5, 1],
  );
  assert.deepEqual(colour.logRange([0, 100]), [0.01, 100]);
  assert.equal(colour.shareOf(-3, [0, 100], { kind: "log" }), 0);
});

test("the range of values: without outliers, and symmetric about 0", () => {
  const known = (sorted) => ({
    least: sorted[0],
    most: sorted.at(-1),
    quantile: (s) => sorted[Math.round(s * (sorted.length - 1))],
  });
  const hundred = Array.from({ length: 101 }, (_, i) => i);
  assert.deepEqual(colour.rangeOf(known([-1e9, ...hundred, 1e9]), "sequential"), [0, 100]);
  assert.deepEqual(colour.rangeOf(known(hundred.map((v) => v - 20)), "diverging"), [-79, 79]);
  assert.deepEqual(colour.rangeOf(known(hundred), "cyclic"), [0, 100]);
  assert.deepEqual(colour.rangeOf(known([...Array(500).fill(7), 9]), "sequential"), [7, 9]);
  assert.deepEqual(colour.rangeOf(known([3]), "sequential"), [3, 3]);
});

test("hexadecimal colours are read and written", () => {
  for (const name of ["000000", "ff8000", "0a0b0c"]) assert.equal(colour.hexOf(colour.parseHex(`#${name}`)), name);
  assert.deepEqual(colour.parseHex("FF8000"), [255, 128, 0]);
  for (const odd of ["", "red", "fff", "0000000", "gg0000"]) assert.equal(colour.parseHex(odd), undefined);
});
