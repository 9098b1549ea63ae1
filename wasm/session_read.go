//go:build js && wasm && !write

package main

import "github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"

func newSession(c dispatch.Config) *dispatch.Session { return dispatch.NewSession(c) }
