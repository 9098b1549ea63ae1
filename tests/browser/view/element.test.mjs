// The element <zarr-view> as a page's author and as a person use it.
import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { counting } from "../../lib/counted.mjs";
import { arrayV2, arrayV3 } from "../../lib/documents.mjs";
import { fullRun, rounds } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const [host, drawing] = await Promise.all([viewing({ webgl: fullRun }), viewing()]);
after(() => Promise.all([host.close(), drawing.close()]));

/** The contexts of a test's pages, closed at its end. */
const contexts = [];
afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));

const climate = () => `${host.url}build/fixtures/xarray/climate_v3.zarr`;
const full = "<style>html{color-scheme:light dark}body{margin:0}zarr-view{height:100vh}</style>";

/** A page with elements; `told` collects their events, and `view` is the first. */
async function shown(html, options, from = host) {
  const page = await from.page(
    `${full}${html}<script type="module">
    window.told = [];
    for (const view of document.querySelectorAll("zarr-view"))
      for (const type of ["state", "pointer", "error", "loading", "ready"])
        view.addEventListener(type, ({ detail }) => told.push([type, detail?.error ? detail.error.name : detail]));
    window.view = document.querySelector("zarr-view");
    import "zarr-wasm/view";
  </script>`,
    options,
  );
  contexts.push(page.context());
  return Object.assign(page, {
    events: (type) => page.evaluate((type) => told.filter(([name]) => name === type).map(([, detail]) => detail), type),
  });
}

const picture = (page) => page.getByRole("application");

/** The colour of a point of the figure, in CSS pixels of the picture. */
const colourAt = (page, x, y) =>
  page.evaluate(
    ([x, y]) => {
      const figure = view.figure();
      const ratio = devicePixelRatio;
      return [...figure.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data];
    },
    [x, y],
  );

test("importing the module defines the element", async () => {
  const page = await drawing.page(
    '<zarr-view></zarr-view><script type="module">import "zarr-wasm/view"; window.ready = true;</script>',
  );
  await page.waitForFunction(() => window.ready === true);
  assert.ok(await page.evaluate(() => customElements.get("zarr-view") !== undefined));
  assert.ok(await page.evaluate(() => document.createElement("canvas").getContext("webgl2") !== null), "WebGL2");
  assert.deepEqual(page.wrong, []);
});

test("the next step is read ahead", async () => {
  const page = await shown(
    `<zarr-view src="${host.url}build/samples/earth.zarr" node="/t2m" index="time:3"></zarr-view>`,
  );
  await page.settled();
  const asked = new Set();
  page.context().on("request", (request) => asked.add(/\/t2m\/c\/(\d+)\//.exec(request.url())?.[1]));
  await page.evaluate(() => view.setAttribute("index", "time:4"));
  for (const next of ["4", "5", "6"]) {
    while (!asked.has(next)) await page.context().waitForEvent("request");
  }
  await page.evaluate(() => view.setAttribute("index", "time:12"));
  while (!asked.has("12")) await page.context().waitForEvent("request");
  await page.settled();
  // After a jump there is no direction to prefetch in.
  assert.ok(!asked.has("20") && !asked.has("13"));
});

test("a map with its axes, its sliders and its colour bar", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m"></zarr-view>`, { width: 1280, height: 800 });
  await page.settled();
  assert.equal(await page.evaluate(() => view.shown.field.name), "t2m");
  assert.ok(await picture(page).isVisible());
  assert.equal((await page.events("ready")).length > 0, true);
  await page.screenshot({ path: `${screenshots}/element-map.png` });

  const box = await picture(page).boundingBox();
  assert.ok((box.width * box.height) / (1280 * 800) > 0.55, "the picture gets the window");

  // The exact element is under the pointer.
  const detail = await page.pointed(0.5, 0.5);
  const exact = await page.evaluate(async ({ lat, lon }) => {
    const { open } = await import("zarr-wasm");
    const array = await open(view.src).then((group) => open(group.resolve("t2m")));
    return array.get([0, lat, lon]);
  }, detail.index);
  assert.equal(detail.value, exact);
  assert.equal(detail.index.time, 0);

  // A slider changes the index: an attribute, a property and an event.
  await page.getByRole("slider", { name: "time" }).fill("7");
  await page.settled();
  assert.equal(await page.evaluate(() => view.getAttribute("index")), "time:7");
  assert.deepEqual((await page.events("state")).at(-1).index, { time: 7 });
  assert.deepEqual(await page.evaluate(() => view.index), { time: 7 });
  assert.deepEqual(page.wrong, []);
});

test("wheel, keys, dragging and buttons move the camera, and 0 shows all again", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m"></zarr-view>`);
  await page.settled();
  const camera = () => page.evaluate(() => view.camera);
  const settled = (test) => page.waitForFunction(test);
  const surface = picture(page);
  const box = await surface.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  assert.equal(await camera(), undefined);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -240);
  await settled(() => view.camera !== undefined);
  const near = await camera();
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 20, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction((x) => view.camera.x !== x, near.x);
  const moved = await camera();
  assert.ok(moved.x < near.x, "dragging to the right shows what is further left");
  assert.equal(moved.zoom, near.zoom);
  await surface.focus();
  await page.keyboard.press("+");
  await page.waitForFunction((zoom) => view.camera.zoom > zoom * 1.4, moved.zoom);
  await page.keyboard.press("0");
  await settled(() => view.camera === undefined);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await settled(() => view.camera !== undefined);
  await page.getByRole("button", { name: "Show all" }).click();
  await settled(() => view.camera === undefined);
  // A screen reader announces the keyboard's cursor.
  await surface.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => pointing.told?.index.lon === 18);
  await page
    .getByRole("status")
    .first()
    .getByText(/lon 18|lon .*, /)
    .waitFor();
  assert.deepEqual(page.wrong, []);
});

