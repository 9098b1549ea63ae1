import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { top } from "../lib/serve.mjs";

/**
 * Starts the server of tests/replaced.
 * @returns {Promise<{ url: string, close: () => void }>} the address, with a slash at its end
 */
export async function serveReplaced(seed = 1) {
  execFileSync("go", ["build", "-o", "build/serve-replaced", "./tests/replaced/serve"], { cwd: top, stdio: "inherit" });
  const child = spawn(`${top}build/serve-replaced`, [String(seed)], { stdio: ["ignore", "pipe", "inherit"] });
  const close = () => child.kill();
  process.once("exit", close);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { url: `${line}/`, close };
}
