// Package conformance reads every golden fixture through package zarr and
// compares what comes out with what the reference implementations wrote.
// It holds tests only.
package conformance
