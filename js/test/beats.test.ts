// Tests that a silent browser's worker is given up after a while, but only while calls to it are
// pending.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { portOf } from "../platform/pageworker.js";
import { startHelper } from "../platform/port-browser.js";
import { random as pick } from "./randomelements.js";

const second = 1000;
const beat = 5 * second;

/** A worker that records all messages to it. */
class Quiet {
  onmessage?: (event: { data: unknown }) => void;
  readonly told: unknown[] = [];
  postMessage(message: unknown) {
    this.told.push(message);
  }
  terminate() {}
  say(data: unknown) {
    this.onmessage?.({ data });
  }
}

test("silence ends a worker, no answer and no pause does", () => {
  let clock = 0;
  mock.method(performance, "now", () => clock);
  // Node's own timers restart when they are cleared inside their callback.
  const timers = new Map<number, { call: () => void; every: number; left: number }>();
  let timer = 0;
  mock.method(globalThis, "setInterval", (call: () => void, every: number) => {
    timers.set(++timer, { call, every, left: every });
    return timer;
  });
  mock.method(globalThis, "clearInterval", (number: number) => timers.delete(number));
  const tick = (time: number) => {
    for (let at = 0; at < time; at += second) {
      clock += second;
      for (const one of timers.values()) {
        one.left -= second;
        if (one.left > 0) continue;
        one.left = one.every;
        one.call();
      }
    }
  };
  const locks = { request: () => new Promise(() => {}) };
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  let ends = 0;
  let calm = 0;
  try {
    for (let seed = 1; seed <= 300; seed++) {
      const worker = new Quiet();
      const port = portOf(worker as unknown as Worker);
      let ended = 0;
      port.onfail = (reason, after) => {
        assert.deepEqual([reason, after], ["the browser has ended it", true]);
        ended++;
      };
      /**
       * The port begins with pending calls. `since` is the time of the last message or change,
       * `pauses` the number of pauses after it.
       */
      let awaited = true;
      let since = clock;
      let pauses = 0;
      let locked = false;
      let starting = false;
      const beats: number[] = [];
      const heard = () => {
        since = clock;
        pauses = 0;
      };
      const lively = pick(3);
      for (let step = 0; step < 400 && !ended; step++) {
        const what = pick(160);
        if (what === 0 && !locked) {
          locked = true;
          worker.say({ holds: "a lock" });
          heard();
        } else if (what === 1) {
          awaited = pick(2) === 0;
          port.hold(awaited);
          heard();
        } else if (what === 2 && lively > 0) {
          worker.say(pick(2) === 0 ? { beat: true } : { id: 1 });
          heard();
        } else if (what === 4) {
          starting = !starting;
          worker.say({ starts: starting });
          heard();
        } else if (what === 3) {
          clock += second * pick(1000); // the page was suspended, with its timers
          pauses++;
        }
        const told = worker.told.length;
        tick(second);
        for (const message of worker.told.slice(told)) {
          assert.deepEqual(message, { beat: true });
          assert.ok(awaited, `seed ${seed}: a beat for a worker of which nothing is awaited`);
          assert.ok(
            clock - (beats.at(-1) ?? Number.NEGATIVE_INFINITY) >= beat,
            `seed ${seed}: beats come twice as often`,
          );
          beats.push(clock);
          if (lively === 2) {
            worker.say({ beat: true });
            heard();
          }
        }
        const most = starting ? 2 : locked ? 24 : 12;
        if (ended) assert.ok(awaited && clock - since >= most * beat, `seed ${seed}: ended after ${clock - since} ms`);
        else if (awaited)
          assert.ok(clock - since <= (most + 2 + pauses) * beat + pauses * 1000 * second, `seed ${seed}: never ended`);
      }
      assert.ok(ended <= 1 && !(lively === 2 && ended));
      if (ended) ends++;
      else calm++;
      // The timer ends by itself.
      port.hold(false);
      const told = worker.told.length;
      tick(4 * beat);
      assert.equal(worker.told.length, told, `seed ${seed}: beats without an end`);
      assert.equal(timers.size, 0);
      port.terminate();
    }
    assert.ok(ends > 50 && calm > 50, `${ends} ended, ${calm} did not`);
  } finally {
    mock.restoreAll();
    if (before) Object.defineProperty(globalThis, "navigator", before);
    else Reflect.deleteProperty(globalThis, "navigator");
  }
});

test("a worker reports before and after it starts another, even if that fails", () => {
  const said: unknown[] = [];
  const scope = globalThis as unknown as Record<string, unknown>;
  const before = { Worker: scope.Worker, postMessage: scope.postMessage, location: scope.location };
  let refuses = false;
  let made = 0;
  class Helper extends Quiet {
    constructor() {
      super();
      said.push("the worker");
      made++;
      if (refuses) throw new Error("refused");
    }
  }
  mock.method(globalThis, "setInterval", () => 1);
  mock.method(globalThis, "clearInterval", () => {});
  const set = (name: string, value: unknown) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  set("Worker", Helper);
  set("postMessage", (message: unknown) => said.push(message));
  set("location", { href: "https://example.org/worker.js" });
  try {
    startHelper().terminate();
    const once = [{ starts: true }, "the worker", { starts: false }];
    assert.deepEqual(said, once);
    startHelper().terminate();
    assert.deepEqual(said, [...once, ...once]);
    refuses = true;
    said.length = 0;
    assert.throws(startHelper, /refused|TrustedTypes|policy/i);
    assert.deepEqual(said.at(-1), { starts: false });
    assert.equal(said.length % 3, 0);
    assert.ok(made > 2);
  } finally {
    mock.restoreAll();
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(globalThis, name);
      else set(name, value);
    }
  }
});
