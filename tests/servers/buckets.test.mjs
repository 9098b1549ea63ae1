// Runs the Go tests of buckets on an S3 server, which `./build.sh setup servers` builds.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { top } from "../lib/serve.mjs";

for (const [name, folder, count] of [
  ["the store passes the suite of stores on S3", "./cmd/zarr/blobstore", 10],
  ["the command reads, writes and continues on S3", "./cmd/zarr", 2],
])
  test(name, { timeout: 900_000 }, () => {
    const args = ["test", "-json", "-count=1", "-run", "S3|Bucket", folder];
    const { stdout, status, stderr } = spawnSync("go", args, { cwd: top, encoding: "utf8", maxBuffer: 1 << 28 });
    const events = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    const named = (action) => events.filter((e) => e.Test && e.Action === action).map((e) => e.Test);
    const output = events.map((e) => e.Output ?? "").join("");
    assert.equal(status, 0, `${output}${stderr}`);
    assert.ok(named("pass").length >= count, output);
    assert.deepEqual(named("skip"), folder.endsWith("blobstore") ? ["TestS3/Writing/Locks"] : []);
  });
