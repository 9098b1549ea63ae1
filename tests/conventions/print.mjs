// Arrays, groups and trees as text and HTML. zarr/convention/print has tests of the same
// print.json.
import { arrayV3, groupV3, json } from "../lib/documents.mjs";

function is(got, wanted, what) {
  if (!Object.is(got, wanted)) throw new Error(`${what}: ${String(got)} and not ${String(wanted)}`);
}

function has(text, part) {
  if (!text.includes(part)) throw new Error(`${part} is not in ${text.slice(0, 3000)}`);
}

/** A store of documents. */
const storeOf = (documents) => new Map(Object.entries(documents).map(([key, value]) => [key, json(value)]));

const array = (more) => arrayV3([40, 30], "uint8", { chunks: [10, 10], codecs: ["bytes"], ...more });

/**
 * The HTML in a page's document, or in Node as a list of its tags and texts. It must not run, load
 * or link anything.
 */
function parsed(html) {
  for (const tag of html.match(/<[^>]*>/g)) {
    if (!/^<\/?(?:div|b|details|summary|table|tbody|tr|th|td|svg|g|polygon|path|text)(?:\s[^<>]*)?\/?>$/.test(tag)) {
      throw new Error(`a tag ${tag}`);
    }
    const names = tag.replace(/"[^"]*"/g, "").match(/[\w-]+(?==)/g) ?? [];
    for (const name of names) if (/^(?:on|href|src)/.test(name)) throw new Error(`an attribute ${name}`);
  }
  const text = (part) =>
    part.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name]);
  const rows = [...html.matchAll(/<th[^>]*>([^<]*)<\/th><td[^>]*>([^<]*)<\/td>/g)].map((row) => row.slice(1).map(text));
  if (typeof document === "undefined") return { rows };
  // A detached document runs and loads nothing, but shows what would.
  const page = document.implementation.createHTMLDocument();
  page.body.innerHTML = html;
  is(page.body.children.length, 1, "elements");
  is(page.querySelectorAll("script,img,iframe,object,embed,link,style,a").length, 0, "elements that do more");
  for (const one of page.querySelectorAll("*")) {
    for (const { name } of one.attributes) if (/^on|href|src/.test(name)) throw new Error(`an attribute ${name}`);
  }
  const own = [...page.querySelectorAll("tr")].map(({ cells }) => [...cells].map(({ textContent }) => textContent));
  is(JSON.stringify(own), JSON.stringify(rows), "the rows in a page");
  // When shown, it takes room and is no wider than the page.
  const shown = document.body.appendChild(document.createElement("div"));
  shown.style.width = "600px";
  shown.innerHTML = html;
  const { width, height } = shown.firstElementChild.getBoundingClientRect();
  if (width > 600 || height < 30) throw new Error(`it is ${width} by ${height}`);
  for (const svg of shown.querySelectorAll("svg")) {
    const inner = svg.querySelector("g").getBoundingClientRect();
    const outer = svg.getBoundingClientRect();
    if (svg.checkVisibility() && (inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1)) {
      throw new Error(`a drawing of ${inner.width} by ${inner.height} in ${outer.width} by ${outer.height}`);
    }
  }
  shown.remove();
  return { rows, page };
}

