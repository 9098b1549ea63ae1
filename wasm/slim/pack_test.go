//go:build !js

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// instantiate compares the memory of two instantiated modules, except for a part.
const instantiate = `
const { readFileSync } = require("node:fs");
const [plain, packed, from, to] = process.argv.slice(1);
const memory = async (path) => {
  const gojs = new Proxy({}, { get: () => () => {} });
  const { instance } = await WebAssembly.instantiate(readFileSync(path), { gojs });
  return Buffer.from(instance.exports.mem.buffer).fill(0, Number(from), Number(to));
};
(async () => {
  const [a, b] = [await memory(plain), await memory(packed)];
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) throw new Error("byte " + i + " is " + b[i] + " and was " + a[i]);
  console.log(a.length === b.length && "alike");
})();`

func TestPackedTablesAreWrittenAtTheStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "main.wasm")
	build(t, "package main\nfunc main() { panic(1) }", path)
	b := must.Get(os.ReadFile(path))(t)
	m, table := written(t, b)
	plain := m.write()
	must.Do(t, table.pack(m))
	packed := m.write()
	if len(packed) > len(plain)-50_000 {
		t.Errorf("%d bytes have become %d", len(plain), len(packed))
	}
	args := []string{"-e", instantiate}
	for name, b := range map[string][]byte{"plain": plain, "packed": packed} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
	}
	args = append(args, filepath.Join(dir, "plain"), filepath.Join(dir, "packed"),
		strconv.Itoa(table.searchAddress), strconv.Itoa(table.searchAddress+len(table.search)))
	out, err := exec.Command("node", args...).CombinedOutput()
	if err != nil || !bytes.Equal(bytes.TrimSpace(out), []byte("alike")) {
		t.Errorf("%v\n%s", err, out)
	}
	if err := table.pack(m); err == nil {
		t.Error("a module has two functions that start")
	}
}
