//go:build !js

package filestore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// role is the environment variable that makes the test binary act as another program.
const role = "FILESTORE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "write":
		fmt.Println(endless(os.Getenv("FILESTORE_TEST_DIR")))
	case "count":
		fmt.Println(count(os.Getenv("FILESTORE_TEST_DIR"), 100))
	case "hold":
		fmt.Println(hold(os.Getenv("FILESTORE_TEST_DIR"), false))
	case "replace":
		fmt.Println(hold(os.Getenv("FILESTORE_TEST_DIR"), true))
	}
	os.Exit(1)
}

// bare is the context of the other program.
var bare = context.Background()

// child starts the test binary in a role, and returns its output.
func child(t *testing.T, does, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), role+"="+does, "FILESTORE_TEST_DIR="+dir)
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

// block is an object in which every byte identifies the version.
func block(n int) []byte {
	b := make([]byte, 200_000+n%7)
	for i := range b {
		b[i] = byte(n)
	}
	return b
}

// endless writes, deletes and lists until it is killed. It prints a line per round.
func endless(dir string) error {
	d, err := filestore.OpenDir(dir, filestore.DirOptions{})
	if err != nil {
		return err
	}
	ctx := bare
	for n := 0; ; n++ {
		err := errors.Join(d.Set(ctx, "always", block(n)), d.Set(ctx, "c/0/"+strconv.Itoa(n%3), block(n)), d.Set(ctx, "c/1/0", block(n)),
			d.Delete(ctx, "c/1/0"), d.Set(ctx, "gone/a/b", block(n)), d.DeleteAll(ctx, "gone"))
		if err != nil {
			return err
		}
		if _, err := fmt.Println(n); err != nil {
			return err
		}
	}
}

// TestKilled repeatedly kills a writing process at a random moment. Afterwards each object is of
// one version, "always" exists, and no other names are listed. A sweep removes the leftovers.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	d, err := filestore.OpenDir(dir, filestore.DirOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r := rand.New(rand.NewPCG(19, 7))
	for round := range 25 {
		c, lines := child(t, "write", dir)
		for range 1 + r.IntN(4) {
			if !lines.Scan() {
				t.Fatal("the writer has ended")
			}
			if _, err := strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(lines.Text())
			}
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond) // a moment within a round
		_ = c.Process.Kill()
		_ = c.Wait()
		found := 0
		var walk func(prefix string)
		walk = func(prefix string) {
			names := must.Get(d.List(t.Context(), prefix))(t)
			for _, name := range names {
				key := store.Join(prefix, name)
				if folder, ok := strings.CutSuffix(key, "/"); ok {
					walk(folder)
					continue
				}
				found++
				b, err := store.Get(t.Context(), d, key)
				if err != nil || len(b) < 200_000 || (len(b)-200_000)%7 != len(b)-200_000 {
					t.Fatalf("round %d: %s has %d bytes, %v", round, key, len(b), err)
				}
				for _, c := range b {
					if c != b[0] {
						t.Fatalf("round %d: %s is of more than one version", round, key)
					}
				}
			}
		}
		walk("")
		if _, err := store.Get(t.Context(), d, "always"); err != nil || found > 6 {
			t.Fatalf("round %d: %d objects, %v", round, found, err)
		}
	}
	if n, err := d.Sweep(t.Context(), "", time.Hour); n != 0 || err != nil {
		t.Errorf("%d that are younger were removed, %v", n, err)
	}
	if _, err := d.Sweep(t.Context(), "", 0); err != nil {
		t.Error(err)
	}
	err = filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), filestore.Reserved) {
			t.Errorf("%s is left", at)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := store.Get(t.Context(), d, "always"); err != nil {
		t.Errorf("after a sweep: %v", err)
	}
}

// count increments a number under a lock.
func count(dir string, times int) error {
	d, err := filestore.OpenDir(dir, filestore.DirOptions{})
	if err != nil {
		return err
	}
	for range times {
		unlock, err := d.Lock(bare, "n")
		if err != nil {
			return err
		}
		b, err := store.Get(bare, d, "n")
		n, _ := strconv.Atoi(string(b))
		if err = errors.Join(err, d.Set(bare, "n", []byte(strconv.Itoa(n+1))), unlock()); err != nil {
			return err
		}
	}
	return nil
}

// hold takes a lock, and optionally begins a replacement. It keeps them until the process is
// killed.
func hold(dir string, replaces bool) error {
	d, err := filestore.OpenDir(dir, filestore.DirOptions{})
	if err != nil {
		return err
	}
	if _, err := d.Lock(bare, "n"); err != nil {
		return err
	}
	if replaces {
		r, err := filestore.NewReplacement(bare, filepath.Join(dir, "a.zip"))
		if err != nil {
			return err
		}
		defer r.Close()
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
}

// TestLocksOfProcesses increments one number from several processes without losing an increment.
// The lock of a killed process becomes free.
func TestLocksOfProcesses(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "n"), []byte("0"), 0o666))
	const processes = 3
	holder, lines := child(t, "hold", dir)
	if !lines.Scan() || lines.Text() != "held" {
		t.Fatal(lines.Text())
	}
	var wait sync.WaitGroup
	for range processes {
		_, lines := child(t, "count", dir)
		wait.Go(func() {
			if lines.Scan(); lines.Text() != "<nil>" {
				t.Error(lines.Text())
			}
		})
	}
	if b, err := os.ReadFile(filepath.Join(dir, "n")); string(b) != "0" {
		t.Errorf("%s, %v while another one holds the lock", b, err)
	}
	_ = holder.Process.Kill()
	_ = holder.Wait()
	wait.Wait()
	if b, err := os.ReadFile(filepath.Join(dir, "n")); string(b) != strconv.Itoa(100*processes) {
		t.Errorf("counted %s, %v; want %d", b, err, 100*processes)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v are left", entries, err)
	}
}

// python holds a lock like zarr-python's ProcessSynchronizer does through fasteners: a record lock
// of the whole file.
const python = `
import fcntl, sys
f = open(sys.argv[1], "a")
try:
    fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print("busy", flush=True)
else:
    print("held", flush=True)
    sys.stdin.read()
`

// TestLocksOfPython shares locks with zarr-python.
func TestLocksOfPython(t *testing.T) {
	at, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	locks := filestore.NewLocks(filepath.Join(dir, "sync"))
	const key = "a/0.0"
	ask := func() (string, func()) {
		c := exec.Command(at, "-c", python, filepath.Join(dir, "sync", "a", "0.0"))
		in := must.Get(c.StdinPipe())(t)
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan()
		return lines.Text(), func() { _ = in.Close(); _ = c.Wait() }
	}
	unlock := must.Get(locks.Lock(t.Context(), key))(t)
	said, end := ask()
	if end(); said != "busy" {
		t.Errorf("python3 says %q of a lock that is held here", said)
	}
	must.Do(t, unlock())
	said, end = ask()
	if said != "held" {
		t.Fatalf("python3 says %q of a lock that is free", said)
	}
	got := make(chan error, 1)
	go func() {
		unlock, err := locks.Lock(t.Context(), key)
		if err == nil {
			err = unlock()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("took a lock that python3 holds: %v", err)
	case <-time.After(100 * time.Millisecond):
		end()
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}
