// Runs the package's command as installed.
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { top } from "../lib/serve.mjs";

const run = promisify(execFile);

/** Packs the package and installs the tarball below a folder. Returns the command's path. */
export async function installed(dir) {
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", dir], { cwd: top });
  const tarball = join(dir, JSON.parse(stdout)[0].filename);
  await run("npm", ["install", "--prefix", dir, "--offline", "--no-audit", "--no-fund", "--no-package-lock", tarball]);
  return join(dir, "node_modules", ".bin", "zarr-wasm");
}

/** Runs it to its end. */
export function ran(command, args) {
  return new Promise((resolve) => {
    execFile(command, args, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

/**
 * Starts it. Returns the server's address, the viewer's, and `end`, which stops it by a signal and
 * returns its exit code.
 */
export const start = (command, args) => started(command, ...args);

/** Starts a command that serves the viewer, as start does. */
export async function started(command, ...args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  const pages = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const page = /^viewer: (.*)$/.exec(line)?.[1];
    if (page) pages.push(page);
    if (line === "Ctrl-C ends it.") break;
  }
  if (pages.length === 0) throw new Error(`the command ended with ${await ended}`);
  process.once("exit", () => child.kill());
  return {
    address: new URL("/", pages[0]).href,
    pages,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
