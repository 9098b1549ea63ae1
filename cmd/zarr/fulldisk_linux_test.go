package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// smallDisk mounts a file system of a number of bytes, and returns its folder and a function that
// changes its size.
func smallDisk(t *testing.T, size int) (string, func(size int)) {
	t.Helper()
	dir := t.TempDir()
	mount := func(size int, flags uintptr) error {
		return syscall.Mount("tmpfs", dir, "tmpfs", flags, fmt.Sprintf("size=%d", size))
	}
	if err := mount(size, 0); err != nil {
		t.Skip("no file system can be mounted, which takes root: ", err)
	}
	t.Cleanup(func() {
		// The reader closes its last files in the background, so the mount may be busy for a moment.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir, func(size int) {
		must.Do(t, mount(size, syscall.MS_REMOUNT))
	}
}

// files returns the contents of the files below a folder by their paths in it.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		all[name], err = os.ReadFile(path)
		return err
	}))
	return all
}

// TestFullDiskKeepsWholeObjectsAndCopyGoesOn copies to disks of every size up to the necessary one.
// The command names the cause, each stored object is whole, and no temporary file is left. With
// more space, a copy that skips existing objects completes.
func TestFullDiskKeepsWholeObjectsAndCopyGoesOn(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	whole := filepath.Join(t.TempDir(), "whole")
	output(t, "copy", climate, whole)
	want := files(t, whole)
	const page = 4096
	full := 0
	for size := 2 * page; ; size += 3 * page {
		disk, resize := smallDisk(t, size)
		to := filepath.Join(disk, "a.zarr")
		r := zarrs(t, "copy", climate, to)
		for name, got := range files(t, disk) {
			name = strings.TrimPrefix(name, "a.zarr/")
			if expected, ok := want[name]; !ok || !bytes.Equal(got, expected) {
				t.Errorf("%d bytes: %s has %d bytes, not %d", size, name, len(got), len(expected))
			}
		}
		if r.status == done {
			break
		}
		full++
		if !strings.Contains(r.errs, "no space left on device") {
			t.Errorf("%d bytes: status %d: %s", size, r.status, r.errs)
		}
		resize(1 << 20)
		output(t, "copy", climate, to, "--if-exists", "skip")
		alike(t, climate, to)
		if t.Failed() {
			return
		}
	}
	if full < 8 {
		t.Errorf("only %d disks were full", full)
	}
}

// TestFullDiskLeavesNoPartOfAnArchive copies to an archive that the disk cannot hold.
func TestFullDiskLeavesNoPartOfAnArchive(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	disk, _ := smallDisk(t, 32<<10)
	r := zarrs(t, "copy", climate, filepath.Join(disk, "a.zip"))
	if r.status == done || !strings.Contains(r.errs, "no space left on device") {
		t.Errorf("status %d: %s", r.status, r.errs)
	}
	if left := files(t, disk); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// TestFullDiskKeepsTheOldMetadata migrates and consolidates on disks of every size that holds the
// data. A failed command leaves the hierarchy readable, and succeeds with more space.
func TestFullDiskKeepsTheOldMetadata(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v2.zarr")
	for _, command := range [][]string{{"migrate"}, {"consolidate"}} {
		full := 0
		for spare := 0; ; spare++ {
			disk, resize := smallDisk(t, 4<<20)
			to := filepath.Join(disk, "a.zarr")
			output(t, "copy", climate, to)
			var st syscall.Statfs_t
			must.Do(t, syscall.Statfs(disk, &st))
			resize(int(int64(st.Blocks-st.Bfree)*st.Bsize) + spare*4096)
			args := append(append([]string{}, command...), to)
			r := zarrs(t, args...)
			alike(t, climate, to)
			if r.status == done {
				break
			}
			full++
			if !strings.Contains(r.errs, "no space left on device") {
				t.Errorf("%v with %d pages: status %d: %s", command, spare, r.status, r.errs)
			}
			resize(4 << 20)
			output(t, args...)
			alike(t, climate, to)
			if t.Failed() {
				return
			}
		}
		if full == 0 {
			t.Errorf("%v: no disk was full", command)
		}
	}
}
