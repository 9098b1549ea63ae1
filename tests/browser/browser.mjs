// What the browser tests have in common: a Chromium that is installed.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Where it is. */
export function executable() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const dir of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      try {
        accessSync(join(dir, name), constants.X_OK);
        return join(dir, name);
      } catch {}
    }
  }
  throw new Error("no Chromium: set CHROMIUM to its executable");
}

/** Starts it; with `webgl` it draws by SwiftShader, which needs no graphics card. */
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
