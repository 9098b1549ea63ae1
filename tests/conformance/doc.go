// Package conformance reads every golden fixture through package zarr and
// compares what comes out with what the reference implementations wrote.
// It holds tests only; what cannot be read yet stands in pending.txt.
package conformance
