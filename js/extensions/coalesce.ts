import { versionOf, withVersion } from "../engine/objectversion.js";
import type { Readable } from "../stores/readable.js";

/** The report of {@link RangeCoalescingOptions.onFlush} about one key. */
export interface FlushReport {
  /** The key. */
  path: `/${string}`;
  /** Requests sent to the store. */
  groupCount: number;
  /** Ranges requested by callers. */
  requestCount: number;
  /** Bytes of the requests, including gaps. */
  bytesFetched: number;
}

/** Settings of {@link withRangeCoalescing}. */
export interface RangeCoalescingOptions {
  /**
   * The largest gap between two ranges that are merged into one request, in bytes; 32,768 by
   * default.
   */
  coalesceSize?: number | undefined;
  /** Called once for each key whose ranges were merged. */
  onFlush?: ((report: FlushReport) => void) | undefined;
}

/** A waiting range with the functions that settle it. */
export interface Waiting {
  offset: number;
  length: number;
  signal: AbortSignal | undefined;
  resolve(bytes: Uint8Array | undefined): void;
  reject(reason: unknown): void;
}

interface Group {
  offset: number;
  length: number;
  waiting: Waiting[];
}

function groupsOf(waiting: Waiting[], gap: number): Group[] {
  const groups: Group[] = [];
  for (const one of [...waiting].sort((a, b) => a.offset - b.offset)) {
    const last = groups.at(-1);
    if (last && one.offset <= last.offset + last.length + gap) {
      last.length = Math.max(last.length, one.offset + one.length - last.offset);
      last.waiting.push(one);
    } else {
      groups.push({ offset: one.offset, length: one.length, waiting: [one] });
    }
  }
  return groups;
}

/**
 * Requests the waiting ranges of each key, in the smallest number of requests that the gaps allow.
 */
export function coalesce(
  work: Map<`/${string}`, Waiting[]>,
  getRange: NonNullable<Readable["getRange"]>,
  gap: number,
  onFlush: RangeCoalescingOptions["onFlush"],
): void {
  for (const [path, waiting] of work) {
    const groups = groupsOf(waiting, gap);
    try {
      const bytesFetched = groups.reduce((sum, group) => sum + group.length, 0);
      onFlush?.({ path, groupCount: groups.length, requestCount: waiting.length, bytesFetched });
    } catch (error) {
      console.warn("zarr-wasm: onFlush of withRangeCoalescing threw", error);
    }
    for (const group of groups) void fetchGroup(path, group, getRange);
  }
}

async function fetchGroup(
  path: `/${string}`,
  { offset, length, waiting }: Group,
  getRange: NonNullable<Readable["getRange"]>,
): Promise<void> {
  const controller = new AbortController();
  const left = new Set(waiting);
  for (const one of waiting) {
    const leave = () => {
      one.reject(one.signal?.reason);
      left.delete(one);
      if (left.size === 0) controller.abort(one.signal?.reason);
    };
    if (one.signal?.aborted) leave();
    else one.signal?.addEventListener("abort", leave, { once: true });
  }
  if (left.size === 0) return;
  try {
    const bytes = await getRange(path, { offset, length }, { signal: controller.signal });
    if (bytes && bytes.length < length) {
      throw new RangeError(`${path}: ${bytes.length} bytes arrived, but ${length} were requested`);
    }
    for (const one of waiting) {
      const from = one.offset - offset;
      one.resolve(bytes && withVersion(bytes.slice(from, from + one.length), versionOf(bytes)));
    }
  } catch (error) {
    for (const one of waiting) one.reject(error);
  }
}
