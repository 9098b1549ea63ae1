//go:build !js

package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// growingModule returns a module with memory of the sizes in pages. It exports the memory, the
// stack pointer, and a function with growBody.
func growingModule(initial byte, most uint64) []byte {
	sections := []section{
		{typeSection, []byte{1, typeFunction, 1, typeI32, 1, typeI32}},
		{functionSection, []byte{1, 0}},
		{5, binary.AppendUvarint([]byte{1, 1, initial}, most)},
		{globalSection, []byte{1, typeI32, 1, opI32Const, 0, opEnd}},
		{exportSection, []byte("\x03\x03mem\x02\x00\x02sp\x03\x00\x04grow\x00\x00")},
		{codeSection, nil},
		{dataSection, []byte{0}},
	}
	m := &module{sections: sections}
	spare, err := m.global()
	if err != nil {
		panic(err)
	}
	m.bodies = [][]byte{growBody(spare)}
	return m.write()
}

// TestGrowthIsThatOfAMemoryWithoutSparePages compares random growths, beyond the maximum too, with
// a model.
func TestGrowthIsThatOfAMemoryWithoutSparePages(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is needed: ", err)
	}
	path := filepath.Join(t.TempDir(), "grow.wasm")
	must.Do(t, os.WriteFile(path, growingModule(2, 100), 0o644))
	out, err := exec.Command(node, "-e", `
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
let seed = 1;
const random = (n) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % n;
const [initial, most, at] = [2, 100, 64];
let refused = 0;
for (let run = 0; run < 500; run++) {
  const { mem, sp, grow } = new WebAssembly.Instance(module).exports;
  const pages = () => mem.buffer.byteLength / 65536;
  let known = initial, growths = 0;
  const largest = 1 + random(run % 2 ? 3 : 60);
  for (let i = 0; i < 80; i++) {
    const n = random(largest + 1), before = pages();
    sp.value = at;
    new DataView(mem.buffer).setInt32(at + 8, n, true);
    if (grow(0) !== 0 || sp.value !== at + 8) throw new Error("it has not returned as a Go function");
    const told = new DataView(mem.buffer).getInt32(at + 16, true);
    const fits = known + n <= most;
    if (told !== (fits ? known : -1)) throw new Error("growth of " + known + " by " + n + " returned " + told);
    if (fits) known += n; else refused++;
    if (pages() < known || pages() > known + (known >> 2) + 1) throw new Error(known + " pages are known of " + pages());
    if (pages() !== before) growths++;
  }
  if (growths > 30) throw new Error(growths + " growths to " + known);
}
if (refused < 1000) throw new Error("few growths were refused: " + refused);
`, path).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestGrowthIsAtMostMostAhead grows a memory to 12,000 pages, and compares it with the pages that
// were asked for.
func TestGrowthIsAtMostMostAhead(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is needed: ", err)
	}
	path := filepath.Join(t.TempDir(), "grow.wasm")
	must.Do(t, os.WriteFile(path, growingModule(2, 1<<14), 0o644))
	out, err := exec.Command(node, "-e", fmt.Sprintf(`
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
const { mem, sp, grow } = new WebAssembly.Instance(module).exports;
const [pages, at] = [() => mem.buffer.byteLength / 65536, 64];
let known = 2, growths = 0;
while (known < 12000) {
  const before = pages();
  sp.value = at;
  new DataView(mem.buffer).setInt32(at + 8, 8, true);
  grow(0);
  known += 8;
  if (pages() < known || pages() > known + %[1]d) throw new Error(known + " pages are known of " + pages());
  if (pages() !== before) growths++;
}
if (growths > 12000 / %[1]d + 20) throw new Error(growths + " growths");
`, mostAhead), path).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAProgramWithoutItsGrowerIsRefused(t *testing.T) {
	m, table := few()
	if table.growAhead(m) == nil {
		t.Error("no error")
	}
	table.functions[2].name = grower
	m.sections = []section{{globalSection, []byte{0}}}
	must.Do(t, table.growAhead(m))
	if !slices.Equal(m.bodies[2], growBody(0)) || m.sections[0].body[0] != 1 {
		t.Error("the function or its variable is missing")
	}
}
