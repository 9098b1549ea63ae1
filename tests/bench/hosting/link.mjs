// A server behind a link: every answer starts a round trip after its request, and all answers share
// the link's rate.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

/** The bytes of an answer that are sent before another one's turn. */
const piece = 8 * 1024;

/**
 * Serves a folder on the loopback interface, with ranges.
 * @param {string} dir the folder
 * @param {{latency: number, rate: number}} link milliseconds of a round trip, and bits per second
 * @returns {Promise<{url: string, sent: {requests: number, bytes: number}, close: () =>
 * Promise<void>}>}
 */
export async function serveLink(dir, { latency, rate }) {
  const sent = { requests: 0, bytes: 0 };
  const waiting = [];
  const perMillisecond = rate / 8000;
  let allowed = 0;
  let last = performance.now();
  let timer;
  /** Sends in turns as much as the link has carried since the last call. */
  const turn = () => {
    const now = performance.now();
    allowed = Math.min(allowed + (now - last) * perMillisecond, 20 * perMillisecond + piece);
    last = now;
    while (allowed >= 0 && waiting.length > 0) {
      const one = waiting.shift();
      const part = one.body.subarray(one.at, one.at + piece);
      one.at += part.length;
      allowed -= part.length;
      if (one.at < one.body.length) {
        one.answer.write(part);
        waiting.push(one);
      } else one.answer.end(part);
    }
    timer = waiting.length > 0 ? setTimeout(turn, 1) : undefined;
  };
  const server = createServer((request, answer) => {
    sent.requests++;
    const path = join(dir, new URL(request.url, "http://host").pathname);
    const found = statSync(path, { throwIfNoEntry: false });
    const size = found?.isFile() ? found.size : -1;
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
    let [from, to] = [0, size];
    if (range?.[1]) [from, to] = [Number(range[1]), Math.min(size, range[2] === "" ? size : Number(range[2]) + 1)];
    else if (range?.[2]) from = Math.max(0, size - Number(range[2]));
    const head = { "Cache-Control": "no-cache", "Accept-Ranges": "bytes" };
    const begin = async () => {
      if (answer.destroyed) return;
      if (size < 0) return answer.writeHead(404, head).end();
      if (from >= to) return answer.writeHead(416, { ...head, "Content-Range": `bytes */${size}` }).end();
      const parts = [];
      for await (const part of createReadStream(path, { start: from, end: to - 1 })) parts.push(part);
      const body = Buffer.concat(parts);
      head.ETag = `"${size}"`;
      head["Content-Length"] = body.length;
      if (range) head["Content-Range"] = `bytes ${from}-${to - 1}/${size}`;
      answer.writeHead(range ? 206 : 200, head);
      sent.bytes += body.length;
      waiting.push({ answer, body, at: 0 });
      if (timer === undefined) {
        last = performance.now();
        timer = setTimeout(turn, 1);
      }
    };
    setTimeout(begin, latency);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    sent,
    async close() {
      clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
