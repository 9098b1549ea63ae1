import assert from "node:assert/strict";
import { test } from "node:test";
import type { ViewState } from "zarr-wasm/view";
import { formatLink, parseLink } from "./state.js";

const read = (text: string) => parseLink("", `#${text}`);

test("written states are read back", () => {
  const views: ViewState[] = [
    {},
    { node: "/a b/ü%&=+#?/c" },
    { node: "/t2m", index: { time: 3, "a:b,c": 7 }, axes: ["lat", "lon"], colormap: "magma-r", range: [-1.5, 2e30] },
    { camera: { x: 1.25, y: 3, zoom: 0.5 }, up: true, level: 2, curve: { kind: "power", exponent: 0.5 } },
    { channels: [{ index: 0, colour: "ff0000", range: [0, 9] }, { index: 3 }], member: "x y" },
  ];
  for (const url of ["", "https://h.example/a.zarr?sig=x%2Fy&b=1#c", "./sample/earth.zarr", "local:1"]) {
    for (const view of views) {
      const { state, problems } = read(formatLink(url, view));
      assert.deepEqual([state.url, state.view, problems], [url, view, []], formatLink(url, view));
    }
  }
});

test("a link holds the link of a second view, which holds its own state", () => {
  const second = formatLink("https://h.example/b.zarr?sig=x%2Fy&b=1#c", { node: "/a b", index: { time: 3 } });
  const { state, problems } = read(formatLink("a.zarr", { node: "/t2m" }, `${second}&apart`));
  assert.deepEqual(
    [state.url, state.view, state.beside, problems],
    ["a.zarr", { node: "/t2m" }, `${second}&apart`, []],
  );
  const inner = read(state.beside).state;
  assert.deepEqual([inner.url, inner.view.index], ["https://h.example/b.zarr?sig=x%2Fy&b=1#c", { time: 3 }]);
  assert.equal(read("url=a").state.beside, "");
});

test("links of earlier versions, in the query and by positions", () => {
  const { state, problems } = parseLink("?url=a.zarr&node=t2m&i=7,0,0&axes=1,2&cmap=magma&flip=1&field=re", "");
  assert.deepEqual(problems, []);
  assert.equal(state.url, "a.zarr");
  assert.deepEqual(state.view, { node: "/t2m", colormap: "magma", up: true, member: "re" });
  assert.deepEqual(state.positions, { indices: [7, 0, 0], axes: [1, 2] });
});

test("the hash wins over the query, and other members are left alone", () => {
  const { state, problems, embed } = parseLink("?url=a&colormap=magma&utm=1", "#url=b&embed");
  assert.deepEqual([state.url, state.view.colormap, problems, embed], ["b", "magma", [], true]);
  assert.equal(parseLink("?url=a", "#section").state.url, "a");
});

test("malformed parts are reported, and the rest counts", () => {
  for (const text of ["i=1,x", "range=1", "colormap=%zz", "level=-1"]) {
    const { state, problems } = read(`url=a&${text}`);
    assert.equal(state.url, "a");
    assert.ok(problems.length > 0 || text.startsWith("colormap"), text);
  }
  assert.ok(read("node=%zz").problems.length > 0);
});
