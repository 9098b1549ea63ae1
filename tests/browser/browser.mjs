// Finds and launches the installed Chromium for the browser tests.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Returns the path of Chromium: the one in CHROMIUM, or else the one installed. */
export function executable() {
  const named = process.env.CHROMIUM;
  for (const name of named ? [named] : names)
    for (const dir of name.includes("/") ? [""] : (process.env.PATH ?? "").split(delimiter)) {
      const path = dir ? join(dir, name) : name;
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {} // It is not there.
    }
  throw new Error(named ? `CHROMIUM=${named} cannot be run` : "no Chromium: set CHROMIUM to its executable");
}

/** Launches it. With `webgl` it draws by SwiftShader, which needs no graphics card. */
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
  return chromium.launch({ executablePath: executable(), args });
}
