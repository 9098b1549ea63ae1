package dispatch

import (
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// A member whose codec only another build has is no damaged one: the page opens it with that build.
func TestErrorsOfMembersSayWhetherAnotherBuildHasTheCodec(t *testing.T) {
	p := newPage(t)
	p.start(codecs.Default())
	array := func(codec string) string {
		return `{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<f4","fill_value":0,"order":"C","compressor":null,"filters":[{"id":"` + codec + `"}]}`
	}
	p.get = func(key string, _ []int) ([]byte, string) {
		if key == ".zmetadata" {
			return []byte(`{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"rare/.zarray":` + array("grib") + `,"unknown/.zarray":` + array("none") + `}}`), ""
		}
		return nil, ""
	}
	p.ask("store", host(1)...)
	text, _ := wire.Encode(wire.Object{wire.F("value", p.ask("members", at(1, "")...))})
	first, second, found := strings.Cut(text, `{"name":"unknown",`)
	if !found || !strings.Contains(first, `"rare":true`) || !strings.Contains(second, `"error":`) || strings.Contains(second, `"rare":true`) {
		t.Error(text)
	}
}
