// Package edgecases has one test for each of the 88 cases that are known to have
// broken readers of Zarr, by number: small stores made by hand, read through
// the public API. It holds tests only.
package edgecases
