package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// leftovers counts the files and folders below a directory whose names begin with a reserved
// prefix.
func leftovers(t *testing.T, dir, reserved string) (n int) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), reserved) {
			n++
		}
		if errors.Is(err, fs.ErrNotExist) { // a running copy has removed it
			return nil
		}
		return err
	}))
	return n
}

// killedCopies repeatedly kills copies at a random moment after a temporary file appears. It
// returns how many left something.
func killedCopies(t *testing.T, from, to, dir string, times int) (left int) {
	t.Helper()
	r := rand.New(rand.NewPCG(23, 9))
	for range times {
		c := killable(t.Context(), "copy", from, to, "--if-exists", "replace", "--codecs", "[]")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for running := true; running && leftovers(t, dir, filestore.Reserved) == 0; {
			select {
			case err := <-ended:
				running, ended = false, nil
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(time.Millisecond):
			}
		}
		if ended != nil {
			select {
			case <-ended:
			case <-time.After(time.Duration(r.IntN(30)) * time.Millisecond):
				_ = c.Process.Kill()
				<-ended
			}
		}
		if leftovers(t, dir, filestore.Reserved) > 0 {
			left++
		}
	}
	return left
}

// Copies into one place are killed at random moments. Each removes the leftovers of the previous
// ones, so nothing accumulates. A completed copy, or a sweep, leaves none.
func TestWhatKilledCopiesLeaveIsSwept(t *testing.T) {
	source := filepath.Join(t.TempDir(), "source.zarr")
	d := must.Get(filestore.MakeDir(source, filestore.DirOptions{}))(t)
	h := zarr.New(d, writing.Codecs(), zarr.Options{})
	// Chunks of 4 MiB: most of a copy's time is spent on writing their temporary files.
	spec := zarr.ArraySpec{Shape: []int64{16 << 20}, Chunks: []int64{4 << 20}, DType: "uint8", Codecs: []zarr.Codec{}}
	for i := range 4 {
		a, err := h.Create(t.Context(), fmt.Sprintf("a%d", i), spec)
		if err == nil {
			err = a.Set(t.Context(), nil, i+1, zarr.WriteOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"copy.zarr", "copy.zip"} {
		dir := t.TempDir()
		to := filepath.Join(dir, name)
		left := killedCopies(t, source, to, dir, 20)
		t.Logf("%s: %d of 20 copies that were killed left something", name, left)
		if left == 0 {
			t.Errorf("%s: no copy was killed while it wrote", name)
		}
		// A copy has at most one temporary file per worker: only the last copy's are left.
		if n := leftovers(t, dir, filestore.Reserved); n > 64 {
			t.Errorf("%s: %d files have accumulated", name, n)
		}
		output(t, "copy", source, to, "--if-exists", "replace")
		if n := leftovers(t, dir, filestore.Reserved); n > 0 {
			t.Errorf("%s: a copy has left %d files of those before", name, n)
		}
		for i := range 4 {
			if got := output(t, "cat", to, fmt.Sprintf("a%d", i), "--at", "::4194304", "--as", "csv"); strings.Count(got, fmt.Sprint(i+1)) != 4 {
				t.Errorf("%s: a%d: %s", name, i, got)
			}
		}

		const temporary = filestore.Reserved + "partial-"
		for tries := 0; leftovers(t, dir, temporary) == 0 && tries < 50; tries++ {
			killedCopies(t, source, to, dir, 1)
		}
		before := leftovers(t, dir, temporary)
		if out := output(t, "sweep", to, "--age", "1h"); leftovers(t, dir, temporary) != before || before == 0 {
			t.Errorf("%s: of %d files that are young %d are left: %s", name, before, leftovers(t, dir, temporary), out)
		}
		if out := output(t, "sweep", to); strings.HasPrefix(out, "0 ") || leftovers(t, dir, filestore.Reserved) > 0 {
			t.Errorf("%s: %s", name, out)
		}
		if out := output(t, "sweep", to); !strings.HasPrefix(out, "0 ") {
			t.Errorf("%s: swept twice: %s", name, out)
		}
	}
}

func TestSweepOfWhatCannotBeSwept(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	for _, c := range []struct {
		args   []string
		status int
	}{
		{nil, misused},
		{[]string{dir, "a", "b"}, misused},
		{[]string{"http://127.0.0.1/x"}, misused},
		{[]string{dir + "|zip:"}, misused},
		{[]string{filepath.Join(dir, "nothing")}, absent},
		{[]string{filepath.Join(dir, "nothing", "a.zip")}, absent},
		{[]string{filepath.Join(dir, "file")}, failed},
		{[]string{dir, "../x"}, failed},
		{[]string{dir, "a/b"}, done}, // a deleted node may have left something
		{[]string{filepath.Join(dir, "a.zip")}, done},
	} {
		if r := zarrs(t, append([]string{"sweep"}, c.args...)...); r.status != c.status {
			t.Errorf("%q: status %d, %s", c.args, r.status, r.errs)
		}
	}
}
