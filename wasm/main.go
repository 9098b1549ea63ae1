//go:build js && wasm

// Command wasm is the Go side of the npm package, compiled with GOOS=js
// GOARCH=wasm into zarr.wasm.
//
// It finds these functions on its global object: zarrReady, which it calls once
// with the function that takes messages; zarrMessage(text, ...values), which it calls
// with every message it sends, as wire.Encode writes it; zarrLend(n), which gives n bytes of memory that has been used
// before; zarrExchange(settle), which makes what sends requests (httpstore.Exchange); and zarrScatter(to, n, place), which makes something to copy n bytes of packed elements
// to, so that they come to their places: in to, or if that is null in JavaScript's memory of the moment. What the messages say is in package wire; here
// they are only turned from JavaScript's values into Go's and back.
package main

import (
	"syscall/js"

	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// version is set by the build to the version in package.json.
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
