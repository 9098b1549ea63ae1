// Shows an OME pyramid in deck.gl by Viv's layer, as its own viewers do, with the element's camera
// and window.
import { Deck, OrthographicView } from "@deck.gl/core";
import { MultiscaleImageLayer } from "@vivjs/layers";
import { loadOmeZarr } from "@vivjs/loaders";

const params = new URLSearchParams(location.search);
const canvas = document.querySelector("canvas");
const view = new OrthographicView({ id: "image", controller: false });
let deck;
let loader;
let loaded = () => {};

/**
 * Shows a place: the middle in pixels of the finest level, and the device pixels for each of these.
 */
function props({ x, y, zoom }) {
  return {
    viewState: { image: { target: [x, y, 0], zoom: Math.log2(zoom) } },
    layers: [
      new MultiscaleImageLayer({
        id: "pyramid",
        viewportId: "image",
        loader,
        selections: [{ t: 0, c: 0, z: 0 }],
        contrastLimits: [[0, 4096]],
        colors: [[255, 255, 255]],
        channelsVisible: [true],
        onViewportLoad: (tiles) => tiles && loaded(),
      }),
    ],
  };
}

/** Waits until all visible tiles are drawn. */
globalThis.go = async (camera) => {
  const all = new Promise((resolve) => {
    loaded = resolve;
  });
  if (!deck) {
    ({ data: loader } = await loadOmeZarr(params.get("url"), { type: "multiscales" }));
    const size = { width: Number(params.get("width")), height: Number(params.get("height")) };
    const deviceProps = { type: "webgl", webgl: { preserveDrawingBuffer: true } };
    deck = new Deck({ canvas, ...size, views: [view], useDevicePixels: 1, deviceProps, ...props(camera) });
  } else deck.setProps(props(camera));
  await all;
};
globalThis.picture = () => canvas;
globalThis.ready = true;
