package document

import "testing"

// Nodes and files also use the names of version 1 and of N5.
func TestIs(t *testing.T) {
	for name, want := range map[string]bool{
		V3: true, Array: true, Group: true, Attributes: true, Consolidated: true,
		V1: false, V1Attributes: false, N5: false, "": false, "zarr.jso": false, ".z": false, "ZARR.JSON": false,
	} {
		if Is(name) != want {
			t.Errorf("%q", name)
		}
	}
}
