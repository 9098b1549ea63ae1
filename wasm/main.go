//go:build js && wasm

// Command wasm is the Go side of the npm package, compiled with GOOS=js GOARCH=wasm into zarr.wasm.
//
//	GOOS=js GOARCH=wasm go build -o zarr.wasm ./wasm
//
// It uses these functions of its global object:
//
//   - zarrReady receives, once, the function that takes messages.
//   - zarrMessage(text, ...values) receives every message that Go sends, as wire.Encode writes it.
//   - zarrLend(n) returns n bytes of reused memory.
//   - zarrRoom(id, n) returns n bytes, in the buffer of the request's bytes if that has n bytes.
//   - zarrExchange(settle) returns the sender of requests (httpstore.Exchange).
//   - zarrScatter(to, n, place) returns a buffer for n bytes of packed elements, and copies them to
//     their places. The target is to or, if that is null, JavaScript's current memory.
//
// Package wire defines the messages. This package only converts them between JavaScript's values
// and Go's.
package main

import (
	"syscall/js"

	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// version is the version in package.json, set by the build.
var version = "dev"

func main() {
	b := newBridge()
	session := newSession(dispatch.Config{
		Version: version,
		Codecs:  registry(),
		Rare:    rare(),
		Kinds:   storeKinds(),
		Limits:  codec.Limits{}.WithDefaults(),
		Memory:  b.newMemory,
		Target:  &memory{b: b, bytes: js.Null()},
		Post:    b.post,
		Crash:   crash(),
		Platform: httpstore.Platform{
			Exchange: httpstore.NewExchange(js.Global().Get("zarrExchange")),
		},
	})
	receive := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if o, ok := b.receive(args[0].String(), args[1]); ok {
			session.Receive(o)
		}
		return nil
	})
	js.Global().Get("zarrReady").Invoke(receive)
	select {}
}
