#!/usr/bin/env node
// The package's command: serves data with the viewer, or writes the viewer's files.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hierarchies } from "./hierarchies.mjs";
import { handler, limits } from "./serve.mjs";
import { viewerFiles } from "./viewerfiles.mjs";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");
const viewer = join(dist, "viewer");

const usage = `usage: zarr-wasm view [options] [DIR | FILE | URL]   serves a folder or an archive, and opens the viewer on it
       zarr-wasm viewer DIR                         writes the viewer's files into a folder, for a static host

  --port N       the port, 0 for a free one; 8080, or a free one if that is taken
  --host NAME    where to listen; 127.0.0.1, which other machines cannot reach
  --no-open      only prints the address
  --no-cors      lets no page of another origin read the data
  --version
`;

class UsageError extends Error {}

function main(args) {
  const { values, positionals } = parsed(args);
  if (values.help) return void process.stdout.write(usage);
  if (values.version) return console.log(version());
  const [command, target, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`${JSON.stringify(rest[0])}: one folder, archive or address at a time`);
  if (command === "view") return view(target ?? ".", values);
  if (command === "viewer") return write(target);
  throw new UsageError(command ? `there is no command ${JSON.stringify(command)}` : "a command is missing");
}

/** Returns the version and the commit, which the build records. */
function version() {
  const { version, commit } = JSON.parse(readFileSync(join(dist, "version.json"), "utf8"));
  return commit ? `${version} (${commit})` : version;
}

function parsed(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        port: { type: "string" },
        host: { type: "string", default: "127.0.0.1" },
        "no-open": { type: "boolean", default: false },
        "no-cors": { type: "boolean", default: false },
        version: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error.message);
  }
}

/**
 * Reports whether a target is an address that a page can read, such as https:// or s3://, and not a
 * path such as C:\data.
 */
const isAddress = (target) => /^[a-z][\w+.-]+:\/\//i.test(target);

async function view(target, { port, host, "no-open": quiet, "no-cors": closed }) {
  const number = Number(port ?? 8080);
  if (!Number.isInteger(number) || number < 0 || number > 65535) throw new UsageError(`--port ${port} is not a port`);
  const { data, pages, complete } = isAddress(target) ? { pages: [pageOf(target)] } : local(resolve(target));
  const server = createServer(limits);
  const isLocal = () => /^(127\.|::1$)/.test(server.address()?.address ?? "");
  server.on("request", handler({ viewer, dist, data, pages, complete, cors: !closed, local: isLocal }));
  const at = await listening(server, number, host, port === undefined);
  const name = at.family === "IPv6" ? `[${at.address}]` : at.address;
  const address = `http://${name}:${at.port}/`;
  if (data) console.log(`data:   ${address}${data.path}`);
  for (const page of pages) console.log(`viewer: ${address}${page}`);
  if (!isLocal()) console.log("Other machines can read what is served.");
  console.log("Ctrl-C ends it.");
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
    });
  }
  if (!quiet) browse(pages.length === 1 ? address + pages[0] : address);
}

/**
 * Returns the viewer's address for data, relative to the root. The viewer's state is the fragment.
 */
const pageOf = (address) => `index.html#url=${encodeURIComponent(address).replaceAll("%2F", "/")}`;

/**
 * Returns the folder or file to serve, with its path on the server, and the viewer's pages for it.
 */
function local(file) {
  let info;
  try {
    info = statSync(file);
  } catch (error) {
    throw new UsageError(`${file}: ${error.code === "ENOENT" ? "there is no such file or folder" : error.message}`);
  }
  const name = basename(file).replace(/^\.+/, "") || "data";
  const path = `data/${encodeURIComponent(name)}`;
  if (!info.isDirectory()) {
    return { data: { root: file, prefix: `/data/${name}`, path }, pages: [pageOf(path)] };
  }
  const { found, complete } = hierarchies(file);
  const pages = found.map((parts) => pageOf(["data", name, ...parts].map(encodeURIComponent).join("/")));
  return { data: { root: file, prefix: `/data/${name}/`, path: `${path}/` }, pages, complete };
}

/** Starts to listen. If no port was given and the default one is in use, listens on a free one. */
function listening(server, port, host, any) {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      if (error.code === "EADDRINUSE" && any) resolve(listening(server, 0, host, false));
      else reject(new UsageError(error.message));
    });
    server.listen(port, host, () => resolve(server.address()));
  });
}

/** Opens an address in the browser. Failures are ignored, because the address is also printed. */
function browse(address) {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  const child = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

/** Writes the viewer's files to a folder for a static host. */
function write(target) {
  if (target === undefined) throw new UsageError("viewer: a folder is missing");
  const to = resolve(target);
  if (existsSync(to) && readdirSync(to).length > 0) throw new UsageError(`${to} is not empty`);
  mkdirSync(to, { recursive: true });
  for (const [name, bytes] of viewerFiles({ viewer, dist })) writeFileSync(join(to, name), bytes);
  console.log(to);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`zarr-wasm: ${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
