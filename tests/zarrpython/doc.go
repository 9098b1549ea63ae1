// Package zarrpython runs the rows of docs/reference/zarr-python.md, which says for each function
// of zarr-python's API what it is here.
package zarrpython