test("an element is loading from the change on that asks for something, until that is drawn", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m"></zarr-view>`);
  await page.settled();
  const changes = [
    ["index", "time:7"],
    ["colormap", "gray"],
    ["range", "250,300"],
    ["camera", "10,10,30"],
    ["axes", "time,lon"],
    ["minus", "time:0"],
    ["minus", null],
    ["axes", ",time"],
    ["index", "lat:3"],
    ["node", "/lat"],
  ];
  for (const [name, value] of changes) {
    const told = await page.evaluate(
      async ([name, value]) => {
        let ready = 0;
        const count = () => ready++;
        view.addEventListener("ready", count);
        if (value === null) view.removeAttribute(name);
        else view.setAttribute(name, value);
        const loading = [view.loading];
        await Promise.resolve();
        loading.push(view.loading);
        while (view.loading) await new Promise(requestAnimationFrame);
        view.removeEventListener("ready", count);
        return { loading, ready };
      },
      [name, value],
    );
    assert.deepEqual(told.loading, [true, true], `${name} = ${value}`);
    assert.ok(told.ready > 0, `${name} = ${value} was drawn`);
  }
  assert.deepEqual(page.wrong, []);
});

test("a resting pointer shows its value, and the next index's value once it arrives", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m" index="time:3"></zarr-view>`);
  await page.settled();
  const exact = ({ time, lat, lon }) =>
    page.evaluate(
      async (at) => {
        const { open } = await import("zarr-wasm");
        return (await open(`${view.src}/t2m`)).get(at);
      },
      [time, lat, lon],
    );
  const rests = await page.pointed(0.4, 0.6);
  assert.equal(rests.index.time, 3);
  assert.equal(rests.value, await exact(rests.index));
  let held = [];
  await page.context().route("**/t2m/c/2/**", (route) => void (held ? held.push(route) : route.continue()));
  // The pointer moves between the change and its drawing.
  const between = await page.evaluate(async () => {
    const surface = view.shadowRoot.querySelector("[role=application]");
    const { left, top, width, height } = surface.getBoundingClientRect();
    view.setAttribute("index", "time:29");
    await Promise.resolve();
    const [clientX, clientY] = [left + width / 2, top + height / 2];
    surface.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true, composed: true }));
    return pointing.told;
  });
  assert.notDeepEqual(between.index, rests.index);
  assert.equal(between.index.time, 3, "what is drawn is still that");
  assert.equal(between.value, await exact(between.index));
  // While its chunk loads there is no value, and the text says so.
  await page.waitForFunction(() => pointing.told.index.time === 29);
  assert.deepEqual(await page.evaluate(() => [pointing.told.value, pointing.told.text]), [undefined, "…"]);
  const waiting = held;
  held = null;
  for (const route of waiting) await route.continue();
  await page.settled();
  const came = await page.evaluate(() => pointing.told);
  assert.equal(came.index.time, 29);
  assert.equal(came.value, await exact(came.index));
  assert.deepEqual(page.wrong, []);
});

test("an error is named in the element, reported to the page, and can be retried", async () => {
  const page = await shown(`<zarr-view src="${host.url}build/fixtures/nothing.zarr"></zarr-view>`);
  const alert = page.getByRole("alert");
  await alert.getByText("NotFoundError").waitFor();
  assert.deepEqual(await page.events("error"), ["NotFoundError"]);
  await page.screenshot({ path: `${screenshots}/element-error.png` });
  await page.evaluate((src) => view.setAttribute("src", src), climate());
  await page.evaluate(() => view.setAttribute("node", "/t2m"));
  await page.settled();
  assert.equal(await alert.count(), 0);
});

