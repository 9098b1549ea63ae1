// The places in which scenarios read: this process, or a page of a browser.
import { readFileSync } from "node:fs";
import { openEngine, until } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";

/** The name of a place in reports. */
export const titleOf = (name) => ({ node: "Node", chromium: "Chromium", firefox: "Firefox", webkit: "WebKit" })[name];

/**
 * Opens a place. `begin(module, job)` calls the module's function `make` there with `zarr`, the
 * job, `json(path)`, which reads a fixture, `tell(line)`, and `interrupt(kind)`. `call(method,
 * ...args)` calls a method of the result. In a page, arguments and result cross as JSON, and
 * `interrupt` also receives the page's tab. Without `site`, a page has its own server.
 */
export async function openPlace(name, { tell = () => {}, interrupt = async () => {}, site } = {}) {
  return name === "node" ? inNode(tell, interrupt) : inPage(name, tell, interrupt, site);
}

async function inNode(tell, interrupt) {
  const zarr = await import("../../dist/node.js");
  const json = async (path) => JSON.parse(readFileSync(`${top}build/fixtures/${path}`, "utf8"));
  let subject;
  return {
    pid: process.pid,
    begin: async (module, job) => {
      const { make } = await import(`./${module}.mjs`);
      subject = await make({ zarr, json, tell, interrupt, ...job });
    },
    call: async (method, ...args) => subject[method](...args),
    close: async () => zarr.terminate(),
  };
}

async function inPage(name, tell, interrupt, site) {
  const own = site ? undefined : await serve(".", "-isolate");
  const browser = await openEngine(name);
  const tab = await browser.newTab(`${site ?? own.url}tests/chaos/page.html`);
  await until(tab, "a page that is ready", () => globalThis.ready === true);
  // A driver limits the duration of a script: the page reports news until the call has ended.
  const run = async (method, args) => {
    await tab.evaluate((method, args) => globalThis.start(method, args), method, args);
    for (;;) {
      const { lines, asked, ended } = await tab.evaluate(() => globalThis.news());
      lines.forEach(tell);
      for (const { id, kind } of asked) {
        await interrupt(kind, tab);
        await tab.evaluate((id) => globalThis.answered(id), id);
      }
      if (ended?.error) throw new Error(ended.error);
      if (ended) return ended.value;
    }
  };
  return {
    tab,
    pid: browser.pid,
    begin: (module, job) => run("begin", [module, job]),
    call: (method, ...args) => run("call", [method, ...args]),
    close: async () => {
      await browser.close();
      own?.close();
    },
  };
}
