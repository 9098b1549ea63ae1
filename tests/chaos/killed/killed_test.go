package killed_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/python"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// role is the environment variable that selects another role of the test's program.
const role = "ZARR_TEST_ROLE"

func TestMain(m *testing.M) {
	switch of := strings.Split(os.Getenv(role), "|"); of[0] {
	case "":
		os.Exit(m.Run())
	case "write":
		fmt.Println(endless(of[1]))
	case "add":
		fmt.Println(add(of[1], of[2], of[3]))
	}
	os.Exit(1)
}

// bare is the context of the other roles.
var bare = context.Background()

// child starts the test's program in a role.
func child(t *testing.T, of ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), role+"="+strings.Join(of, "|"))
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c, bufio.NewScanner(out)
}

func open(dir string, locks *filestore.Locks) (*filestore.Dir, *zarr.Hierarchy, error) {
	d, err := filestore.OpenDir(dir, filestore.DirOptions{Locks: locks})
	if err != nil {
		return nil, nil, err
	}
	return d, zarr.New(d, writing.Codecs(), zarr.Options{}), nil
}

// arrays holds the arrays that a process writes repeatedly.
var arrays = map[string]zarr.ArraySpec{
	"v2":     {Format: 2, Shape: []int64{96, 200}, Chunks: []int64{32, 100}, DType: "<i4"},
	"plain":  {Format: 3, Shape: []int64{90, 200}, Chunks: []int64{32, 100}, DType: "int32", Codecs: []zarr.Codec{}},
	"shards": {Format: 3, Shape: []int64{96, 200}, Chunks: []int64{8, 50}, Shards: []int64{32, 100}, DType: "int32"},
}

// half is the part of every array whose write reads, changes and writes chunks: half of each chunk
// in the first row.
var half = []grid.Item{grid.Range(nil, new(int64(16)), nil)}

// endless writes all arrays, and then the half again, with growing numbers, until it is killed. It
// reports each round.
func endless(dir string) error {
	_, h, err := open(dir, nil)
	if err != nil {
		return err
	}
	all := map[string]*zarr.Array{}
	first := 0
	for name := range arrays {
		a, err := h.OpenArray(bare, name)
		if err != nil {
			return err
		}
		all[name] = a
		if n, ok := a.Metadata().Attributes.Get("round").Int64(); ok {
			first = max(first, int(n)+1)
		}
	}
	for n := first; ; n++ {
		for name, a := range all {
			err := errors.Join(a.Set(bare, nil, 2*n, zarr.WriteOptions{}), a.Set(bare, half, 2*n+1, zarr.WriteOptions{}))
			if err != nil {
				return err
			}
			if all[name], err = zarr.UpdateAttributes(bare, a, map[string]any{"round": n}); err != nil {
				return err
			}
		}
		if _, err := fmt.Println(n); err != nil {
			return err
		}
	}
}

// TestKilled repeatedly kills a process that writes arrays, at a random moment. Each chunk and
// shard is then wholly of one write, and not older than the last complete round. Metadata is of one
// round. No leftover of the process prevents others from writing.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	_, h := must.Both(open(dir, nil))(t)
	for name, spec := range arrays {
		spec.Attributes = map[string]any{"round": -1}
		must.Get(h.Create(t.Context(), name, spec))(t)
	}
	r := rand.New(rand.NewPCG(19, 11))
	mixed := 0
	for kill := range 25 {
		c, lines := child(t, "write", dir)
		last := -1
		note := func() {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the writer says %s", lines.Text())
			}
			last = n
		}
		for range 1 + r.IntN(3) {
			if !lines.Scan() {
				t.Fatal("the writer has ended")
			}
			note()
		}
		time.Sleep(time.Duration(r.IntN(8000)) * time.Microsecond) // a random moment of a round
		_ = c.Process.Kill()
		for lines.Scan() { // output from before it was killed
			note()
		}
		_ = c.Wait()
		for name := range arrays {
			mixed += look(t, dir, name, last, kill)
		}
	}
	t.Logf("%d of 75 arrays were in the middle of a write", mixed)
	if mixed == 0 {
		t.Error("no process was killed in the middle of a write")
	}
}

