package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf runs the command, and returns its peak memory in bytes.
func peakOf(t *testing.T, args ...string) int {
	t.Helper()
	c := killable(t.Context(), args...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	must.Do(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	most := 0
	for {
		select {
		case err := <-ended:
			if err != nil || most == 0 {
				t.Fatalf("%v: %s", err, &said)
			}
			return most
		case <-time.After(2 * time.Millisecond):
			status, _ := os.ReadFile("/proc/" + strconv.Itoa(c.Process.Pid) + "/status")
			if m := peak.FindSubmatch(status); m != nil { // it is gone when the program ends
				kib, _ := strconv.Atoi(string(m[1]))
				most = kib << 10
			}
		}
	}
}

// TestCopyStaysInMemory copies an array of 384 MiB with other chunks in 256 MB, in a process of its
// own. Commands that work in units keep to --memory.
func TestCopyStaysInMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the most memory that a process had")
	}
	dir := t.TempDir()
	from := filepath.Join(dir, "a")
	st := must.Get(filestore.MakeDir(from, filestore.DirOptions{}))(t)
	defer st.Close()
	fast := []zarr.Codec{{Name: "blosc", Config: map[string]any{"cname": "lz4", "clevel": 1, "shuffle": 1, "blocksize": 0}}}
	a := must.Get(zarr.New(st, writing.Codecs(), zarr.Options{}).Create(t.Context(), "", zarr.ArraySpec{
		Format: 2, Shape: []int64{96, 1024, 1024}, Chunks: []int64{1, 1024, 1024}, DType: "<f4", Codecs: fast,
	}))(t)
	must.Do(t, a.Set(t.Context(), []grid.Item{grid.At(0)}, 1.5, zarr.WriteOptions{}))
	for i := 1; i < 96; i++ {
		must.Do(t, os.Link(filepath.Join(from, "0.0.0"), filepath.Join(from, strconv.Itoa(i)+".0.0")))
	}
	for i, options := range [][]string{
		{"--format", "3", "--chunks", "32,128,128", "--codecs", `[{"name":"zstd","configuration":{"level":1}}]`},
		{"--chunks", "16,1024,1024", "--codecs", "[]"},
		{"--format", "3", "--chunks", "32,64,64", "--shards", "32,512,512", "--codecs", "[]"},
	} {
		to := filepath.Join(dir, "to"+strconv.Itoa(i))
		if took := peakOf(t, append([]string{"copy", from, to}, options...)...); took > 256e6 {
			t.Errorf("%q took %d MB", options, took/1e6)
		}
		must.Do(t, os.RemoveAll(to))
	}
	for _, work := range [][]string{
		{"rechunk", "--chunks", "96,64,64"}, // in two passes
		{"rechunk", "--chunks", "2,512,512", "--format", "3", "--shards", "4,1024,1024", "--codecs", "[]"},
		{"pyramid", "--chunks", "1,256,256", "--codecs", `["zstd"]`, "--format", "3"},
	} {
		to := filepath.Join(dir, "units")
		if took := peakOf(t, append([]string{work[0], from, to, "--memory", "256MiB"}, work[1:]...)...); took > 256<<20 {
			t.Errorf("%q took %d MiB", work, took>>20)
		}
		must.Do(t, os.RemoveAll(to))
	}
}
