// Tests a view's state as text: written states are read back, and no text makes reading fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random as seeded } from "../../tests/lib/random.mjs";
import {
  formatMember,
  formatState,
  parseMembers,
  parseState,
  projectionNames,
  stateNames,
  type ViewState,
  volumeModes,
} from "../view/state.js";

const { next: random } = seeded(7);
const below = (n: number): number => Math.floor(random() * n);
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
const names = ["time", "a b", "x,y", "a:b", "100%", "é", "&=#?", "%2C", "y", "__proto__", "日本"];
const numbers = [0, 1, -1.5, 1e-300, 1e300, 273.15, -0.1, 2 ** 53 - 1];

const makers: { [K in keyof ViewState]-?: () => ViewState[K] } = {
  node: () => `/${oneOf(names)}/${oneOf(names)}`,
  index: () => Object.fromEntries(names.filter(() => random() < 0.4).map((name) => [name, below(1000)])),
  minus: () =>
    oneOf<ViewState["minus"]>([
      { node: makers.node() },
      { index: { [oneOf(names)]: below(1000), time: below(9) } },
      { node: makers.node(), index: { [oneOf(names)]: below(1000) } },
    ]),
  expression: () => oneOf(["sqrt(u^2 + v^2)", "t2m - t2m[time=2020-01-01]", '"a b" / 100 >= 1', "a%2C&b=#?", "日本"]),
  axes: () => oneOf([["lat", "lon"] as const, ["a,b", "c:d"] as const, ["", "time"] as const]),
  map: () => random() < 0.5,
  projection: () => oneOf(projectionNames),
  volume: () => {
    const clipped = names.filter(() => random() < 0.2).map((name) => [name, [below(9), 9 + below(9)]] as const);
    return {
      mode: oneOf(volumeModes),
      ...(random() < 0.5 && { eye: [below(360) - 180, -12.5, 2 ** below(4), 0.25, -0.5] as const }),
      ...(clipped.length > 0 && { clip: Object.fromEntries(clipped) }),
    };
  },
  colormap: () => oneOf(["viridis", "gray-r"]),
  range: () => [oneOf(numbers), oneOf(numbers)],
  curve: () => oneOf([{ kind: "linear" }, { kind: "log" }, { kind: "power", exponent: 0.5 }] as const),
  camera: () => ({ x: Math.round(random() * 1e6), y: -12.5, zoom: 2 ** below(8) }),
  up: () => random() < 0.5,
  left: () => random() < 0.5,
  level: () => below(9),
  channels: () =>
    Array.from({ length: below(4) }, (_, index) => ({
      index,
      ...(random() < 0.5 && { colour: oneOf(["00ff00", "12abef"]) }),
      ...(random() < 0.5 && { range: [oneOf(numbers), oneOf(numbers)] as const }),
    })),
  labels: () => ({ name: oneOf(names), opacity: below(11) / 10 }),
  chosen: () => below(1000) - 500,
  arrows: () => oneOf([["/u10", "/v10"] as const, ["/a,b/x", "/a b/y%2C"] as const]),
  series: () => {
    const profile = random() < 0.3;
    return {
      ...(random() < 0.5 && { along: oneOf(names) }),
      points: Array.from({ length: profile ? 2 : below(4) }, () => [below(1000), below(1000)] as const),
      ...(profile && { profile }),
      ...(random() < 0.5 && { seen: [-below(1000) - 0.25, 1_577_836_800_123 + random()] as const }),
      ...(random() < 0.5 && { log: true }),
      ...(random() < 0.5 && { region: true }),
    };
  },
  region: () => {
    const kind = oneOf(["box", "polygon", "line"] as const);
    const corner = () => [below(9000) / 16 - 100, below(9000) / 16] as const;
    const points = Array.from({ length: kind === "box" ? 2 : 3 + below(9) }, corner);
    return { kind, axes: oneOf([["lat", "lon"] as const, ["a,b", "c:d"] as const, ["100%", "é"] as const]), points };
  },
  diagram: () => oneOf([{ along: oneOf(names) }, { along: "a:b", across: "x,y" }, { along: "time", across: "100%" }]),
  member: () => oneOf(names),
  component: () => oneOf(["magnitude", "phase", "real", "imaginary"] as const),
};

function anyState(): ViewState {
  const state: Record<string, unknown> = {};
  for (const name of stateNames) if (random() < 0.5) state[name] = makers[name]();
  return state;
}

test("a state survives attributes and links", () => {
  for (let i = 0; i < 2000; i++) {
    const state = anyState();
    const link = formatState(state);
    assert.deepEqual(parseState(`#${link}`), { state, problems: [] }, link);
    assert.deepEqual(
      parseMembers((name) => formatMember(name, state)),
      { state, problems: [] },
    );
    // The browser's form of it in an address is read as well.
    const url = new URL(`https://example.org/#${link}`);
    assert.deepEqual(parseState(url.hash).state, state);
  }
});

test("parsing never throws, and reports invalid parts", () => {
  const characters = ["a", "0", ",", ":", "%", "%2", "-", ".", "=", "&", "é", " ", "1e9"];
  for (let i = 0; i < 5000; i++) {
    const text = Array.from({ length: below(8) }, () => oneOf(characters)).join("");
    const { state, problems } = parseMembers((name) => (name === stateNames[i % stateNames.length] ? text : null));
    assert.ok(Object.keys(state).length + problems.length <= 1);
    if (text.trim() !== "" && problems.length === 0) assert.ok(Object.keys(state).length === 1, JSON.stringify(text));
    // The understood members are written and read again.
    assert.deepEqual(parseState(formatState(state)).state, state);
  }
  for (const text of [
    "range=1",
    "range=a,b",
    "index=time:-1",
    "index=time",
    "camera=1,2",
    "camera=1,2,0",
    "level=1.5",
    "channels=0:red",
    "labels=a:2",
    "curve=power:0",
    "up=maybe",
    "component=both",
    "axes=a,a",
    "region=box:lat:lon,1:2",
    "region=circle:lat:lon,1:2,3:4",
    "region=line:lat:lat,1:2,3:4",
    "region=line:lat:lon,1:2,3:4e9",
    "region=line:lat:lon,1:2,3:4:5",
    "region=line:lat:lon,1:2,1234567890:4",
    `region=line:lat:lon${",1:2".repeat(1001)}`,
    "diagram=time:time",
    "diagram=time:lon:lat",
    "diagram=:lon",
    "volume=flat",
    "volume=maximum,eye:1:2:0:0:0",
    "volume=maximum,eye:1:2:3",
    "volume=shaded,z:5:2",
    "volume=shaded,z",
  ])
    assert.equal(parseState(text).problems.length, 1, text);
});
