// The element, and what is timed of it.
import { init } from "zarr-wasm";
import "zarr-wasm/view";
import { HugeStore } from "./huge.js";

const params = new URLSearchParams(location.search);
let element;
const once = (type) => new Promise((resolve) => element.addEventListener(type, resolve, { once: true }));

function make(state) {
  element?.remove();
  element = document.createElement("zarr-view");
  element.setAttribute("controls", "none");
  Object.assign(element, state);
  document.body.append(element);
}

/** Waits until all tiles of what is on screen are drawn. */
globalThis.go = async (camera) => {
  if (element) element.camera = camera;
  else make({ src: params.get("url"), camera, channels: [{ index: 0, colour: "ffffff", range: [0, 4096] }] });
  await once("ready");
};
globalThis.picture = () => element?.shadowRoot?.querySelector("canvas");

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Presses a key in the picture, as a person does to step. */
function press(key) {
  const target = element.shadowRoot.querySelector("[role=application]");
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
}

/** Steps through a dimension: each step as soon as the one before is drawn, then all of it once more, a step in each frame. */
globalThis.scrub = async (src, steps) => {
  make({ src, range: [-1, 1] });
  await once("ready");
  let began = performance.now();
  for (let k = 1; k < steps; k++) {
    const drawn = once("ready");
    press("]");
    await drawn;
    await frame();
  }
  const cold = (1000 * (steps - 1)) / (performance.now() - began);
  const frames = [];
  const long = [];
  const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: "longtask" });
  let ready = 0;
  element.addEventListener("ready", () => ready++);
  let last = await frame();
  began = last;
  for (let k = 1; k < 2 * steps; k++) {
    press(Math.floor(k / steps) % 2 === 0 ? "[" : "]");
    const now = await frame();
    frames.push(now - last);
    last = now;
  }
  await frame();
  observer.disconnect();
  const seconds = (last - began) / 1000;
  return { cold, cached: ready / seconds, frames: frames.length / seconds, longest: Math.max(...frames), tasks: long };
};

/** Pans and zooms over a plane of 100,000 by 100,000, and counts the chunks that were asked for and those that were on screen. */
globalThis.huge = async () => {
  const store = new HugeStore();
  make({ source: store, camera: { x: 50_000, y: 50_000, zoom: 0.008 } });
  await once("ready");
  const rows = [];
  const frames = [];
  let last = performance.now();
  const wait = async () => {
    let ready = false;
    once("ready").then(() => {
      ready = true;
    });
    while (!ready) {
      const now = await frame();
      frames.push(now - last);
      last = now;
    }
  };
  for (let k = 0; k < 24; k++) {
    const zoom = [0.008, 0.03, 0.12, 0.5, 1, 2][k % 6];
    const camera = { x: 20_000 + ((k * 7919) % 60_000), y: 20_000 + ((k * 104_729) % 60_000), zoom };
    const before = store.asked.length;
    element.camera = camera;
    await wait();
    rows.push({ camera, asked: store.asked.slice(before) });
    for (let p = 0; p < 3; p++) {
      const moved = { ...camera, x: camera.x + ((p + 1) * 100) / zoom };
      const before = store.asked.length;
      element.camera = moved;
      await wait();
      rows.push({ camera: moved, asked: store.asked.slice(before) });
    }
  }
  const { width, height } = globalThis.picture().getBoundingClientRect();
  element.remove();
  return { rows, width, height, longest: Math.max(...frames), all: store.asked.length };
};

await init();
globalThis.ready = true;
