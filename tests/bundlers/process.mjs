// Frameworks are run by their own commands, as their users run them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));

function start(command, args, dir, env) {
  const child = spawn(command, args, {
    cwd: dir,
    env: {
      ...process.env,
      NODE_ENV: undefined,
      NEXT_TELEMETRY_DISABLED: "1",
      NO_COLOR: "1",
      FORCE_COLOR: undefined,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // its own group, since these commands start others
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => said.push(text));
  }
  return { child, said: () => said.join("") };
}

function end(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {} // it has ended
}

/** Runs a command to its end, and returns its output. */
export async function ran(name, args, dir, env) {
  const { child, said } = start(bin(name), args, dir, env);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${name} ${args.join(" ")} ended with ${code}:\n${said()}`);
  return said();
}

/** A free port of the loopback interface. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return String(port);
}

/** Starts a server with `args` of its port. Returns its address once it answers, and its output. */
export async function served(name, args, dir, env = () => ({})) {
  const port = await freePort();
  const command = name === "node" ? process.execPath : bin(name);
  const { child, said } = start(command, args(port), dir, env(port));
  const close = () => end(child);
  process.once("exit", close);
  const url = `http://127.0.0.1:${port}/`;
  for (let i = 0; child.exitCode === null && i < 600; i++) {
    const up = await fetch(`${url}robots.txt`).then(
      () => true,
      () => false,
    );
    if (up) return { url, said, close };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  close();
  throw new Error(`${name} does not answer:\n${said()}`);
}
