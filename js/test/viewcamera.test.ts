// Tests the camera of pictures: points and elements correspond, and no gesture loses the picture.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random as seeded } from "../../tests/lib/random.mjs";
import {
  bounded,
  elementAt,
  fitted,
  type Ground,
  panned,
  placement,
  pointAt,
  seen,
  zoomed,
} from "../view/element/camera.js";

const { next: random } = seeded(3);
const flag = (): boolean => random() < 0.5;
const ground = (): Ground => ({
  width: 1 + Math.floor(10 ** (random() * 6)),
  height: 1 + Math.floor(10 ** (random() * 6)),
  aspect: 10 ** (random() * 2 - 1),
  left: flag(),
  up: flag(),
});
const near = (a: number, b: number, most: number): void => assert.ok(Math.abs(a - b) <= most, `${a} is not ${b}`);

test("an element is where its point is, whichever side is up", () => {
  for (let i = 0; i < 500; i++) {
    const of = ground();
    const view = { width: 100 + random() * 1000, height: 100 + random() * 1000 };
    const eye = bounded({ x: random() * of.width, y: random() * of.height, zoom: 2 ** (random() * 10 - 5) }, of, view);
    const point = { x: random() * view.width, y: random() * view.height };
    const at = elementAt({ eye, ground: of, view }, point.x, point.y);
    const back = pointAt({ eye, ground: of, view }, at.x, at.y);
    near(back.x, point.x, 1e-6);
    near(back.y, point.y, 1e-6);
    const { scaleX, scaleY, originX, originY } = placement({ eye, ground: of, view }, 2);
    near(originX + at.x * scaleX, 2 * point.x, 1e-3);
    near(originY + at.y * scaleY, 2 * point.y, 1e-3);
    const { left, right, top, bottom } = seen({ eye, ground: of, view });
    assert.ok(at.x >= left - 1e-6 && at.x <= right + 1e-6 && at.y >= top - 1e-6 && at.y <= bottom + 1e-6);
  }
});

test("all of a picture is seen when it is fitted", () => {
  for (let i = 0; i < 500; i++) {
    const of = ground();
    const view = { width: 600, height: 400 };
    const eye = fitted(of, view);
    for (const [x, y] of [
      [0, 0],
      [of.width, of.height],
    ] as const) {
      const point = pointAt({ eye, ground: of, view }, x, y);
      assert.ok(point.x >= -1e-6 && point.x <= 600 + 1e-6 && point.y >= -1e-6 && point.y <= 400 + 1e-6);
    }
  }
});

test("zooming keeps the element under the pointer, and no gesture loses the picture", () => {
  for (let i = 0; i < 300; i++) {
    const of = ground();
    const view = { width: 600, height: 400 };
    let eye = fitted(of, view);
    for (let step = 0; step < 30; step++) {
      const [px, py] = [random() * 600, random() * 400];
      if (flag()) {
        const before = elementAt({ eye, ground: of, view }, px, py);
        const next = zoomed({ eye, ground: of, view }, 2 ** (random() * 2 - 1), px, py);
        // At the bounds the picture is kept in sight. Otherwise the element at the pointer stays.
        const inside = next.x > 0 && next.y > 0 && next.x < of.width && next.y < of.height;
        const after = elementAt({ eye: next, ground: of, view }, px, py);
        if (inside) {
          near(after.x, before.x, 1e-6 * of.width + 1e-6);
          near(after.y, before.y, 1e-6 * of.height + 1e-6);
        }
        eye = next;
      } else eye = panned({ eye, ground: of, view }, (random() - 0.5) * 3000, (random() - 0.5) * 3000);
      assert.ok(eye.zoom > 0 && Number.isFinite(eye.x + eye.y + eye.zoom));
      const a = pointAt({ eye, ground: of, view }, 0, 0);
      const b = pointAt({ eye, ground: of, view }, of.width, of.height);
      assert.ok(Math.min(a.x, b.x) < 600 && Math.max(a.x, b.x) > 0, "seen across");
      assert.ok(Math.min(a.y, b.y) < 400 && Math.max(a.y, b.y) > 0, "seen down");
    }
  }
});