export default function* () {
  yield {
    id: "print.texts",
    async run(t) {
      const file = new URL("print.json", import.meta.url);
      const read = async () => (await import("node:fs/promises")).readFile(file, "utf8");
      const all = JSON.parse(await (file.protocol === "file:" ? read() : (await fetch(file)).text()));
      for (const { store, path, text } of all) {
        const root = await t.open(`../${store}`);
        const node = path ? await root.open(path) : root;
        const lines = t.print.toText(node).split("\n");
        is(lines.filter((line) => !line.startsWith("Store")).join("\n"), text.join("\n"), `${store}/${path}`);
        is(lines.filter((line) => /^Store(?: type)? *: ./.test(line)).length, 2, "lines of the store");
        const { rows } = parsed(t.print.toHTML(node));
        const said = lines.map((line) => line.split(/ *: (.*)/s).slice(0, 2));
        const shown = rows.slice(0, said.length);
        is(JSON.stringify(shown), JSON.stringify(said), "HTML says what the text says");
        is(rows.length - shown.length, Object.keys(node.attrs).length, "rows of attributes");
      }
    },
  };

  yield {
    id: "print.tree",
    async run(t) {
      const group = await t.open("../xarray/climate_v3.zarr");
      const tree = await group.tree();
      const text = t.print.toText(tree);
      is(text, `${t.print.toText(group)}\n\n${tree}`, "the text");
      const html = t.print.toHTML(tree);
      const { rows } = parsed(html);
      is(rows.filter(([label, value]) => label === "Type" && value === "Array").length, 8, "arrays");
      has(html, "<b>t2m</b> (time: 31, lat: 19, lon: 36) int16");
      const bundle = t.print.mimeBundle(tree);
      is(JSON.stringify(bundle), JSON.stringify({ "text/plain": text, "text/html": html }), "the bundle");
    },
  };

  yield {
    id: "print.hostile",
    async run(t) {
      const bad = `<img src=x onerror=alert(1)>"'&</td></table><script>alert(2)</script>`;
      const attributes = {
        [bad]: bad,
        nested: { [bad]: [bad] },
        entity: "&lt;b&gt;",
        line: "a\nb\u0000c\u2028d",
        huge: "x".repeat(5_000_000),
        list: Array.from({ length: 200_000 }, (_, i) => i),
        deep: Array.from({ length: 100 }).reduce((one) => [one], 1),
        big: 1,
      };
      const store = storeOf({
        "/zarr.json": groupV3(attributes),
        "/a/zarr.json": array({ attributes, dimension_names: [bad, "x\ny"], fill_value: 7 }),
        [`/${encodeURIComponent("x")}<b>/zarr.json`]: array(),
        "/damaged/zarr.json": { ...array(), shape: bad },
      });
      const documents = store.get("/a/zarr.json");
      store.set(
        "/a/zarr.json",
        new TextEncoder().encode(
          new TextDecoder().decode(documents).replace('"big":1', '"big":12345678901234567890,"nan":NaN'),
        ),
      );
      const group = await t.zarr.open(store);
      const node = await group.open("a");
      const tree = await group.tree();
      for (const one of [group, node, tree]) {
        const html = t.print.toHTML(one);
        if (html.length > 60_000) throw new Error(`${html.length} characters`);
        const { rows } = parsed(html);
        const row = (name) => rows.find(([label]) => label === name)?.[1];
        is(row(bad.slice(0, 80) + (bad.length > 80 ? "…" : "")), bad, "a hostile attribute is text");
        is(row("entity"), "&lt;b&gt;", "an entity is text");
        is(row("line"), "a b c d", "one line");
        is(row("huge"), `${"x".repeat(400)}…`, "a text that is cut");
        is(row("list").length, 401, "a list that is cut");
        has(row("nested"), "onerror");
        if (one !== group) is(row("nan"), "NaN", "NaN");
        const text = t.print.toText(one);
        if (text.length > 3000) throw new Error(`${text.length} characters`);
      }
      is(
        parsed(t.print.toHTML(node)).rows.find(([label]) => label === "big")[1],
        "12345678901234567890",
        "a large integer",
      );
      has(t.print.toHTML(tree), "cannot be opened: ");
      has(t.print.toHTML(tree), "<b>x&lt;b&gt;</b>");
      is(
        t.print
          .toText(node)
          .split("\n")
          .find((line) => line.startsWith("Dimensions"))
          .includes("\n"),
        false,
        "lines",
      );
      for (const value of [null, undefined, 1, "x", {}, [], new Map()]) {
        for (const print of [t.print.toText, t.print.toHTML, t.print.mimeBundle]) {
          let thrown;
          try {
            print(value);
          } catch (error) {
            thrown = error;
          }
          is(thrown?.name, "TypeError", String(value));
        }
      }
    },
  };

  yield {
    id: "print.many",
    async run(t) {
      const nodes = Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`a${i}`, array({ attributes: {} })]));
      const attributes = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]));
      const inline = { kind: "inline", must_understand: false, metadata: nodes };
      const root = groupV3(attributes, { consolidated_metadata: inline });
      const group = await t.zarr.open(storeOf({ "/zarr.json": root }));
      const html = t.print.toHTML(await group.tree());
      has(html, "… 201 more here");
      has(html, "Attributes (300)");
      has(html, "… and 200 more");
      is(html.match(/<b>a\d+<\/b>/g).length, 499, "arrays");
    },
  };

  yield {
    id: "print.secrets",
    async run(t) {
      const signed = await t.zarr.open(new URL("../xarray/climate_v3.zarr?X-Signature=secret%20of&b=c", t.root).href);
      for (const text of [t.print.toText(signed), t.print.toHTML(signed)]) {
        has(text, "/xarray/climate_v3.zarr");
        is(/secret|b=c/.test(text), false, "the signature is shown");
      }
    },
  };

  // Drawings: for each shape, its chunks, and the number of lines between them.
  const drawings = [
    [[], [], undefined],
    [[0, 4], [1, 1], undefined],
    [[10], [5], 1],
    [[10], [4], 2],
    [[40, 30], [10, 10], 5],
    [[1, 1], [1, 1], 0],
    [[4, 40, 30], [2, 10, 10], 2 * (1 + 3 + 2)],
    [[7, 6, 4, 40, 30], [1, 1, 2, 10, 10], 2 * (1 + 3 + 2)],
    [[1000000, 3], [1, 3], 32],
    [[9007199254740991, 2], [1, 1], 33],
  ];
  for (const [shape, chunk_shape, lines] of drawings) {
    yield {
      id: `print.drawing ${shape.join(" ")} by ${chunk_shape.join(" ")}`,
      async run(t) {
        const grid = { name: "regular", configuration: { chunk_shape } };
        const node = await t.zarr.open(storeOf({ "/zarr.json": array({ shape, chunk_grid: grid }) }));
        const html = t.print.toHTML(node);
        parsed(html);
        const path = html.match(/<path d="([^"]*)"/)?.[1];
        const found = path?.match(/M/g)?.length ?? (path === undefined ? undefined : 0);
        if (lines === undefined) is(path, undefined, "a drawing");
        else if (lines < 30) is(found, lines, "lines");
        else if (!(found > 16 && found <= 2 * lines)) throw new Error(`${found} lines`);
        is(/NaN|Infinity|undefined/.test(html), false, "numbers");
        if (shape.length > 3) has(html, `× ${shape.slice(0, -3).join(" × ")}`);
      },
    };
  }

  yield {
    id: "print.drawing of an irregular grid",
    async run(t) {
      const root = await t.open("../v3/ext.zarr");
      const node = await root.open("rect_1d");
      const html = t.print.toHTML(node);
      parsed(html);
      const runs = node.chunkGrid.chunkShapes[0];
      const ends = runs.flatMap(([length, count]) => Array.from({ length: count }, () => length));
      let end = 0;
      const at = ends.slice(0, -1).map((length) => {
        end += length;
        return end;
      });
      const found = [...html.match(/<path d="([^"]*)"/)[1].matchAll(/M([\d.]+) /g)].map(([, x]) => Number(x));
      const wanted = at.map((end) => Math.round((end / node.shape[0]) * 1300) / 10);
      is(JSON.stringify(found), JSON.stringify(wanted), "where chunks meet");
    },
  };

  yield {
    id: "print.one_line",
    async run(t) {
      const node = await t.open("../xarray/climate_v3.zarr", "");
      const one = await node.open("t2m");
      has(String(one), "ZarrArray /t2m shape=(31, 19, 36) dtype=int16 chunks=(10, 19, 20) store=");
      has(String(node), "<Group / store=");
      is(String(one).includes("\n"), false, "lines");
    },
  };

  yield {
    id: "print.dataset",
    async run(t) {
      const ds = await t.xarray.openDataset(await t.open("../xarray/climate_v3.zarr", "", { kind: "group" }));
      const bundle = t.print.mimeBundle(ds);
      is(bundle["text/plain"], String(ds), "text");
      is(bundle["text/html"], ds.toHTML(), "HTML");
    },
  };
}
