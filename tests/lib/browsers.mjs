// Drives three kinds of browsers alike: Chromium by Playwright, Firefox by WebDriver BiDi, and
// WebKit by its own WebDriver on a virtual screen. `./build.sh setup` installs them.
//
//   node tests/lib/browsers.mjs [NAME]    prints the program of an engine, or of each
//
// It fails if a program is missing.
import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { openScreen } from "./screen.mjs";
import { WebKit } from "./webkit.mjs";

/** The names of the engines. */
export const engines = ["chromium", "firefox", "webkit"];

/** The engine for tests that name none. */
export const chosen = process.env.ENGINE || "chromium";

/**
 * A running browser. `newTab(url)` opens a page, `pid` is its first process, and `close()` ends it
 * with all its processes.
 * @typedef {{ name: string, version: string, pid: number, newTab(url: string): Promise<Tab>,
 * close(): Promise<void> }} Engine
 *
 * A page. `evaluate` runs a function in it, which sees only its arguments. Arguments and the
 * awaited result cross as JSON. `said` holds scripts' console output and exceptions, and `errors`
 * only errors. In WebKit they cover the page itself after it has loaded. `hide` throttles the page
 * like a hidden one until the returned function is called. `collect` collects garbage, and returns
 * the bytes that the page holds. Not every browser supports these two.
 * @typedef {{ evaluate(fn: Function, ...args: unknown[]): Promise<any>, goto(url: string):
 * Promise<void>, errors: string[], said: string[], close(): Promise<void>,
 *   hide?(): Promise<() => Promise<void>>, collect?(): Promise<number> }} Tab
 */

/**
 * Starts a browser; with `webgl` it draws without a graphics card.
 * @returns {Promise<Engine>}
 */
export function openEngine(name, { webgl = false } = {}) {
  if (name === "chromium") return openChromium(webgl);
  if (name === "firefox") return openFirefox(webgl);
  if (name === "webkit") return openWebKit();
  throw new Error(`no engine ${name}; there are: ${engines.join(", ")}`);
}

/** Waits until a function in the page returns a truthy value, and returns it. */
export async function until(tab, what, condition, ...args) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const value = await tab.evaluate(condition, ...args);
    if (value) return value;
  }
  throw new Error(`never came: ${what}; errors of the page: ${tab.errors.join("; ")}`);
}

/**
 * Formats a call as an expression: it is not a script of the page's, which its CSP could refuse.
 */
function expression(fn, args) {
  return `(async () => JSON.stringify(await (${fn})(...${JSON.stringify(args)})))()`;
}

const parsed = (text) => (typeof text === "string" ? JSON.parse(text) : undefined);

/** Returns the program that a variable names, or else the first of these that is installed. */
function program(variable, names) {
  const named = process.env[variable];
  for (const name of named ? [named] : names)
    for (const dir of name.includes("/") ? [""] : (process.env.PATH ?? "").split(delimiter)) {
      const path = dir ? join(dir, name) : name;
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {} // It is not there.
    }
  throw new Error(
    named
      ? `${variable}=${named} cannot be run`
      : `no ${names[0]}: ./build.sh setup installs it; ${variable} may name it`,
  );
}

/** Launches Chromium, for tests that need Playwright. With `webgl` it draws by SwiftShader. */
export function launch({ webgl = false } = {}) {
  const args = [
    "--headless=new",
    "--disable-dev-shm-usage",
    ...(webgl ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] : ["--disable-gpu"]),
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  // Chromium's sandbox does not work for root.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: programs.chromium().chromium, args });
}

/** A tab of Playwright or Puppeteer, whose interfaces are nearly the same. */
async function tabOf(page, url, visit) {
  const errors = [];
  const said = [];
  page.on("pageerror", (error) => {
    errors.push(error.message);
    said.push(error.message);
  });
  page.on("console", (message) => {
    // The browser itself reports requests that fail.
    if (/^Failed to load resource/.test(message.text())) return;
    said.push(message.text());
    if (message.type() === "error") errors.push(message.text());
  });
  const goto = (to) => page.goto(to, visit);
  await goto(url);
  return {
    errors,
    said,
    goto,
    evaluate: async (fn, ...args) => parsed(await page.evaluate(expression(fn, args))),
    close: () => page.close(),
  };
}

