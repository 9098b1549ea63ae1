// Package modules checks the two Go modules of the repository as programs see them that depend on
// them: the library, and the command in cmd/zarr. It holds tests only.
package modules
