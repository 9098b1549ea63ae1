// Times the element.
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

/** Waits until all visible tiles are drawn. */
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

/**
 * A separate task, like that of a key. In a task that draws a frame, a change would be drawn with
 * the next frame only.
 */
const task = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * The frames per second of a canvas of the element's size that only changes its pixels in each
 * frame.
 */
async function ceilingOf(kind, { width, height }) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  document.body.append(canvas);
  const draw = { webgl, canvas: pixels }[kind](canvas);
  let last = await frame();
  const began = last;
  for (let k = 0; k < 90; k++) {
    draw(k);
    last = await frame();
  }
  canvas.remove();
  return 90_000 / (last - began);
}

function webgl(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, depth: false });
  return (k) => {
    gl.clearColor(k / 90, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
  };
}

function pixels(canvas) {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const image = context.createImageData(canvas.width, canvas.height);
  const all = new Uint32Array(image.data.buffer);
  return (k) => {
    all.fill(0xff000000 + k);
    context.putImageData(image, 0, 0);
  };
}

/**
 * Steps through a dimension: each step as soon as the previous one is drawn, then again with a step
 * in each frame.
 */
globalThis.scrub = async (src, steps) => {
  make({ src, range: [-1, 1] });
  await once("ready");
  let began = performance.now();
  for (let k = 1; k < steps; k++) {
    const drawn = once("ready");
    press("]");
    await drawn; // in the task of a frame
    await task();
  }
  const cold = (1000 * (steps - 1)) / (performance.now() - began);
  const frames = [];
  const long = [];
  const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: "longtask" });
  let ready = 0;
  element.addEventListener("ready", () => ready++);
  let last = await frame();
  performance.mark("cached");
  began = last;
  for (let k = 1; k < 2 * steps; k++) {
    press(Math.floor(k / steps) % 2 === 0 ? "[" : "]");
    const now = await frame();
    frames.push(now - last);
    last = now;
  }
  performance.mark("cached ends");
  await frame();
  observer.disconnect();
  const seconds = (last - began) / 1000;
  const { width, height } = globalThis.picture();
  element.remove();
  element = undefined;
  const ceiling = {
    webgl: await ceilingOf("webgl", { width, height }),
    canvas: await ceilingOf("canvas", { width, height }),
  };
  const longest = Math.max(...frames);
  return { cold, cached: ready / seconds, frames: frames.length / seconds, longest, tasks: long, ceiling };
};

/**
 * Changes colours, and measures the element's work in all tasks, and the time until the change is
 * drawn.
 */
globalThis.recolour = async (src) => {
  make({ src, range: [-1, 1] });
  await once("ready");
  let work = 0;
  const { requestAnimationFrame: real } = globalThis;
  globalThis.requestAnimationFrame = (run) =>
    real((time) => {
      const began = performance.now();
      run(time);
      work += performance.now() - began;
    });
  const values = {
    colormap: (k) => ["magma", "viridis", "gray"][k % 3],
    range: (k) => [-1, 0.9 - k / 100],
    curve: (k) => ({ kind: "power", exponent: 0.5 + k / 50 }),
  };
  const found = {};
  for (const [name, value] of Object.entries(values)) {
    const [works, drawns] = [[], []];
    for (let k = 0; k < 20; k++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      work = 0;
      const drawn = once("ready");
      const began = performance.now();
      element[name] = value(k);
      await null; // the element's work at the end of the task
      work += performance.now() - began;
      await drawn;
      await task();
      works.push(work);
      drawns.push(performance.now() - began);
    }
    const middle = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
    found[name] = { work: middle(works), longest: Math.max(...works), drawn: middle(drawns) };
  }
  globalThis.requestAnimationFrame = real;
  return found;
};

/**
 * Pans and zooms over a plane of 100,000 by 100,000, and counts the requested and the visible
 * chunks.
 */
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
