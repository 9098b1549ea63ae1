// Shows nodes of the fixtures in the element. Each is shown, needs a choice, or reports its named
// error, and the page has no other error. Nodes with descriptions that differ only in numbers and
// names are tested once; SWEEP=all tests all 3,000 or so.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fullRun, turns } from "../../lib/rounds.mjs";
import { serve, top } from "../../lib/serve.mjs";
import { viewing } from "../../lib/viewpage.mjs";

const [host, data] = await Promise.all([viewing({ webgl: fullRun }), serve("build/fixtures")]);
after(async () => {
  await host.close();
  data.close();
});

/**
 * The nodes of the golden list: each hierarchy's paths, with the error of those that cannot be
 * opened.
 */
function listed() {
  const found = [];
  const seen = new Set();
  /** A node's description without its numbers and names. */
  const gist = (line) => line.replace(/^.*?: |=\S*\.\.[^\s)]*|"[^"]*"/g, "").replace(/\d+/g, "#");
  for (const line of readFileSync(`${top}tests/describe/golden.txt`, "utf8").split("\n")) {
    if (line.startsWith("# ")) found.push({ at: line.slice(2), nodes: [] });
    else if (line !== "") {
      const [, path, said] = /^(.*?): (\S+)/.exec(line);
      if (process.env.SWEEP !== "all" && seen.has(gist(line)) && !found.at(-1).at.startsWith("corrupt/")) continue;
      seen.add(gist(line));
      found.at(-1).nodes.push({ path: path === "." ? "/" : `/${path}`, error: /Error$/.test(said) ? said : null });
    }
  }
  return found;
}

/**
 * The results of nodes in one element, one after the other: "shown", "asked", or the error's name.
 */
const look = async ([base, nodes]) => {
  const view = document.querySelector("zarr-view");
  const told = [];
  for (const { at, path } of nodes) {
    const end = new Promise((resolve) => {
      const done = (how) => {
        clearTimeout(timer);
        listeners.abort();
        resolve(how);
      };
      const listeners = new AbortController();
      const timer = setTimeout(() => done("still loading after two minutes"), 120_000);
      view.addEventListener("ready", () => done("shown"), { signal: listeners.signal });
      view.addEventListener("question", ({ detail }) => detail && done("asked"), { signal: listeners.signal });
      view.addEventListener("error", ({ detail }) => done(detail.error?.name ?? "an error without a name"), {
        signal: listeners.signal,
      });
    });
    view.state = { node: path };
    view.src = `${base}${at}`;
    told.push(await end);
  }
  return told;
};

test("nodes of the fixtures are shown, ask, or say their error", async () => {
  const hierarchies = listed();
  assert.ok(hierarchies.length > 250, `${hierarchies.length} hierarchies`);
  const page = await host.page(
    '<zarr-view style="width: 600px; height: 400px"></zarr-view><script type="module">import "zarr-wasm/view"; window.ready = true;</script>',
  );
  await page.waitForFunction(() => window.ready === true);
  const named = new Set(["InvalidMetadataError", "UnsupportedError", "UnknownCodecError", "LimitError"]);
  // Arrays with valid metadata may have invalid chunks.
  for (const name of ["CodecPipelineError", "StoreError", "HttpError"]) named.add(name);
  const wrong = [];
  const counts = {};
  for (const { at, nodes } of turns(hierarchies, 4)) {
    const told = await page.evaluate(look, [data.url, nodes.map(({ path }) => ({ at, path }))]);
    for (const [k, { path, error }] of nodes.entries()) {
      counts[told[k]] = (counts[told[k]] ?? 0) + 1;
      const right = error ? told[k] === error : ["shown", "asked"].includes(told[k]) || named.has(told[k]);
      if (!right) wrong.push(`${at} ${path}: ${told[k]}, ${error ?? "no error"} is expected`);
    }
  }
  assert.ok(counts.shown > (fullRun ? 200 : 40), JSON.stringify(counts));
  // The browser reports answers like 404; they are no errors of the page.
  const errors = page.wrong.filter((text) => !/Failed to load resource/.test(text));
  assert.deepEqual(wrong, []);
  assert.deepEqual(errors, []);
});
