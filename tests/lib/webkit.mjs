// Drives WebKit's own test browser by WebDriver: HTTP commands of a W3C protocol.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { started } from "./screen.mjs";
import { freePort } from "./serve.mjs";

/** The most time that the programs may take to start, in milliseconds. */
const patience = 30_000;

/** A browser of WebKit's. */
export class WebKit {
  #driver;
  #folder = mkdtempSync(join(tmpdir(), "zarr-wasm-webkit-"));
  #base = "";
  #session = "";
  /** Commands apply to the current window, so they run one after another. */
  #turn = Promise.resolve();
  #count = 0;
  /** The initial window, from which others are opened. */
  #first = "";
  version = "";

  /** Starts it by its driver, on a screen. */
  static async start(driver, binary, display) {
    const browser = new WebKit();
    try {
      await browser.#start(driver, binary, display);
      return browser;
    } catch (error) {
      browser.#end();
      throw error;
    }
  }

  /** The process from which the browser's processes descend. */
  get pid() {
    return this.#driver.child.pid;
  }

  async #start(driver, binary, display) {
    const port = await freePort();
    const env = {
      ...process.env,
      DISPLAY: display,
      GDK_BACKEND: "x11",
      GSETTINGS_BACKEND: "memory",
      NO_AT_BRIDGE: "1",
    };
    // A driven browser stores nothing itself; the libraries' files go into a folder that is
    // removed.
    for (const name of ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]) env[name] = this.#folder;
    this.#driver = started(driver, [`--port=${port}`], { env, stdio: "ignore" });
    const { child } = this.#driver;
    let ended = "";
    child.once("error", (error) => (ended = error.message));
    child.once("exit", (code) => (ended = `code ${code}`));
    this.#base = `http://127.0.0.1:${port}`;
    for (const last = Date.now() + patience; ; await sleep(20)) {
      if (ended) throw new Error(`${driver} ended: ${ended}`);
      if (Date.now() > last) throw new Error(`${driver} does not answer`);
      if (await this.#command("GET", "/status").catch(() => undefined)) break;
    }
    const options = { binary, args: ["--automation"] };
    const made = await this.#command("POST", "/session", {
      capabilities: { alwaysMatch: { browserName: "MiniBrowser", "webkitgtk:browserOptions": options } },
    });
    this.version = made.capabilities.browserVersion;
    this.#session = `/session/${made.sessionId}`;
    this.#first = await this.#command("GET", `${this.#session}/window`);
    await this.#command("POST", `${this.#session}/timeouts`, { script: 60_000, pageLoad: 60_000 });
  }

  async #command(method, path, body) {
    const answer = await fetch(this.#base + path, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  /** Runs commands that belong together for one window. */
  #inTurn(handle, run) {
    const result = this.#turn.then(async () => {
      if (handle) await this.#command("POST", `${this.#session}/window`, { handle });
      return run((method, path, body) => this.#command(method, `${this.#session}${path}`, body));
    });
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Opens a page; `evaluate` takes an expression. */
  async newTab(url) {
    const { handle } = await this.#inTurn(this.#first, (command) => command("POST", "/window/new", { type: "window" }));
    const errors = [];
    const said = [];
    const run = (script, args = []) =>
      this.#inTurn(handle, (command) => command("POST", "/execute/sync", { script, args }));

    const goto = async (to) => {
      await this.#inTurn(handle, async (command) => {
        await command("POST", "/url", { url: to });
        await command("POST", "/execute/sync", { script: `(${listen})()`, args: [] });
      });
    };

    /** A long call must not block other windows: it is started, and polled until it has ended. */
    const evaluate = async (expression) => {
      const id = ++this.#count;
      await run(`(${begin})(${id}, ${expression})`);
      for (let wait = 1; ; wait = Math.min(50, wait * 2)) {
        const [done, told] = await run(`return (${ask})(${id})`);
        for (const { error, text } of told) {
          said.push(text);
          if (error) errors.push(text);
        }
        if (done?.error !== undefined) throw new Error(done.error);
        if (done) return done.value;
        await sleep(wait);
      }
    };

    await goto(url);
    const close = () => this.#inTurn(handle, (command) => command("DELETE", "/window"));
    const hide = async () => {
      await this.#inTurn(handle, (command) => command("POST", "/window/minimize", {}));
      return () => this.#inTurn(handle, (command) => command("POST", "/window/rect", { width: 1000, height: 700 }));
    };
    return { errors, said, goto, evaluate, close, hide };
  }

  /** Ends it with all its processes. */
  async close() {
    await this.#inTurn(undefined, (command) => command("DELETE", "")).catch(() => {});
    this.#end();
  }

  #end() {
    this.#driver?.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

// The functions below run in the page.

/** Records exceptions and console output. */
function listen() {
  globalThis.$said = [];
  const note = (text, error = true) => globalThis.$said.push({ error, text });
  addEventListener("error", ({ message }) => message && note(message));
  addEventListener("unhandledrejection", ({ reason }) => note(String(reason)));
  for (const level of ["error", "warn", "log", "info"]) {
    const write = console[level];
    console[level] = (...args) => {
      note(args.map(String).join(" "), level === "error");
      write.apply(console, args);
    };
  }
}

function begin(id, promise) {
  globalThis.$calls ??= {};
  promise.then(
    (value) => (globalThis.$calls[id] = { value }),
    (error) => (globalThis.$calls[id] = { error: `${error}\n${error?.stack ?? ""}` }),
  );
}

function ask(id) {
  const done = globalThis.$calls?.[id];
  if (done) delete globalThis.$calls[id];
  if (!globalThis.$calls) return [{ error: "the page was left" }, []];
  return [done ?? null, globalThis.$said?.splice(0) ?? []];
}
