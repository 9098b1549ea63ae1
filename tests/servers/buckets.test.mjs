// Runs the Go tests of buckets on servers of S3, Google Cloud Storage and Azure Blob Storage, which
// `./build.sh setup servers` installs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { top } from "../lib/serve.mjs";

for (const [name, folder, count] of [
  ["the store passes the suite of stores on each cloud", "./cmd/zarr/blobstore", 30],
  ["the command reads and writes on each cloud, and continues on S3", "./cmd/zarr", 5],
])
  test(name, { timeout: 900_000 }, () => {
    const args = ["test", "-json", "-count=1", "-run", "Bucket", folder];
    const { stdout, status, stderr } = spawnSync("go", args, { cwd: top, encoding: "utf8", maxBuffer: 1 << 28 });
    const events = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    const named = (action) => events.filter((e) => e.Test && e.Action === action).map((e) => e.Test);
    const output = events.map((e) => e.Output ?? "").join("");
    assert.equal(status, 0, `${output}${stderr}`);
    assert.ok(named("pass").length >= count, output);
    assert.deepEqual(
      named("skip"),
      folder.endsWith("blobstore") ? ["s3", "gs", "az"].map((cloud) => `TestBuckets/${cloud}/Writing/Locks`) : [],
    );
  });
