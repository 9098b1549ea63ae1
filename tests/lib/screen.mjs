// A virtual screen for browsers that require one: an X server.
import { spawn } from "node:child_process";

/**
 * Starts a program in its own process group, which ends with the program and with this process,
 * however that ends.
 */
export function started(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true });
  const end = () => {
    process.off("exit", end);
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {}
  };
  process.once("exit", end);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(1));
  }
  return { child, end };
}

/** Starts an X server; `display` is the value for DISPLAY. */
export async function openScreen(program) {
  const args = ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"];
  const { child, end } = started(program, args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const number = await new Promise((resolve, reject) => {
    let said = "";
    child.stdio[3].on("data", (data) => {
      said += data;
      if (said.includes("\n")) resolve(said.trim());
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with code ${code}`)));
  });
  return { display: `:${number}`, close: end };
}
