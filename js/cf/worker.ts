// The script of the decoding worker. It allocates a region, decodes its parts as they arrive, and
// sends it back.
import { workerScope } from "../platform/port-browser.js";
import { scopeOf, threads } from "../platform/threads.js";
import { Kernel } from "./kernels.js";
import type { FromDecoder, ToDecoder } from "./messages.js";
import { type Output, partsOf, roomFor, sizeOf, viewedAs } from "./plan.js";

const scope = threads?.parentPort ? scopeOf(threads.parentPort) : workerScope();
const regions = new Map<number, { kernel: Kernel; output: Output }>();
const post = (message: FromDecoder, transfer: ArrayBuffer[] = []) => scope.post(message, transfer);

function take(message: ToDecoder): void {
  const { id } = message;
  if ("plan" in message) {
    const { plan, count } = message;
    try {
      regions.set(id, { kernel: new Kernel(plan), output: roomFor(plan, count) });
    } catch {
      post({ id, bytes: count * partsOf(plan.to) * sizeOf(plan.to) });
    }
    return;
  }
  const region = regions.get(id);
  if (!region) return; // the region was dropped, or did not fit in memory
  if ("source" in message) {
    const { from, at, run, runs, stride } = message;
    const source = viewedAs(message.source, from);
    for (let k = 0; k < runs; k++) region.kernel.run(source, k * run, (k + 1) * run, region.output, at + k * stride);
    post({ id, decoded: true });
    return;
  }
  regions.delete(id);
  if ("drop" in message) return;
  const { output, kernel } = region;
  const buffers = [output.data.buffer, ...(output.marks ? [output.marks.buffer] : [])] as ArrayBuffer[];
  post({ id, output, counts: kernel.counts }, buffers);
}

scope.onmessage((message) => take(message as ToDecoder));
post({ ready: true });
