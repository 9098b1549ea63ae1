// Package zarrpython runs the rows of docs/start/migrating.md, which lists the equivalent of
// each function of zarr-python's API.
package zarrpython
