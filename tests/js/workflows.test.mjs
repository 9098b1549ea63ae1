// The workflows run the stages of ./build.sh and nothing else, with pinned actions and no more
// rights than they need.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { top } from "../lib/serve.mjs";
import { stages } from "../tools/stages.mjs";

const folder = ".github/workflows";
const read = (file) => readFileSync(`${top}${file}`, "utf8");
const workflows = readdirSync(top + folder).map((name) => {
  const text = read(`${folder}/${name}`);
  return { name, text, ...parse(text) };
});
const jobs = workflows.flatMap((workflow) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ workflow, title: `${workflow.name} ${name}`, ...job })),
);

/** The commands of a job, with the values of each row of its matrix. */
function commandsOf({ steps = [], strategy = {} }) {
  const rows = strategy.matrix?.include ?? [{}];
  return rows.flatMap((row) =>
    steps.flatMap(({ run }) =>
      run === undefined ? [] : [run.replace(/\$\{\{ matrix\.(\w+) \}\}/g, (_, key) => row[key])],
    ),
  );
}

/** The stages that a command runs. */
function stagesOf(command) {
  const [, words] = /^\.\/build\.sh test (.+)$/.exec(command) ?? [];
  if (words === "--quick") return Object.keys(stages).filter((name) => stages[name].quick);
  return words?.split(" ") ?? [];
}
const runBy = (of) => new Set(of.flatMap(commandsOf).flatMap(stagesOf));

test("every step is ./build.sh or an action", () => {
  const commands = jobs.flatMap(commandsOf);
  assert.ok(commands.length > 10, `${commands.length} commands`);
  for (const command of commands) assert.match(command, /^\.\/build\.sh (test [\w -]+|release)$/);
  for (const { title, steps = [] } of jobs)
    for (const { run, uses } of steps) assert.ok((run === undefined) !== (uses === undefined), title);
});

test("every stage that a workflow names exists", () => {
  for (const name of runBy(jobs)) assert.ok(stages[name], name);
});

test("every default stage runs in a job of the full workflow, and each quick one in a job of the other", () => {
  const of = (name) => runBy(jobs.filter(({ workflow }) => workflow.name === name));
  const names = (kind) => Object.keys(stages).filter((name) => kind(stages[name]));
  const [full, quick] = [of("full"), of("quick")];
  for (const name of names(({ asked }) => !asked)) assert.ok(full.has(name), name);
  for (const name of names((stage) => stage.quick)) assert.ok(quick.has(name), name);
  const nightly = of("nightly");
  for (const name of ["storms", "fuzz", "audit"]) assert.ok(nightly.has(name), name);
});

test("every stage runs in a workflow and is described, except those that others contain", () => {
  const described = read("tests/README.md");
  const run = runBy(jobs);
  for (const name of Object.keys(stages)) {
    assert.ok(described.includes(`\`${name}\``), `tests/README.md does not name ${name}`);
    // firefox and webkit are the parts of engines
    assert.ok(run.has(name) || name === "engines", `no workflow runs ${name}`);
  }
});

test("every action is pinned by its commit, with the version as a comment", () => {
  let pinned = 0;
  for (const { name, text } of workflows)
    for (const [, used] of text.matchAll(/\buses: *(.*)/g)) {
      if (used.startsWith("./")) {
        assert.ok(existsSync(top + posix.normalize(used)), `${name}: ${used}`);
        continue;
      }
      assert.match(used, /^[\w-]+\/[\w-]+(\/[\w-]+)*@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
      pinned++;
    }
  assert.ok(pinned > 10, `${pinned} actions`);
  const versions = workflows.flatMap(({ text }) => [...text.matchAll(/\buses: *([\w-]+\/[\w-]+).*@(.*)/g)]);
  const each = new Map(versions.map(([, action, version]) => [action, version]));
  for (const [, action, version] of versions) assert.equal(version, each.get(action), action);
});

test("workflows can read the repository only; the release can write it, and two prove what they are", () => {
  const more = [];
  for (const { name, text, permissions, on } of workflows) {
    assert.deepEqual(permissions, { contents: "read" }, name);
    assert.ok(!("pull_request_target" in on) && !("workflow_run" in on), name);
    assert.doesNotMatch(text, /secrets\b/, name);
    // The title of a pull request or the name of a branch never becomes part of a command.
    for (const [, expression] of text.matchAll(/\brun:.*?\$\{\{ *([\w.]+)/g))
      assert.match(expression, /^matrix\./, name);
  }
  for (const { title, permissions, steps = [], uses, "timeout-minutes": limit } of jobs) {
    if (permissions !== undefined) more.push([title, permissions]);
    assert.ok(uses !== undefined || limit > 0, `${title} has no limit`);
    for (const step of steps.filter((one) => one.uses?.startsWith("actions/checkout@")))
      assert.equal(step.with["persist-credentials"], permissions?.contents === "write" ? undefined : false, title);
  }
  assert.deepEqual(more, [
    ["release release", { contents: "write", "id-token": "write" }],
    ["site deploy", { pages: "write", "id-token": "write" }],
  ]);
  const { jobs: ofRelease, on } = workflows.find(({ name }) => name === "release");
  assert.deepEqual(Object.keys(on), ["push"]);
  assert.equal(ofRelease.release.needs, "full");
});

test("the site that was tested is published, from main only", () => {
  const { build, deploy } = workflows.find(({ name }) => name === "site").jobs;
  assert.deepEqual(commandsOf(build), ["./build.sh test site"]);
  const upload = build.steps.find(({ uses }) => uses?.startsWith("actions/upload-pages-artifact@"));
  assert.deepEqual(upload.with, { path: "build/site", "include-hidden-files": true });
  assert.ok(build.steps.indexOf(upload) > build.steps.findIndex(({ run }) => run !== undefined));
  assert.equal(deploy.needs, "build");
  assert.match(deploy.if, /github\.event_name != 'pull_request' && github\.ref == 'refs\/heads\/main'/);
});

test("nightly runs and releases take all rounds, and fail on a test that passes only at its second attempt", () => {
  for (const { title, uses, with: inputs } of jobs.filter(({ uses }) => uses === "./.github/workflows/full.yml"))
    assert.deepEqual(inputs, { flaky: "fail", full: "1" }, `${title}: ${uses}`);
  const { env } = jobs.find(({ title }) => title === "nightly storms");
  assert.deepEqual([env.FLAKY, env.FULL], ["fail", 1]);
  const { FLAKY, FULL } = jobs.find(({ title }) => title === "full test").env;
  assert.deepEqual(
    [FLAKY, FULL],
    ["flaky", "full"].map((name) => `\${{ inputs.${name} }}`),
  );
});

test("every folder with dependencies is updated", () => {
  const { updates } = parse(read(".github/dependabot.yml"));
  const of = (kind) =>
    updates
      .filter((one) => one["package-ecosystem"] === kind)
      .flatMap(({ directory, directories }) => directories ?? [directory])
      .sort();
  const holding = (name) =>
    execFileSync("git", ["ls-files", name, `**/${name}`], { cwd: top, encoding: "utf8" })
      .trim()
      .split("\n")
      .map((file) => `/${posix.dirname(file)}`.replace(/^\/\.$/, "/"))
      .sort();
  assert.deepEqual(of("npm"), holding("package-lock.json"));
  assert.deepEqual(of("gomod"), holding("go.sum"));
  assert.deepEqual(of("github-actions"), ["/"]);
});
