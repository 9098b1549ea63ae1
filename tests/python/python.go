// Package python runs Python programs with other implementations: zarr-python reads arrays written
// here, and h5py and others write the files that package zarr/prepare indexes.
package python

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// Zarr runs a program with zarr-python 2, and returns its output. It skips the test unless
// zarr-python is installed (./build.sh setup installs Debian's python3-zarr).
func Zarr(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	return run(t, "zarr-python 2", "import zarr; assert zarr.__version__.startswith('2.')", program, args...)
}

// Files runs a program with the packages that write files of other formats: h5py with plugins of
// HDF5, netCDF4, rasterio and tifffile. It skips the test unless they are installed, as Zarr does.
func Files(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	return run(t, "h5py, netCDF4, numcodecs, rasterio, tifffile, or a plugin of HDF5", "import h5py, netCDF4, numcodecs, rasterio, tifffile\nassert all(map(h5py.h5z.filter_avail, (32004, 32008)))", program, args...)
}

// Messages runs a program with ecCodes, which writes files of GRIB. It skips the test unless it is
// installed, as Zarr does.
func Messages(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	return run(t, "ecCodes", "import eccodes, numpy", program, args...)
}

// run runs a program with a python3 that passes a test.
func run(t testing.TB, what, test, program string, args ...string) []byte {
	t.Helper()
	at := find(test)
	if at == "" {
		t.Skip(what + " is not installed: ./build.sh setup does it where there is apt-get, or set PYTHON to a python3 that has it")
	}
	c := exec.CommandContext(t.Context(), at, append([]string{"-c", program}, args...)...)
	c.Dir = t.TempDir() // a folder zarr in the working directory would shadow the package
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	return out.Bytes()
}

// find returns a python3 that passes a test, or "".
func find(test string) string {
	for _, at := range []string{os.Getenv("PYTHON"), "python3", "/usr/bin/python3"} {
		if at == "" {
			continue
		}
		c := exec.Command(at, "-c", test)
		c.Dir = os.TempDir()
		if c.Run() == nil {
			return at
		}
	}
	return ""
}