test("an exception in any drawing ends in an error and not in loading, and a retry recovers", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m" range="250,300"></zarr-view>`, {}, drawing);
  await page.settled();
  // A method that `broken` names throws.
  await page.evaluate(() => {
    Object.assign(window, { broken: "", calls: [] });
    for (const [type, method] of [
      ["CanvasRenderingContext2D", "measureText"],
      ["CanvasRenderingContext2D", "stroke"],
      ["CanvasRenderingContext2D", "createImageData"],
      ["WebGL2RenderingContext", "drawArrays"],
      ["Element", "scrollTo"],
      ["SVGElement", "setAttribute"],
    ]) {
      const { prototype } = window[type];
      const before = prototype[method];
      prototype[method] = function (...args) {
        if (window.broken === `${type}.${method}`) throw new RangeError("injected");
        window.calls.push(`${type}.${method}`);
        return before.apply(this, args);
      };
    }
  });
  const kinds = {
    marks: ["CanvasRenderingContext2D.measureText", { index: "time:1" }],
    "colour bar": ["CanvasRenderingContext2D.createImageData", { colormap: "gray" }],
    region: ["SVGElement.setAttribute", { region: "box:lat:lon,1:1,4:5" }],
    series: ["CanvasRenderingContext2D.stroke", { region: null, series: "time,1:1" }],
    projection: ["CanvasRenderingContext2D.stroke", { series: null, projection: "orthographic" }],
    volume: ["WebGL2RenderingContext.drawArrays", { projection: null, volume: "maximum" }],
    line: ["CanvasRenderingContext2D.stroke", { volume: null, node: "/lat" }],
    table: ["Element.scrollTo", { node: null, src: `${host.url}build/fixtures/conventions/anndata/v3.zarr` }],
    points: ["CanvasRenderingContext2D.stroke", { axes: ",X_umap" }],
  };
  const alert = page.getByRole("alert");
  for (const [kind, [broken, attributes]] of Object.entries(kinds)) {
    await page.evaluate(
      ([broken, attributes]) => {
        window.broken = broken;
        told.length = 0;
        for (const [name, value] of Object.entries(attributes))
          value === null ? view.removeAttribute(name) : view.setAttribute(name, value);
      },
      [broken, attributes],
    );
    await alert.getByText("injected").waitFor();
    await page.settled();
    assert.equal(await page.evaluate(() => view.getAttribute("aria-busy")), null, kind);
    // Regions and series lie over and beside a picture that is ready.
    const beside = kind === "region" || kind === "series";
    if (!beside) assert.deepEqual(await page.events("ready"), [], `${kind}: ready after a failure`);
    assert.equal(await alert.count(), 1, `${kind}: the error stays`);
    const told = await page.evaluate(async () => {
      window.broken = "";
      told.length = 0;
      calls.length = 0;
      view.retry();
      do await new Promise(requestAnimationFrame);
      while (view.loading);
      return told.map(([type]) => type);
    });
    assert.ok(!told.includes("error"), `${kind}: ${told}`);
    assert.ok(told.includes("ready") || beside, `${kind}: ${told}`);
    // The retry draws again; that of a region loads its code first.
    await page.waitForFunction((broken) => calls.includes(broken), broken);
    assert.equal(await alert.count(), 0, kind);
  }
  assert.deepEqual(page.wrong, []);
});

test("views of one quantity share a range, except with other units, a stated range, own ranges or another group", async () => {
  const page = await shown(`<style>zarr-view{height:45vh}</style>${'<zarr-view sync="a"></zarr-view>'.repeat(2)}`);
  const documents = [
    { units: "K", standard_name: "air_temperature" },
    { units: "degC", standard_name: "air_temperature" },
    { units: "K" },
  ].map((attributes) => arrayV3([2, 4], "float32", { attributes }));
  await page.evaluate(([kelvin, other, unnamed]) => {
    window.views = [...document.querySelectorAll("zarr-view")];
    window.made = (metadata, first) =>
      new Map([
        ["/zarr.json", new TextEncoder().encode(JSON.stringify(metadata))],
        ["/c/0/0", new Uint8Array(Float32Array.from({ length: 8 }, (_, i) => first + i).buffer)],
      ]);
    views[0].source = made(kelvin, -3);
    views[1].source = made(kelvin, 100);
    Object.assign(window, { other, unnamed });
  }, documents);
  const ranges = async (change) => {
    await page.evaluate(change);
    await page.settled();
    return page.evaluate(() => views.map((view) => view.fullState.range));
  };
  const own = await ranges(() => (views[1].ranges = "own"));
  assert.ok(own[0][1] < own[1][0], String(own));
  const common = [own[0][0], own[1][1]];
  const same = [common, common];
  assert.deepEqual(await ranges(() => (views[1].ranges = "shared")), same);
  const logarithmic = await ranges(() => (views[1].curve = { kind: "log" }));
  assert.deepEqual(logarithmic, [common, own[1]], "a range below 0 has no logarithm");
  assert.deepEqual(await ranges(() => (views[1].curve = undefined)), same);
  const stated = await ranges(() => (views[0].range = [2, 3]));
  assert.deepEqual(stated, [[2, 3], own[1]], "a stated range is no automatic one");
  assert.deepEqual(await ranges(() => (views[0].range = undefined)), same);
  assert.deepEqual(await ranges(() => (views[1].sync = "b")), own, "the views of the group that one left");
  assert.deepEqual(await ranges(() => (views[1].sync = "a")), same);
  assert.deepEqual(await ranges(() => (views[1].source = made(other, 100))), own, "other units");
  await ranges(() => (views[0].source = made(unnamed, -3)));
  assert.deepEqual(await ranges(() => (views[1].source = made(unnamed, 100))), own, "arrays without names");
  assert.deepEqual(page.wrong, []);
});

