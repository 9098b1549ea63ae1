// Pages with an element that shows the sample earth.zarr, and the values that it should have.
import assert from "node:assert/strict";

/** Points of the picture, as shares of its size; some are on land. */
const points = [
  [0.2, 0.5],
  [0.35, 0.35],
  [0.5, 0.5],
  [0.6, 0.3],
  [0.75, 0.3],
  [0.85, 0.6],
  [0.3, 0.65],
];

export const near = (a, b, what, error = 1e-9) =>
  assert.ok(Math.abs(a - b) <= error * Math.max(1, Math.abs(b)), `${what}: ${a} is not ${b}`);

export async function earth(host, attributes, options) {
  const page = await host.element(`src="${host.url}build/samples/earth.zarr" ${attributes}`, options);
  /** The value of a node at indices, unpacked here: NaN where it is missing. */
  const decoded = (path, index) =>
    page.evaluate(
      async ([path, index]) => {
        const { open } = await import("zarr-wasm");
        const array = await open(view.src + path);
        const { _FillValue, scale_factor = 1, add_offset = 0 } = array.attrs;
        const stored = await array.get(array.dimensionNames.map((name) => index[name]));
        return stored === _FillValue ? Number.NaN : stored * scale_factor + add_offset;
      },
      [path, index],
    );
  return Object.assign(page, {
    decoded,
    /** Fails unless each point has a function's value, and is missing where a node is. */
    async compared(paths, value, error) {
      const found = { missing: 0, known: 0 };
      for (const [x, y] of points) {
        const detail = await page.pointed(x, y);
        const numbers = await Promise.all(paths.map((path) => decoded(path, detail.index)));
        if (numbers.some(Number.isNaN)) {
          found.missing++;
          assert.equal(detail.text, "missing");
          assert.ok(Number.isNaN(detail.value));
        } else {
          found.known++;
          near(detail.value, value(...numbers), JSON.stringify(detail.index), error);
        }
      }
      assert.ok(found.missing > 0 && found.known > 0, JSON.stringify(found));
    },
  });
}
