import type { FromPoolUser, ToPoolUser, WireJob, WirePipeline } from "../engine/protocol/wire.js";
import type { FromHelper, ToHelper, WorkerBoot } from "../engine/protocol/worker.js";
import { Buffers } from "../platform/buffers.js";
import { Pace } from "../platform/macrotask.js";
import type { Port } from "../platform/port.js";
import { scatter } from "./scatter.js";

/**
 * The milliseconds that a helper waits for work before it ends. After a failed start, the pause
 * before the next attempt; it doubles each time.
 */
const idleTime = 10_000;

/** A job, and whether its result is to be dropped. */
type PoolJob = WireJob & { dropped?: true };

interface Helper {
  port: Port;
  ready: boolean;
  /** The bytes of its memory, as it reports them. */
  memory: number;
  /** The chains of codecs that it has received. */
  known: Set<number>;
  jobs: Map<number, PoolJob>;
  idle: ReturnType<typeof setTimeout> | undefined;
}

/** The functions and settings that a pool needs from its owner. */
interface PoolOptions {
  module: WebAssembly.Module;
  /** The maximum number of helpers. */
  most: number;
  start(): Port;
  /** Sends a message to the engine. */
  tell(message: ToPoolUser): void;
}

/** The helpers of an engine. They decode and encode chunks for it. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #helpers = new Set<Helper>();
  readonly #pipelines = new Map<number, WirePipeline>();
  readonly buffers = new Buffers();
  /** Lets the engine handle messages between two chunks that it decodes itself. */
  readonly #pace = new Pace();
  /** The time until which no helper is started, and the length of the next pause. */
  #refused = 0;
  #pause = idleTime;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The number of running helpers. */
  get size(): number {
    return [...this.#helpers].filter(({ ready }) => ready).length;
  }

  /** The bytes of the running helpers. */
  get memory(): number[] {
    return [...this.#helpers].filter(({ ready }) => ready).map(({ memory }) => memory);
  }

  /** Handles a message of the engine. */
  receive(message: FromPoolUser): void {
    if ("job" in message) this.#give(message);
    else if ("pipeline" in message) this.#learn(message);
    else if ("grow" in message) this.#grow();
    else if ("tick" in message)
      void this.#pace.rest(undefined).then(() => this.#options.tell({ op: "job", tick: true }));
    else this.#drop(message.drop);
  }

  /** Ends the helpers. */
  crash(order: ToHelper): void {
    for (const helper of this.#helpers) this.#post(helper, order);
  }

  #learn(pipeline: WirePipeline): void {
    if (pipeline.forget) {
      this.#pipelines.clear();
      for (const helper of this.#helpers) helper.known.clear();
    }
    this.#pipelines.set(pipeline.pipeline, pipeline);
  }

  #give(job: WireJob): void {
    let best: Helper | undefined;
    for (const helper of this.#helpers) {
      if (helper.ready && (!best || helper.jobs.size < best.jobs.size)) best = helper;
    }
    const pipeline = this.#pipelines.get(job.pipeline);
    if (!best || !pipeline) {
      this.#end(job, { failed: true });
      return;
    }
    clearTimeout(best.idle);
    best.idle = undefined;
    best.jobs.set(job.job, job);
    if (!best.known.has(job.pipeline)) {
      best.known.add(job.pipeline);
      this.#post(best, { op: "pipeline", ...pipeline });
    }
    const { job: id, pipeline: chain, shape, bytes, place, size } = job;
    const chunk = { id, pipeline: chain, shape, bytes: bytes.buffer, length: bytes.length };
    if (job.encode) {
      this.#post(best, { op: "encode", ...chunk }, [bytes.buffer]);
      return;
    }
    const order: ToHelper = { op: "decode", ...chunk };
    if (job.want) order.want = job.want;
    if (job.region) order.region = job.region;
    if (place && !(place.memory instanceof ArrayBuffer)) {
      order.place = place;
      this.#post(best, order, [bytes.buffer]);
    } else {
      order.into = this.buffers.lend(size).buffer;
      this.#post(best, order, [bytes.buffer, order.into]);
    }
  }

  #post(helper: Helper, message: ToHelper, transfer: ArrayBuffer[] = []): void {
    helper.port.post(message, transfer);
  }

  #drop(id: number): void {
    // A helper that works on the job continues, and its result is dropped.
    for (const { jobs } of this.#helpers) {
      const job = jobs.get(id);
      if (job) jobs.set(id, { ...job, dropped: true });
    }
  }

  #end(job: PoolJob, result: { failed?: boolean; error?: string; bytes?: ArrayBuffer }): void {
    if (job.dropped) return;
    const end = { job: job.job, ...result };
    this.#options.tell(job.encode ? { op: "encoded", ...end } : { op: "job", ...end });
  }

  #answer(helper: Helper, { done, memory, failed, bytes, into }: Extract<FromHelper, { done: number }>): void {
    helper.memory = memory;
    const job = helper.jobs.get(done);
    helper.jobs.delete(done);
    if (helper.jobs.size === 0) this.#idle(helper);
    if (job && failed) this.#end(job, { failed });
    else if (job && !into) this.#end(job, {});
    else if (job && into && job.place) {
      if (!job.dropped) scatter(new Uint8Array(job.place.memory), new Uint8Array(into, 0, job.size), job.place);
      this.#end(job, {});
    } else if (job && into) this.#end(job, { bytes: into });
    this.buffers.giveBack(bytes);
    if (into) this.buffers.giveBack(into);
  }

  #grow(): void {
    if (performance.now() < this.#refused || this.#helpers.size >= this.#options.most) return;
    let port: Port;
    try {
      port = this.#options.start();
    } catch (error) {
      this.#refuse(error instanceof Error ? error.message : String(error));
      return;
    }
    const helper: Helper = { port, ready: false, memory: 0, known: new Set(), jobs: new Map(), idle: undefined };
    this.#helpers.add(helper);
    port.hold(true);
    port.onfail = (reason, ended) => this.#lost(helper, reason, ended);
    port.onmessage = (data) => {
      const message = data as FromHelper;
      if ("done" in message) this.#answer(helper, message);
      else if ("fatal" in message) this.#lost(helper, message.fatal.message);
      else if ("booted" in message) {
        helper.ready = true;
        this.#idle(helper);
        this.#count();
      }
    };
    const boot: WorkerBoot = { boot: { version: ZARR_WASM_VERSION, module: this.#options.module, helper: true } };
    port.post(boot);
  }

  #lost(helper: Helper, reason: string, ended = false): void {
    if (!this.#helpers.has(helper)) return;
    this.#remove(helper);
    if (!helper.ready && !ended) this.#refuse(reason);
    for (const job of helper.jobs.values())
      this.#end(job, { error: `the worker that decoded a chunk failed: ${reason}` });
  }

  #refuse(reason: string): void {
    // Their script may be unreachable for some time only.
    const now = performance.now();
    if (now < this.#refused) return;
    if (!this.#refused)
      console.warn(`zarr-wasm: a helper worker could not be started (${reason}); chunks are decoded in one thread`);
    this.#refused = now + this.#pause;
    this.#pause *= 2;
  }

  #idle(helper: Helper): void {
    clearTimeout(helper.idle);
    helper.idle = setTimeout(() => this.#remove(helper), idleTime);
    (helper.idle as { unref?: () => void }).unref?.();
  }

  #remove(helper: Helper): void {
    clearTimeout(helper.idle);
    this.#helpers.delete(helper);
    helper.port.terminate();
    this.#count();
    if (this.#helpers.size === 0) this.buffers.clear();
  }

  #count(): void {
    this.#options.tell({ op: "job", helpers: this.size });
  }
}
