import { createHash } from "node:crypto";
import { createServer, type Server } from "node:net";
import { queue } from "./weblocks.js";

/** The waiting calls of this thread, of all copies of the package. */
const waiting: Map<string, Promise<unknown>> = lockMap();

function lockMap(): Map<string, Promise<unknown>> {
  const all = globalThis as { [key: symbol]: Map<string, Promise<unknown>> | undefined };
  const key = Symbol.for("zarr-wasm.locks");
  all[key] ??= new Map();
  return all[key];
}

/**
 * Calls a function while holding the lock of a name. It excludes other calls in this thread. On
 * Linux and Windows it also excludes other threads and processes of this machine. There a lock is a
 * socket's name. One process at a time can listen on it, and the system releases it at the end of
 * the process. Node cannot use the file locks by which Go and Python exclude each other.
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

/** Listens on the socket of a name once it is free. */
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

/**
 * Returns the name of a lock's socket, which is not a file. Returns undefined on systems without
 * such sockets.
 */
function lockPath(name: string): string | undefined {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 32);
  if (process.platform === "linux") return `\0zarr-wasm-${hash}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\zarr-wasm-${hash}` : undefined;
}

/** Listens on a socket. Returns undefined if it is in use. */
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
