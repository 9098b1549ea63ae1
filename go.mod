module zarr-wasm

go 1.26