test("a removed element ends its work, and shows the same when added again", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m" index="time:3"></zarr-view>`);
  await page.settled();
  const before = await colourAt(page, 500, 300);
  await page.evaluate(async () => {
    view.remove();
    await new Promise((resolve) => setTimeout(resolve));
  });
  assert.equal(await page.evaluate(() => view.shown), null);
  await page.evaluate(() => document.body.append(view));
  await page.settled();
  assert.deepEqual(await colourAt(page, 500, 300), before);
  // Moving it within one task keeps its picture.
  const kept = await page.evaluate(async () => {
    const { shown } = view;
    document.body.prepend(view);
    await new Promise((resolve) => setTimeout(resolve));
    return view.shown === shown;
  });
  assert.ok(kept);
  assert.deepEqual(page.wrong, []);
});

test("an opened node is shown with its store", async () => {
  const page = await shown("<zarr-view></zarr-view>");
  await page.evaluate(async (url) => {
    const { open, root } = await import("zarr-wasm");
    view.source = await open(root(url).resolve("t2m"));
  }, climate());
  await page.settled();
  assert.equal(await page.evaluate(() => view.shown.path), "/t2m");
  await page.evaluate(() => {
    view.node = "/lat";
  });
  await page.settled();
  assert.equal(await page.evaluate(() => view.shown.path), "/lat");
  assert.deepEqual(page.wrong, []);
});

test("changes of attributes in any order, many at once: the latest is shown, and nothing stale is painted", async () => {
  const page = await shown(`<style>zarr-view{height:240px;width:300px;float:left}</style><zarr-view></zarr-view>`);
  const bad = await page.evaluate(
    async ([base, many]) => {
      const pick = (await import("tests/random")).random(11);
      const oneOf = pick.of;
      const choices = {
        src: [`${base}xarray/climate_v3.zarr`, `${base}xarray/climate_v2.zarr`],
        node: ["/t2m", "/t2m", "/", null],
        index: ["time:0", "time:5", "time:30", "time:99", "nothing:3", null],
        axes: ["lat,lon", "lon,lat", "time,lon", "no,where", null],
        colormap: ["viridis", "gray-r", "nonsense", null],
        camera: ["10,10,30", null, null],
        up: ["true", "false", null],
      };
      const ranges = ["250,300", "270,280", "0,1000"];
      const set = (node, name, value) => (value === null ? node.removeAttribute(name) : node.setAttribute(name, value));
      const settled = async (node) => {
        for (;;) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          if (node.shown && !node.loading) return;
        }
      };
      const pixels = (node) => {
        const canvas = node.figure();
        return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      };
      const bad = [];
      // When all is painted, the picture matches the attributes.
      view.addEventListener("ready", () => {
        const asked = view.getAttribute("node") ?? "/";
        if (view.description?.path !== asked)
          bad.push(`ready with ${view.description?.path} where ${asked} is asked for`);
      });
      const pauses = [
        () => {},
        () => Promise.resolve(),
        () => new Promise(requestAnimationFrame),
        () => new Promise((r) => setTimeout(r, 15)),
      ];
      set(view, "src", choices.src[0]);
      set(view, "range", ranges[0]);
      for (let round = 0; round < many; round++) {
        for (let i = pick(8); i >= 0; i--) {
          const name = oneOf(Object.keys(choices));
          set(view, name, oneOf(choices[name]));
          if (pick.chance(0.3)) set(view, "range", oneOf(ranges));
          if (pick.chance(0.1)) {
            view.remove();
            await oneOf(pauses)();
            document.body.prepend(view);
          }
          await oneOf(pauses)();
        }
        await settled(view);
        // New elements with the same attributes are the models. The left axis keeps a width that
        // roughly fits, so each has had one of the cameras before.
        const models = await Promise.all(
          ["10,10,30", null].map(async (camera) => {
            const model = document.createElement("zarr-view");
            for (const { name, value } of view.attributes) if (name !== "aria-busy") model.setAttribute(name, value);
            set(model, "camera", camera);
            view.after(model);
            await settled(model);
            set(model, "camera", view.getAttribute("camera"));
            await settled(model);
            return model;
          }),
        );
        const same = () => {
          const is = pixels(view);
          return models.map(pixels).some((one) => is.length === one.length && is.every((value, i) => value === one[i]));
        };
        // Coastlines and positions arrive at any time.
        const end = performance.now() + 30_000;
        while (!same() && performance.now() < end) await new Promise(requestAnimationFrame);
        if (!same()) bad.push(`round ${round}: ${view.outerHTML}`);
        for (const model of models) model.remove();
      }
      return bad;
    },
    [`${host.url}build/fixtures/`, rounds(6)],
  );
  assert.deepEqual(bad, []);
  assert.deepEqual(page.wrong, []);
});

