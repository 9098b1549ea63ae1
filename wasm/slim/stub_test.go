//go:build !js

package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// few returns a module of seven functions. The first is exported and calls the second, which calls
// the third. The first also names the fourth by a program counter and the fifth by a function
// value. The sixth is a method's. Nothing names the seventh except a counter within it.
func few() (*module, *functionTable) {
	const types = 8 * moduleWords
	const values = types + 8 // the function values
	const method, kind, name = values + 8, values + 24, values + 80
	memory := make([]byte, name+8)
	binary.LittleEndian.PutUint64(memory[8*moduleTypes:], types)
	binary.LittleEndian.PutUint64(memory[8*moduleTypesEnd:], uint64(len(memory)))
	binary.LittleEndian.PutUint64(memory[values:], (firstEntry+4)<<16)
	binary.LittleEndian.PutUint32(memory[method+offMethodName:], name-types)
	binary.LittleEndian.PutUint32(memory[method+offMethodType:], kind-types)
	binary.LittleEndian.PutUint32(memory[method+offCalled:], firstEntry+5)
	memory[kind+offKind], memory[name+1] = kindFunc, 1
	const imports = 2
	first := []byte{0, opCall, imports + 1, opDrop}
	first = append(appendInt(append(first, opI64Const), (firstEntry+3)<<16), opDrop)
	first = append(appendInt(append(first, opI64Const), (firstEntry+6)<<16+3), opDrop)
	first = append(appendInt(append(first, opI32Const), values), opDrop, opI32Const, 0, opEnd)
	nothing := []byte{1, 2, typeI64, opI32Const, 0, opEnd}
	m := &module{imports: imports, exported: []int{imports}, memory: memory,
		bodies: [][]byte{first, {0, opCall, imports + 2, opEnd}, nothing, nothing, nothing, nothing, nothing}}
	t := &functionTable{}
	for k, name := range []string{"first", "calls.(*T).second", "third", "fourth", "fifth", "sixth", "seventh"} {
		t.functions = append(t.functions, &function{name: name, index: k, frame: []byte{1}, pointers: []byte{2}})
	}
	return m, t
}

func TestStubs(t *testing.T) {
	for _, c := range []struct {
		families []family
		want     string // of each function: kept, traps, returns
	}{
		{nil, "kkkkkkt"},
		{[]family{{`calls\.\(\*T\)\.second`, traps, ""}}, "kttkkkt"},
		{[]family{{`calls\..*`, returns, ""}}, "krtkkkt"},
		{[]family{{`third|fifth`, traps, ""}, {`fourth`, returns, ""}}, "kktrtkt"},
		{[]family{{`first`, traps, ""}}, "tttttkt"},
	} {
		m, table := few()
		must.Do(t, table.stub(m, c.families))
		got := ""
		for k, f := range table.functions {
			switch body := string(m.bodies[k]); {
			case body == string(traps):
				got += "t"
			case body == string(returns):
				got += "r"
			default:
				got += "k"
			}
			if kept := got[k] == 'k'; (f.frame != nil) != kept || (f.pointers != nil) != kept {
				t.Errorf("%v: the tables of %s are %v, %v", c.families, f.name, f.frame, f.pointers)
			}
		}
		if got != c.want {
			t.Errorf("%v: the functions are %s and not %s", c.families, got, c.want)
		}
	}
}

func TestAFamilyWithoutFunctions(t *testing.T) {
	m, table := few()
	err := table.stub(m, []family{{`second`, traps, ""}, {`third`, traps, ""}, {`fir`, traps, ""}})
	if err == nil || err.Error() != "no function matches second\nno function matches fir" {
		t.Error(err)
	}
}

func TestInstructionsThatAreNotKnown(t *testing.T) {
	for _, body := range [][]byte{{}, {1}, {0, 0xff}, {0, opI64Const, 0x80}, {0, opMore, 99, opEnd}, {0, opBrTable, 3, 0}} {
		if err := refers(body, func(int) {}, func(int64) {}); err == nil {
			t.Errorf("% x has no error", body)
		}
	}
}

// TestStubsRun runs a program in which two functions are stubs.
func TestStubsRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.wasm")
	build(t, `package main

var n int

//go:noinline
func left(a, b int, c string) { n++ }

//go:noinline
func gone(a int) int { return a + 1 }

func main() {
	left(1, 2, "a")
	left(3, 4, "b")
	println("n", n)
	println("gone", gone(n))
}
`, path)
	b := must.Get(os.ReadFile(path))(t)
	b = must.Get(slim(b, []family{{`main\.left`, returns, ""}, {`main\.gone`, traps, ""}}))(t)
	must.Do(t, os.WriteFile(path, b, 0o644))
	// The trap reports the function's number, from which the package's JavaScript finds its name.
	if out := start(t, path, ""); !strings.Contains(out, "n 0") || !strings.Contains(out, "unreachable") || strings.Contains(out, "gone") {
		t.Error(out)
	}
}
