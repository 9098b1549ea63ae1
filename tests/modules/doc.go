// Package modules checks the repository's two Go modules from the view of dependent programs: the
// library, and the command in cmd/zarr. It holds tests only.
package modules