test("two elements on one page are independent, and share the engine", async () => {
  const page = await shown(
    `<style>zarr-view{height:340px}</style><zarr-view src="${climate()}" node="/t2m"></zarr-view><zarr-view id="two" src="${host.url}build/fixtures/ome/image_v05.zarr"></zarr-view>`,
  );
  await page.settled();
  assert.deepEqual(
    await page.evaluate(() => [...document.querySelectorAll("zarr-view")].map(({ shown }) => shown.kind)),
    ["array", "image"],
  );
  await page.evaluate(() => view.setAttribute("index", "time:4"));
  await page.settled();
  assert.equal(await page.evaluate(() => document.querySelector("#two").getAttribute("index")), null);
  await page.screenshot({ path: `${screenshots}/element-two.png` });
  assert.deepEqual(page.wrong, []);
});

const elements = rounds(50);
test(`${elements} elements made, shown and removed leave no worker, no context, no address, no listener, no node and no memory`, async () => {
  const page = await shown(`<style>zarr-view{height:100px;width:160px}</style>`, { before: counting }, drawing);
  const warned = [];
  page.on("console", (message) => message.type() === "warning" && warned.push(message.text()));
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const cycles = (n) =>
    page.evaluate(
      async ([n, src]) => {
        const cycle = async () => {
          const node = document.createElement("zarr-view");
          node.setAttribute("src", src);
          node.setAttribute("node", "/t2m");
          document.body.append(node);
          await new Promise((resolve) => node.addEventListener("ready", resolve, { once: true }));
          node.remove();
          await new Promise((resolve) => setTimeout(resolve));
        };
        for (let i = 0; i < n; i += 5) await Promise.all(Array.from({ length: 5 }, cycle));
      },
      [n, climate()],
    );
  const counts = async () => {
    for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const of = (name) => metrics.find((metric) => metric.name === name).value;
    return {
      workers: page.workers().length,
      left: await page.evaluate(() => left()),
      nodes: of("Nodes"),
      listeners: of("JSEventListeners"),
      heap: of("JSHeapUsedSize"),
    };
  };
  await cycles(5);
  const before = await counts();
  await cycles(elements);
  const after = await counts();
  assert.equal(after.workers, before.workers);
  assert.deepEqual(after.left, before.left);
  assert.equal(after.left.contexts, 0);
  assert.ok(after.nodes <= before.nodes + 50, `${before.nodes} nodes became ${after.nodes}`);
  assert.ok(after.listeners <= before.listeners + 10, `${before.listeners} listeners became ${after.listeners}`);
  assert.ok(after.heap < before.heap + 2 ** 20, `${before.heap} bytes became ${after.heap}`);
  assert.deepEqual(warned, [], "as for too many WebGL contexts");
  assert.deepEqual(page.wrong, []);
});

test("channels, a scale bar and the level of an image", async () => {
  const page = await shown(`<zarr-view src="${host.url}build/fixtures/ome/image_v05.zarr"></zarr-view>`, {
    width: 1280,
    height: 800,
    colorScheme: "dark",
  });
  await page.settled();
  await page.getByText("level 1 of 3").waitFor();
  const box = await picture(page).boundingBox();
  assert.ok((box.width * box.height) / (1280 * 800) > 0.55, "the picture gets the window");
  const [x, y] = [box.width / 2, box.height / 3];
  const both = await colourAt(page, x, y);
  await page.getByRole("checkbox", { name: "GFP" }).uncheck();
  await page.settled();
  const one = await colourAt(page, x, y);
  assert.equal(one[1] < both[1], true, `${both} became ${one}`);
  assert.match(await page.evaluate(() => view.getAttribute("channels")), /^0:/);
  await page.getByRole("checkbox", { name: "GFP" }).check();
  await page.settled();
  assert.deepEqual(await colourAt(page, x, y), both);
  await page.screenshot({ path: `${screenshots}/element-image.png` });
  assert.deepEqual(page.wrong, []);
});

test("narrow screens have all, and a snapshot is the figure", async () => {
  const page = await shown(`<zarr-view src="${climate()}"></zarr-view>`, { width: 360, height: 640 });
  await page.settled();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await page.screenshot({ path: `${screenshots}/element-narrow.png` });
  const [width, height, type] = await page.evaluate(async () => {
    const blob = await view.snapshot();
    const image = await createImageBitmap(blob);
    return [image.width, image.height, blob.type];
  });
  assert.equal(type, "image/png");
  assert.ok(width > 360 && height > 300);
  assert.deepEqual(page.wrong, []);
});

test("a click plots a series along time, and a click with Shift a profile", async () => {
  const page = await shown(`<zarr-view src="${climate()}"></zarr-view>`, { width: 1000, height: 800 });
  await page.settled();
  await page.getByRole("button", { name: "Series" }).click();
  const plot = page.getByRole("slider", { name: /2 m temperature along time/ });
  await page.getByRole("group", { name: "Series" }).waitFor();
  const box = await picture(page).boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.click(box.x + box.width / 3, box.y + box.height / 3);
  const series = () => page.evaluate(() => view.shadowRoot.querySelectorAll(".plot-series").length);
  await page.waitForFunction(() => view.shadowRoot.querySelectorAll(".plot-series").length === 2);
  await page.screenshot({ path: `${screenshots}/element-series.png` });
  // The plot's cursor and the picture's index are the same.
  await plot.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => view.getAttribute("index") === "time:30");
  await page.keyboard.down("Shift");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 4);
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => view.shadowRoot.querySelectorAll(".plot-series").length === 1);
  assert.equal(await series(), 1);
  await page.getByRole("button", { name: "Close series" }).click();
  assert.equal(await page.getByRole("button", { name: "Series", exact: true }).getAttribute("aria-pressed"), "false");
  assert.deepEqual(page.wrong, []);
});

