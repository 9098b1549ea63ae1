// Servers of tests, on free ports of the loopback interface.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const top = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Serves a directory by tests/serve. With the flag "-faults" it takes faults and records requests
 * at /-/faults.
 */
export const serve = (dir, ...flags) => serveBy(`${top}build/serve`, "-addr", "127.0.0.1:0", ...flags, dir);

/**
 * Starts a program that prints the address at which it serves.
 * @returns {Promise<{url: string, close: () => void}>} the address, with a slash at its end
 */
export async function serveBy(program, ...args) {
  const child = spawn(program, args, { cwd: top, stdio: ["ignore", "pipe", "pipe"] });
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

/**
 * Serves a function's answers in this process. `url` has a slash at its end, `origin` has none.
 * @param {import("node:http").RequestListener} handler
 */
export async function listen(handler) {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `${origin}/`, origin, close };
}

/** Returns a port that is free now, for a program that takes no 0. */
export async function freePort() {
  const { origin, close } = await listen(() => {});
  close();
  return Number(new URL(origin).port);
}

/** Answers a request with bytes, or with their requested range; without bytes with 404. */
export function send({ method, headers }, response, bytes) {
  if (!bytes) return response.writeHead(404).end();
  const [, from, to, last] = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/.exec(headers.range ?? "") ?? [];
  const whole = from === undefined && last === undefined;
  const start = last === undefined ? Number(from ?? 0) : Math.max(0, bytes.length - Number(last));
  const end = to ? Math.min(bytes.length, Number(to) + 1) : bytes.length;
  if (!whole && start >= end) return response.writeHead(416, { "Content-Range": `bytes */${bytes.length}` }).end();
  const range = whole ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` };
  response.writeHead(whole ? 200 : 206, { "Content-Length": end - start, ...range });
  return response.end(method === "HEAD" ? undefined : bytes.subarray(start, end));
}