async function openChromium(webgl) {
  const browser = await launch({ webgl });
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  return {
    name: "chromium",
    version: browser.version(),
    pid: processInfo.find(({ type }) => type === "browser").id,
    newTab: async (url) => {
      const page = await (await browser.newContext()).newPage();
      const tab = await tabOf(page, url, {});
      let session;
      const send = async (method, params) => {
        session ??= page.context().newCDPSession(page);
        return (await session).send(method, params);
      };
      /** Throttles a page like a browser that hid it long ago: its tasks wait. */
      const hide = async () => {
        await send("Page.setWebLifecycleState", { state: "frozen" });
        return () => send("Page.setWebLifecycleState", { state: "active" });
      };
      const collect = async () => {
        await send("HeapProfiler.collectGarbage");
        const { usedSize, backingStorageSize = 0 } = await send("Runtime.getHeapUsage");
        return usedSize + backingStorageSize;
      };
      return { ...tab, hide, collect };
    },
    close: () => browser.close(),
  };
}

async function openFirefox(webgl) {
  const { default: puppeteer } = await import("puppeteer-core");
  // It draws WebGL only on a screen, even without a window.
  const { firefox, xvfb } = programs.firefox();
  const screen = webgl ? await openScreen(xvfb) : undefined;
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: firefox,
    headless: true,
    protocolTimeout: 0,
    // The driver keeps reports of requests: a run of 13,000 reads made it grow to 1.4 GB and run
    // five times as slowly.
    networkEnabled: false,
    extraPrefsFirefox: { "webgl.force-enabled": webgl, "remote.network.maxTotalDataSize": 0 },
    env: screen ? { ...process.env, DISPLAY: screen.display } : process.env,
  });
  return {
    name: "firefox",
    version: (await browser.version()).replace(/^.*\//, ""),
    pid: browser.process().pid,
    newTab: async (url) => {
      const page = await browser.newPage();
      const tab = await tabOf(page, url, { timeout: 60_000 });
      const hide = async () => {
        const other = await browser.newPage();
        await other.bringToFront();
        return async () => {
          await other.close();
          await page.bringToFront();
        };
      };
      return { ...tab, hide };
    },
    close: async () => {
      await browser.close();
      screen?.close();
    },
  };
}

/** Returns WebKit's own browser, which Debian and others install in a folder of its version. */
function miniBrowser() {
  const folders = ["/usr/libexec", "/usr/lib", "/usr/lib64"];
  for (const dir of ["/usr/lib", "/usr/libexec"]) {
    try {
      folders.push(...readdirSync(dir).map((name) => join(dir, name)));
    } catch {}
  }
  const versions = ["4.1", "6.0", "4.0"].flatMap((version) => [`webkit2gtk-${version}`, `webkitgtk-${version}`]);
  const paths = versions.flatMap((version) => folders.map((dir) => join(dir, version, "MiniBrowser")));
  return program("MINIBROWSER", ["MiniBrowser", ...paths]);
}

async function openWebKit() {
  const { driver, binary, xvfb } = programs.webkit();
  const screen = await openScreen(xvfb);
  const browser = await WebKit.start(driver, binary, screen.display);
  return {
    name: "webkit",
    version: browser.version,
    pid: browser.pid,
    newTab: async (url) => {
      const { evaluate, ...tab } = await browser.newTab(url);
      return { ...tab, evaluate: async (fn, ...args) => parsed(await evaluate(expression(fn, args))) };
    },
    close: async () => {
      await browser.close();
      screen.close();
    },
  };
}

/** The program of each engine. */
const programs = {
  chromium: () => ({
    chromium: program("CHROMIUM", [
      "chromium",
      "chromium-browser",
      "google-chrome",
      "google-chrome-stable",
      "chrome",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ]),
  }),
  firefox: () => ({ firefox: program("FIREFOX", ["firefox-esr", "firefox"]), xvfb: program("XVFB", ["Xvfb"]) }),
  webkit: () => ({
    driver: program("WEBKIT_DRIVER", ["WebKitWebDriver"]),
    binary: miniBrowser(),
    xvfb: program("XVFB", ["Xvfb"]),
  }),
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , only] = process.argv;
  for (const name of only ? [only] : engines) console.log(name, Object.values(programs[name]()).join(" "));
}
