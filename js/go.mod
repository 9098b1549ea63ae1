// A module without packages, which keeps the npm package's sources out of the library's module zip.
module github.com/zarr-wasm/zarr-wasm/js

go 1.26
