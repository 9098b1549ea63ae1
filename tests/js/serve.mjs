// Starts the static server of the tests.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const top = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Serves a directory by tests/serve, on a free port of the loopback interface. With the flag
 * "-faults" it takes faults and records requests at /-/faults.
 * @returns {Promise<{url: string, close: () => void}>} the address, with a slash at its end
 */
export async function serve(dir, ...flags) {
  const child = spawn(`${top}build/serve`, ["-addr", "127.0.0.1:0", ...flags, dir], {
    cwd: top,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    const look = (line) => {
      said += `${line}\n`;
      const found = /https?:\/\/[\w.:[\]-]+/.exec(line);
      if (found) resolve(`${found[0]}/`);
    };
    createInterface({ input: child.stdout }).on("line", look);
    createInterface({ input: child.stderr }).on("line", look);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  const close = () => child.kill();
  process.once("exit", close);
  return { url, close };
}