test("synchronised elements step and move together, and three of them are orthogonal slices", async () => {
  const element = (axes) => `<zarr-view src="${climate()}" node="/t2m" axes="${axes}" sync="a"></zarr-view>`;
  const page = await shown(
    `<style>zarr-view{height:380px;width:49%;display:inline-block}</style>${["lat,lon", "lat,lon", "time,lon", "time,lat"].map(element).join("")}`,
    { width: 1200, height: 800 },
  );
  await page.settled();
  const of = (name) =>
    page.evaluate((name) => [...document.querySelectorAll("zarr-view")].map((one) => one[name]), name);
  const first = picture(page).first();
  const box = await first.boundingBox();
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.4);
  await page.waitForFunction(() => [...document.querySelectorAll("zarr-view")].every((one) => one.index?.lon > 0));
  const [index] = await of("index");
  assert.deepEqual(await of("index"), Array(4).fill(index));
  await page.mouse.wheel(0, -240);
  await page.waitForFunction(() => document.querySelectorAll("zarr-view")[1].camera);
  const cameras = await of("camera");
  assert.deepEqual(cameras[1], cameras[0]);
  await page.settled();
  await page.screenshot({ path: `${screenshots}/element-slices.png` });
  assert.equal(cameras[2], undefined);
  assert.deepEqual(page.wrong, []);
});

/**
 * A store in memory with a variable t(time, y, x) of [2, 8, 8], one chunk for each time; `chunks`
 * are those that are stored.
 */
const sparse = ({ format = 3, fill = 0, attributes = {}, chunks: stored = {} }) => {
  const [names, shape, chunks] = [
    ["time", "y", "x"],
    [2, 8, 8],
    [1, 8, 8],
  ];
  const encoding = { name: "v2", configuration: { separator: "." } };
  const more = { chunks, fill_value: fill, chunk_key_encoding: encoding, dimension_names: names, attributes };
  const documents =
    format === 2
      ? {
          "/.zarray": arrayV2(shape, "<f4", { chunks, fill_value: fill }),
          "/.zattrs": { _ARRAY_DIMENSIONS: names, ...attributes },
        }
      : { "/zarr.json": arrayV3(shape, "float32", more) };
  return { documents, chunks: stored };
};

for (const [what, store, notes] of [
  [
    "the fill value of version 2 is missing, and nothing is stored",
    sparse({ format: 2, fill: 0, attributes: { units: "K" } }),
    ["All values are missing: 0, the fill value, counts as missing"],
  ],
  [
    "all is a missing value",
    sparse({ fill: -9, attributes: { missing_value: -9, units: "K" } }),
    ["All values are missing: -9, the fill value, counts as missing"],
  ],
  ["nothing is stored", sparse({ fill: 5, attributes: { units: "K" } }), ["All values are 5 K"]],
  [
    "the first time has no values",
    sparse({ fill: "NaN", chunks: { "/1.0.0": [...Array(64).keys()] } }),
    ["All values are missing", ""],
  ],
]) {
  test(`where ${what}, the picture says so, and no colour bar is invented`, async () => {
    const page = await shown("<zarr-view></zarr-view>");
    await page.evaluate(({ documents, chunks }) => {
      const map = new Map();
      for (const [key, value] of Object.entries(documents))
        map.set(key, new TextEncoder().encode(JSON.stringify(value)));
      for (const [key, values] of Object.entries(chunks))
        map.set(key, new Uint8Array(Float32Array.from(values).buffer));
      view.source = map;
    }, store);
    const bar = page.getByRole("group", { name: /^Colours of/ });
    for (const [time, note] of notes.entries()) {
      if (time > 0) await page.getByRole("button", { name: "Next time" }).click();
      await page.settled();
      await page.waitForFunction((note) => (view.shadowRoot.querySelector(".void")?.textContent ?? "") === note, note);
      assert.equal(await page.locator(".void").isVisible(), note !== "");
      assert.equal(await bar.isVisible(), !note.includes("missing"), note);
      assert.ok((await picture(page).getAttribute("aria-label")).endsWith(note));
    }
    // a mark of the range of the second time
    if (notes.length > 1) await page.getByText("60", { exact: true }).waitFor();
    await page.screenshot({ path: `${screenshots}/element-void-${notes[0].length}.png` });
    assert.deepEqual(page.wrong, []);
  });
}

