// Tests the geometry of volumes: points, rays and elements correspond, a ray visits the elements
// that it meets, and no volume exceeds its bounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../tests/lib/random.mjs";
import type { Field } from "../describe/field.js";
import { bounded, type Eye, pointOf, rayAt, raysOf, shifted, turned, walk, zoomed } from "../view/volume/camera.js";
import { clipOf, endsOf } from "../view/volume/clip.js";
import { each, type Grid, gridsOf, type Solid, selectionOf, type Three } from "../view/volume/solid.js";

type Roll = ReturnType<typeof random>;

const three = <T>(make: (i: 0 | 1 | 2) => T): Three<T> => [make(0), make(1), make(2)];
const near = (a: number, b: number, most: number, what = ""): void =>
  assert.ok(Math.abs(a - b) <= most, `${what}: ${a} is not ${b}`);

function solidOf(roll: Roll): Solid {
  const axes = roll.of([
    [2, 1, 0],
    [0, 1, 2],
    [3, 1, 2],
    [1, 3, 0],
  ] as Three[]);
  const longest = roll(3);
  return {
    axes,
    names: three((i) => "xyz"[i] ?? ""),
    lengths: three(() => roll.int(2, 300)),
    extents: three((i) => (i === longest ? 1 : roll.real(0.05, 1))),
    signs: three(() => roll.of([1, -1])),
  };
}

const eyeOf = (roll: Roll): Eye =>
  bounded({
    turn: roll.of([0, 90, roll.real(-180, 180)]),
    tilt: roll.of([0, 90, -90, roll.real(-90, 90)]),
    zoom: 2 ** roll.real(-1, 4),
    x: roll.real(-0.5, 0.5),
    y: roll.real(-0.5, 0.5),
  });

function gridOf(roll: Roll, { lengths, axes }: Solid): Grid {
  const factors = three(() => roll.of([1, 2, 3.5]));
  return {
    level: 0,
    steps: [1, 1, 1],
    shape: each(lengths, (length, i) => Math.ceil(length / factors[i])),
    factors,
    starts: three(() => roll.of([0, -0.5])),
    roles: [...([0, 1, 2] as const)].sort((a, b) => axes[b] - axes[a]) as unknown as Three<0 | 1 | 2>,
    chunks: 1,
    bytes: 1,
  };
}

test("the ray of the point at which a place is drawn passes through this place", () => {
  for (let round = 0; round < 1000; round++) {
    const roll = random(1, round);
    const solid = solidOf(roll);
    const grid = gridOf(roll, solid);
    const [eye, view, ratio] = [
      eyeOf(roll),
      { width: roll.int(50, 900), height: roll.int(50, 900) },
      roll.real(0.2, 2),
    ];
    const place = each(solid.lengths, (length) => roll.real(0, length));
    const { x, y, depth } = pointOf(solid, eye, view, place);
    const rays = raysOf(solid, grid, eye, view, ratio);
    const from = rayAt(rays, x * ratio, y * ratio);
    for (const [i, role] of grid.roles.entries()) {
      const wanted = (place[role] - grid.starts[role]) / grid.factors[role];
      near((from[i] as number) + depth * (rays.into[i] as number), wanted, 1e-3, `axis ${role} of round ${round}`);
    }
  }
});

test("a zoom keeps the place at its point, a shift moves it with the pointer, and no turn moves the middle", () => {
  for (let round = 0; round < 500; round++) {
    const roll = random(2, round);
    const solid = solidOf(roll);
    const view = { width: roll.int(50, 900), height: roll.int(50, 900) };
    const eye = bounded({ ...eyeOf(roll), x: 0, y: 0, zoom: 2 ** roll.real(-1, 2) });
    const place = each(solid.lengths, (length) => roll.real(0, length));
    const before = pointOf(solid, eye, view, place);
    const closer = pointOf(solid, zoomed(solid, eye, view, 1.3, before.x, before.y), view, place);
    near(closer.x, before.x, 1e-6);
    near(closer.y, before.y, 1e-6);
    const beside = pointOf(solid, shifted(solid, eye, view, 3, -2), view, place);
    near(beside.x, before.x + 3, 1e-6);
    near(beside.y, before.y - 2, 1e-6);
    const middle = each(solid.lengths, (length) => length / 2);
    const turn = turned(eye, roll.real(-500, 500), roll.real(-500, 500));
    near(pointOf(solid, turn, view, middle).x, view.width / 2, 1e-6);
    near(pointOf(solid, turn, view, middle).y, view.height / 2, 1e-6);
  }
});