// look reads an array, and then changes part of each of its chunks. It returns 1 if the array mixes
// two writes.
func look(t *testing.T, dir, name string, last, kill int) (mixed int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // only for a lock that blocks
	defer cancel()
	_, h := must.Both(open(dir, nil))(t)
	a, err := h.OpenArray(ctx, name)
	if err != nil {
		t.Fatalf("kill %d: %v", kill, err)
	}
	round, _ := a.Metadata().Attributes.Get("round").Int64()
	if round != int64(last) && round != int64(last)+1 {
		t.Fatalf("kill %d, %s: the attributes are of round %d, after %d", kill, name, round, last)
	}
	counts := a.Grid.Counts()
	seen := map[int32]bool{}
	for i := range counts[0] {
		for j := range counts[1] {
			res, err := a.ReadChunk(ctx, []int64{i, j}, zarr.ReadOptions{})
			if err != nil {
				t.Fatalf("kill %d, %s: chunk %d, %d: %v", kill, name, i, j, err)
			}
			rows := int(min(32, a.Shape[0]-32*i))
			for from := 0; from < rows; from += 16 {
				to := min(from+16, rows)
				one := number(res.Data, 100*from)
				for k := 100 * from; k < 100*to; k++ {
					if number(res.Data, k) != one {
						t.Fatalf("kill %d, %s: chunk %d, %d is of %d and %d", kill, name, i, j, one, number(res.Data, k))
					}
				}
				// The two halves of a chunk in the first row are of the two writes of a round, or
				// of one.
				whole := number(res.Data, 100*16)
				if rows > 16 && i > 0 && one != whole || i == 0 && from == 0 && one != whole && one != whole+1 {
					t.Fatalf("kill %d, %s: chunk %d, %d has %d beside %d", kill, name, i, j, one, whole)
				}
				if one < int32(2*last) || one > int32(2*last+3) || one%2 == 1 && (i > 0 || from > 0) {
					t.Fatalf("kill %d, %s: chunk %d, %d has %d after round %d", kill, name, i, j, one, last)
				}
				if i > 0 || from > 0 {
					seen[one] = true
				}
			}
		}
	}
	if len(seen) > 1 {
		mixed = 1
	}
	if err := a.Set(ctx, half, 2*last+2, zarr.WriteOptions{}); err != nil {
		t.Fatalf("kill %d, %s: writing what another process was writing: %v", kill, name, err)
	}
	return mixed
}

// number returns an element of packed little-endian int32.
func number(data []byte, i int) int32 {
	b := data[4*i:]
	return int32(b[0]) | int32(b[1])<<8 | int32(b[2])<<16 | int32(b[3])<<24
}

// rounds is how often each of two writers changes the chunk.
const rounds = 500

// add sets every second element of an array's only chunk one by one, starting with the given one.
func add(dir, locks, from string) error {
	var l *filestore.Locks
	if locks != "" {
		l = filestore.NewLocks(locks)
	}
	_, h, err := open(dir, l)
	if err != nil {
		return err
	}
	a, err := h.OpenArray(bare, "a")
	if err != nil {
		return err
	}
	first, err := strconv.ParseInt(from, 10, 64)
	for i := first; i < 2*rounds && err == nil; i += 2 {
		err = a.Set(bare, []grid.Item{grid.At(i)}, i%250+1, zarr.WriteOptions{})
	}
	return err
}

// shared creates the array that two writers change.
func shared(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	_, h, err := open(dir, nil)
	if err == nil {
		_, err = h.Create(t.Context(), "a", zarr.ArraySpec{Format: 2, Shape: []int64{2 * rounds}, Chunks: []int64{2 * rounds}, DType: "|u1", Codecs: []zarr.Codec{}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// lost fails if an element differs from its writer's last value.
func lost(t *testing.T, dir string) {
	t.Helper()
	_, h := must.Both(open(dir, nil))(t)
	a := must.Get(h.OpenArray(t.Context(), "a"))(t)
	res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
	n := 0
	for i, b := range res.Data {
		if int(b) != i%250+1 {
			n++
		}
	}
	if n > 0 {
		t.Errorf("%d updates of %d are lost", n, len(res.Data))
	}
}

// TestTwoProcesses: two processes change elements of one chunk at once, and no change is lost.
func TestTwoProcesses(t *testing.T) {
	dir := shared(t)
	var both sync.WaitGroup
	for _, from := range []string{"0", "1"} {
		_, lines := child(t, "add", dir, "", from)
		both.Go(func() {
			if lines.Scan(); lines.Text() != "<nil>" {
				t.Errorf("a writer says %q", lines.Text())
			}
		})
	}
	both.Wait()
	lost(t, dir)
}

// inPython sets every second element of an array, like the other process.
const inPython = `
import sys, zarr
a = zarr.open_array(sys.argv[1], path="a", mode="r+", synchronizer=zarr.ProcessSynchronizer(sys.argv[2]))
for i in range(1, a.shape[0], 2):
    a[i] = i % 250 + 1
`

// TestZarrPythonBeside: zarr-python changes the chunk at the same time, with the locks of its
// ProcessSynchronizer.
func TestZarrPythonBeside(t *testing.T) {
	dir := shared(t)
	locks := t.TempDir()
	_, lines := child(t, "add", dir, locks, "0")
	python.Zarr(t, inPython, dir, locks)
	if lines.Scan(); lines.Text() != "<nil>" {
		t.Errorf("the writer says %q", lines.Text())
	}
	lost(t, dir)
}
