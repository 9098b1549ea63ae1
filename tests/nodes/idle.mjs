// Lets a test file end in Node 20.3, which runs the hooks `after` of a file only when nothing else
// is left to do. When the file's tests have ended, its servers and programs no longer keep Node
// running.
import childProcess from "node:child_process";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { Server } from "node:net";

const started = new Set();
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  started.add(this);
  return listen.apply(this, args);
};
const { spawn } = childProcess;
childProcess.spawn = (...args) => {
  const child = spawn(...args);
  for (const handle of [child, ...child.stdio]) if (handle) started.add(handle);
  return child;
};

const tests = createRequire(import.meta.url)("node:test");
const { test } = tests;
let running = 0;
tests.test = Object.assign((...args) => {
  running++;
  return test(...args).finally(() => {
    running--;
    // The next test has begun by then.
    setImmediate(() => {
      if (running === 0) for (const handle of started) handle.unref?.();
    });
  });
}, test);
syncBuiltinESMExports();