test("a ray visits each element that it meets once, in order, with the length inside", () => {
  for (let round = 0; round < 500; round++) {
    const roll = random(3, round);
    const shape = three(() => roll.int(1, 9));
    const low = each(shape, (n) => roll.of([0, 0, roll.real(0, n / 2)]));
    const high = each(shape, (n) => roll.of([n, n, roll.real(n / 2 + 0.1, n)]));
    const from = three(() => roll.real(-4, 12));
    const into = three(() => roll.of([1e-6, roll.real(0.1, 2), roll.real(-2, -0.1)]));
    const visited = new Map<string, number>();
    const order: number[] = [];
    walk(from, into, { low, high }, (x, y, z, length) => {
      assert.ok(!visited.has(`${x} ${y} ${z}`), "an element is visited once");
      visited.set(`${x} ${y} ${z}`, length);
      order.push(x * into[0] + y * into[1] + z * into[2]);
    });
    assert.ok(order.every((one, i) => i === 0 || one > (order[i - 1] as number)));
    for (let x = 0; x < shape[0]; x++)
      for (let y = 0; y < shape[1]; y++)
        for (let z = 0; z < shape[2]; z++) {
          const cell: Three = [x, y, z];
          const ends = three((i) => {
            const a = (Math.max(cell[i], low[i]) - from[i]) / into[i];
            const b = (Math.min(cell[i] + 1, high[i]) - from[i]) / into[i];
            return into[i] > 0 ? [a, b] : [b, a];
          });
          const length = Math.min(...ends.map(([, far = 0]) => far)) - Math.max(...ends.map(([first = 0]) => first));
          const inside = cell.every((at, i) => at + 1 > (low[i] as number) && at < (high[i] as number));
          const found = visited.get(cell.join(" ")) ?? 0;
          near(found, inside ? Math.max(0, length) : 0, 1e-9, `${cell} of round ${round}`);
        }
  }
});

/** A field of arrays with these levels. */
function fieldOf(shapes: readonly Three[], chunk: number): Field {
  const [finest] = shapes;
  const levels = shapes.map((shape) => ({
    array: { shape, chunks: each(shape, (length) => Math.min(length, chunk)), type: { kind: "uint", size: 2 } },
    factor: each(shape, (length, i) => (finest?.[i] ?? 1) / length),
    start: [0, 0, 0],
  }));
  return { levels } as unknown as Field;
}

test("a volume stays within its bounds, is the finest that does, and covers all elements", () => {
  for (let round = 0; round < 1000; round++) {
    const roll = random(4, round);
    const finest = three(() => roll.of([roll.int(1, 60), roll.int(1, 5000), roll.int(1, 2 ** 40)]));
    const shapes = Array.from({ length: roll.int(1, 6) }, (_, k) => each(finest, (n) => Math.ceil(n / 2 ** k)));
    const solid = { ...solidOf(roll), axes: [2, 1, 0] as Three };
    const field = fieldOf(shapes, roll.int(1, 256));
    const bounds = { side: roll.of([64, 2048]), elements: roll.of([1, 1000, 2 ** 24]) };
    const most = roll.of([10, 1000]);
    const grids = gridsOf(field, solid, bounds, ({ chunks }) => chunks > most);
    assert.ok(grids.length === 1 || grids.length === 2);
    for (const { shape, steps, level, roles } of grids) {
      assert.ok(shape[0] * shape[1] * shape[2] <= bounds.elements);
      assert.ok(shape.every((length) => length >= 1 && length <= bounds.side));
      const full = shapes[level] as Three;
      for (const i of [0, 1, 2] as const) {
        const length = full[solid.axes[i] as 0 | 1 | 2];
        assert.ok((shape[i] - 1) * steps[i] < length && shape[i] * steps[i] >= length);
      }
      const first = roll(shape[roles[2]]);
      const selection = selectionOf(solid, grids[0] as Grid, [5, 6, 7], 0, 1);
      assert.equal(selection.length, 3);
      assert.ok(first >= 0);
    }
    const fine = grids.at(-1) as Grid;
    const whole = (shape: Three) =>
      shape.every((n) => n <= bounds.side) && shape.reduce((a, b) => a * b) <= bounds.elements;
    if (fine.steps.every((step) => step === 1) && fine.chunks <= most)
      assert.ok(
        shapes.slice(0, fine.level).every((shape, level) => {
          const chunks = (field.levels[level] as Field["levels"][number]).array.chunks;
          return !whole(shape) || shape.reduce((n, length, d) => n * Math.ceil(length / (chunks[d] ?? 1)), 1) > most;
        }),
      );
  }
});

test("clipped ends survive the state, and stay inside the axes whatever a link says", () => {
  for (let round = 0; round < 500; round++) {
    const roll = random(5, round);
    const solid = {
      ...solidOf(roll),
      names: roll.of([
        ["x", "y", "z"],
        ["constructor", "__proto__", "toString"],
      ] as Three<string>[]),
    };
    assert.deepEqual(
      endsOf(solid, undefined),
      each(solid.lengths, (length) => [0, length - 1]),
    );
    const ends = each(solid.lengths, (length) => {
      const first = roll(length);
      return [first, first + roll(length - first)] as const;
    });
    assert.deepEqual(endsOf(solid, clipOf(solid, ends)), ends);
    const wild = Object.fromEntries(solid.names.map((name) => [name, [roll(1e6), roll(1e6)] as const]));
    for (const [i, [first, last]] of endsOf(solid, wild).entries())
      assert.ok(first >= 0 && first <= last && last < (solid.lengths[i] as number));
  }
});
