module github.com/zarr-wasm/zarr-wasm/cmd/zarr

go 1.26

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/urfave/cli/v3 v3.14.0
	github.com/zarr-wasm/zarr-wasm v0.1.0
	golang.org/x/term v0.44.0
	golang.org/x/text v0.14.0
)

require (
	github.com/andybalholm/brotli v1.2.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/ulikunitz/xz v0.5.17 // indirect
	golang.org/x/sys v0.46.0 // indirect
)