test("a read of thousands of chunks asks first, with their number and bytes", async () => {
  const page = await shown("<zarr-view></zarr-view>", { colorScheme: "dark" });
  // No chunk exists, so all elements are the fill value.
  await page.evaluate(
    (document) => {
      view.source = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(document))]]);
    },
    arrayV3([100_000, 100_000], "float32", { chunks: [64, 64], fill_value: 5 }),
  );
  const question = page.getByRole("group", { name: "Question" });
  await question.waitFor();
  assert.match(await question.textContent(), /[\d\u202f]{7,} chunks, \d+(\.\d+)? GiB/);
  assert.deepEqual(await page.events("ready"), [], "nothing is read before the answer");
  await page.screenshot({ path: `${screenshots}/element-question.png` });
  await page.getByRole("button", { name: "Only the middle" }).click();
  await page.waitForFunction(() => !view.loading && view.camera);
  await question.waitFor({ state: "hidden" });
  const { x, y } = await page.evaluate(() => view.camera);
  assert.deepEqual([x, y], [50_000, 50_000]);
  assert.equal((await page.pointed(0.5, 0.5)).value, 5);
  // A distant jump requests again, and keeps the present drawing.
  await picture(page).focus();
  await page.keyboard.press("0");
  await question.waitFor();
  assert.deepEqual(page.wrong, []);
});

test("cancelling keeps the good picture, and a failed chunk is named and can be retried", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m" range="250,320"></zarr-view>`);
  await page.settled();
  const before = await colourAt(page, 500, 300);
  let fail = true;
  const held = [];
  let holds;
  const asked = new Promise((resolve) => {
    holds = resolve;
  });
  await page.context().route("**/t2m/c/**", (route) => {
    if (fail === "hold") {
      held.push(route);
      holds();
    } else if (fail) route.fulfill({ status: 403, body: "no" });
    else route.continue();
  });
  fail = "hold";
  await page.evaluate(() => view.setAttribute("index", "time:29"));
  await asked;
  await page.evaluate(() => view.cancel());
  assert.equal(await page.evaluate(() => view.loading), false);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.deepEqual(await colourAt(page, 500, 300), before);
  for (const route of held.splice(0)) await route.abort();
  fail = true;
  await page.evaluate(() => view.setAttribute("index", "time:20"));
  const alert = page.getByRole("alert");
  await alert.getByText("HttpError").waitFor();
  assert.deepEqual(await page.events("error"), ["HttpError"]);
  await page.screenshot({ path: `${screenshots}/element-failed.png` });
  fail = false;
  await page.getByRole("button", { name: "Retry" }).click();
  await page.settled();
  await page.waitForFunction(() => told.filter(([type]) => type === "ready").length > 1);
  assert.equal(await alert.count(), 0);
});

test("a failed chunk is an error where it is in view, and only there, and never leaves the view loading", async () => {
  const page = await shown("<zarr-view></zarr-view>");
  // Two tiles at each of four times. Chunks in `broken` fail, and those in `slow` wait.
  await page.evaluate(
    (document) => {
      Object.assign(window, { broken: new Set(["0/0", "0/1"]), slow: new Map(), asked: [] });
      const metadata = new TextEncoder().encode(JSON.stringify(document));
      view.source = {
        async get(key) {
          if (key === "/zarr.json") return metadata;
          const [, t, x] = /^\/c\/(\d)\/0\/(\d)$/.exec(key) ?? [];
          if (t === undefined) return undefined;
          window.asked.push(`${t}/${x}`);
          await window.slow.get(`${t}/${x}`);
          if (window.broken.has(`${t}/${x}`)) throw new Error("not readable");
          return new Uint8Array(512 * 512).map((_, i) => i % (50 + Number(t)));
        },
      };
    },
    arrayV3([4, 512, 1024], "uint8", { chunks: [1, 512, 512], dimension_names: ["t", "y", "x"] }),
  );
  const alert = page.getByRole("alert");
  const frames = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const at = async (key, t) => {
    await picture(page).press(key);
    await page.waitForFunction((t) => view.getAttribute("index") === `t:${t}`, t);
  };
  await alert.getByText("not readable").waitFor();
  await page.settled();
  const { length } = await page.events("error");
  const box = await picture(page).boundingBox();
  for (const share of [0.3, 0.5, 0.7]) await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
  await frames();
  assert.equal((await page.events("error")).length, length, "the pointer repeats no error");
  assert.equal(await page.evaluate(() => view.loading), false);
  await page.evaluate(() => {
    broken = new Set(["2/0"]);
    view.retry();
  });
  await page.waitForFunction(() => told.some(([type]) => type === "ready"));
  // The step reads the next one ahead, which fails there and not here.
  await page.evaluate(() => told.splice(0));
  await at("]", 1);
  await page.waitForFunction(() => asked.includes("2/0") && asked.includes("3/1"));
  await page.settled();
  await frames();
  assert.deepEqual(await page.events("error"), []);
  assert.equal(await alert.count(), 0);
  // One tile fails, and the other one arrives later.
  await page.evaluate(() => {
    view.retry();
    const { promise, resolve } = Promise.withResolvers();
    Object.assign(window, { slow: new Map([["2/1", promise]]), release: resolve });
  });
  await at("]", 2);
  await alert.getByText("not readable").waitFor();
  await page.evaluate(() => release());
  await page.settled();
  await frames();
  assert.equal(await page.evaluate(() => view.loading), false);
  assert.equal(await alert.count(), 1, "the error stays where the chunk is in view");
  await at("[", 1);
  await page.settled();
  assert.equal(await alert.count(), 0, "the error ends elsewhere");
  await at("]", 2);
  await alert.getByText("not readable").waitFor();
  await page.evaluate(() => {
    broken = new Set();
    told.splice(0);
  });
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForFunction(() => told.some(([type]) => type === "ready"));
  assert.equal(await alert.count(), 0);
  assert.deepEqual(await page.events("error"), []);
  assert.deepEqual(page.wrong, []);
});

