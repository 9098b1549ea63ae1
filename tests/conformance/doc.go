// Package conformance reads every golden fixture through package zarr and compares the values with
// those of the reference implementations. It holds tests only.
package conformance
