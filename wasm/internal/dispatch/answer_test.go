package dispatch

import (
	"context"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

func TestPanicIsAnsweredWithItsStack(t *testing.T) {
	var got wire.Object
	s := NewSession(Config{Post: func(msg wire.Object) { got = msg }})
	s.answer(wire.Object{wire.F("id", 1.0)}, func(context.Context) (any, error) { panic("a test") })
	e := got.Object("error")
	if e.Text("name") != "EngineError" || !strings.HasSuffix(e.Text("message"), "a test") || !strings.Contains(e.Object("cause").Text("message"), "TestPanicIsAnsweredWithItsStack") {
		t.Errorf("%v", got)
	}
}