test("labels cover an image with the chosen opacity", async () => {
  const src = `${host.url}build/fixtures/ome/image_v04.zarr`;
  const page = await shown(`<zarr-view src="${src}" controls="all"></zarr-view>`, { width: 900, height: 600 });
  await page.settled();
  const choice = page.getByRole("combobox", { name: "Labels" });
  await choice.locator("option").nth(1).waitFor({ state: "attached" });
  const [, name] = await choice.locator("option").allTextContents();
  const sum = () =>
    page.evaluate(() => {
      const canvas = view.figure();
      return canvas
        .getContext("2d")
        .getImageData(0, 0, 700, 400)
        .data.reduce((a, b) => a + b, 0);
    });
  const without = await sum();
  await choice.selectOption({ index: 1 });
  assert.equal(await page.evaluate(() => view.labels.name), name);
  await page.waitForFunction((without) => {
    const canvas = view.figure();
    return (
      canvas
        .getContext("2d")
        .getImageData(0, 0, 700, 400)
        .data.reduce((a, b) => a + b, 0) !== without
    );
  }, without);
  await page.screenshot({ path: `${screenshots}/element-labels.png` });
  await choice.selectOption({ index: 0 });
  await page.waitForFunction(() => view.labels === undefined);
  await page.settled();
  assert.equal(await sum(), without);
  assert.deepEqual(page.wrong, []);
});

test("an image is loading until it is drawn, and not again for the histograms of its stated ranges", async () => {
  const page = await shown("<zarr-view controls='all'></zarr-view>");
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  // The worker counts the histograms.
  await page.context().route("**/view-worker*.js", (route) => released.then(() => route.continue()));
  await page.evaluate((src) => view.setAttribute("src", src), `${host.url}build/fixtures/ome/image_v05.zarr`);
  await page.waitForFunction(() => told.some(([type]) => type === "ready"));
  await picture(page).hover();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await page.evaluate(() => view.loading), false);
  release();
  await page.waitForFunction(() => view.shadowRoot.querySelector(".zc-handles path[d]:not([d=''])"));
  assert.equal(await page.evaluate(() => view.loading), false);
  assert.deepEqual(page.wrong, []);
});

test("an image whose labels are on their way is loading, though all of its own tiles are drawn", async () => {
  const page = await shown("<zarr-view controls='all'></zarr-view>");
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  await page.context().route(/labels\/[^/]+\/\d\/\d/, (route) => released.then(() => route.continue()));
  await page.evaluate((src) => view.setAttribute("src", src), `${host.url}build/fixtures/ome/image_v04.zarr`);
  await page.settled();
  const choice = page.getByRole("combobox", { name: "Labels" });
  await choice.locator("option").nth(1).waitFor({ state: "attached" });
  await choice.selectOption({ index: 1 });
  await page.getByRole("progressbar", { name: "Loading" }).waitFor();
  assert.equal(await page.evaluate(() => view.loading), true);
  release();
  await page.settled();
  await page.getByRole("progressbar", { name: "Loading" }).waitFor({ state: "hidden" });
  assert.deepEqual(page.wrong, []);
});

test("a step along a dimension draws nothing anew over the picture, a zoom does", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m" index="time:0"></zarr-view>`);
  await page.settled();
  await page.evaluate(() => {
    window.drawn = 0;
    const over = view.shadowRoot.querySelector("canvas.over").getContext("2d");
    const { clearRect } = over;
    over.clearRect = function (...args) {
      window.drawn++;
      return clearRect.apply(this, args);
    };
  });
  const step = async (change) => {
    await page.evaluate((change) => {
      window.drawn = 0;
      Object.assign(view, change);
    }, change);
    await page.settled();
    return page.evaluate(() => window.drawn);
  };
  // Coastlines and positions may arrive after the first picture, during any of the first steps.
  let quiet = 0;
  for (let time = 1; time < 60 && quiet < 8; time++)
    quiet = (await step({ index: { time: time % 4 } })) === 0 ? quiet + 1 : 0;
  assert.equal(quiet, 8);
  const camera = await page.evaluate(() => ({ x: 2, y: 2, zoom: 40 }));
  assert.ok((await step({ camera })) > 0);
  assert.deepEqual(page.wrong, []);
});
