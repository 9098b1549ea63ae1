// Package edgecases has a test for each of 88 cases, by number, that are known to have broken
// readers of Zarr. The tests read small handmade stores through the public API.
package edgecases
