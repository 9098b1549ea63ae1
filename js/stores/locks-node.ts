import { createHash } from "node:crypto";
import { createServer, type Server } from "node:net";
import { queue } from "./weblocks.js";

/** Those who wait in this thread, of whatever copy of the package. */
const waiting: Map<string, Promise<unknown>> = lockMap();

function lockMap(): Map<string, Promise<unknown>> {
  const all = globalThis as { [key: symbol]: Map<string, Promise<unknown>> | undefined };
  const key = Symbol.for("zarr-wasm.locks");
  all[key] ??= new Map();
  return all[key];
}

/**
 * Calls a function while no one else holds the lock of a name: no other caller in this thread and, on Linux and Windows, in no other
 * thread or process of this machine. There a lock is the name of a socket, of which the system lets one process at
 * a time listen, and which goes with that process, however it ends. Node has no way to the locks of files by which Go and
 * Python exclude each other.
 */
export async function hold(name: string, run: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  await queue(
    waiting,
    name,
    async () => {
      const lock = await take(name, signal);
      try {
        await run();
      } finally {
        await new Promise((closed) => (lock ? lock.close(closed) : closed(undefined)));
      }
    },
    signal,
  );
}

/** Listens at the socket of a name as soon as no one else does. */
async function take(name: string, signal: AbortSignal | undefined): Promise<Server | undefined> {
  const path = lockPath(name);
  if (!path) return undefined;
  for (let wait = 1; ; wait = Math.min(2 * wait, 32)) {
    signal?.throwIfAborted();
    const server = await listen(path);
    if (server) return server;
    await new Promise((next) => setTimeout(next, wait * (0.5 + Math.random())));
  }
}

/** The name of a lock's socket, which is no file; undefined where there are no such sockets. */
function lockPath(name: string): string | undefined {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 32);
  if (process.platform === "linux") return `\0zarr-wasm-${hash}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\zarr-wasm-${hash}` : undefined;
}

/** Listens at a socket; undefined where another one does. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer((other) => other.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") done(undefined);
      else fail(error);
    });
    server.listen({ path, exclusive: true }, () => done(server));
  });
}
