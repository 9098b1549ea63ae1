// Package python runs programs with zarr-python, to test that it reads arrays written here.
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
	at := find()
	if at == "" {
		t.Skip("zarr-python 2 is not installed: ./build.sh setup does it where there is apt-get, or set PYTHON to a python3 that has it")
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

// find returns a python3 that has zarr-python 2, or "".
func find() string {
	for _, at := range []string{os.Getenv("PYTHON"), "python3", "/usr/bin/python3"} {
		if at == "" {
			continue
		}
		c := exec.Command(at, "-c", "import zarr; assert zarr.__version__.startswith('2.')")
		c.Dir = os.TempDir()
		if c.Run() == nil {
			return at
		}
	}
	return ""
}
