package dispatch

import (
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

func TestCrashIsNotKnownWithoutIt(t *testing.T) {
	p := newPage(t)
	for _, how := range []wire.Object{nil, {wire.F("memory", true)}, {wire.F("trap", true)}} {
		e := p.fail("crash", append(wire.Object{wire.F("why", "a test")}, how...)...)
		if e.Text("name") != "EngineError" || !strings.Contains(e.Text("message"), `unknown request "crash"`) {
			t.Errorf("%v: %v", how, e)
		}
	}
}
