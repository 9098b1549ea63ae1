// A module without packages, which keeps these pictures out of the library's module zip.
module github.com/zarr-wasm/zarr-wasm/tests/browser/pictures

go 1.26
