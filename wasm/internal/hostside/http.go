package hostside

import (
	"context"

	"zarr-wasm/store/httpstore"
	"zarr-wasm/wasm/internal/wire"
)

// Headers asks the FetchStore of that number for the headers of a request.
func (p *Page) Headers(ctx context.Context, number int) (map[string]string, error) {
	a, err := p.ask(ctx, wire.Object{wire.F("store", float64(number)), wire.F("headers", true)})
	return a.Texts("headers"), err
}

// Fetch has the FetchStore of that number send a request.
func (p *Page) Fetch(ctx context.Context, number int, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
	var headers, fetch wire.Object
	for name, value := range r.Headers {
		headers.AddText(name, value)
	}
	fetch.AddText("method", r.Method)
	fetch.AddText("url", r.URL)
	fetch.Add("headers", headers)
	fetch.AddText("redirect", r.Redirect)
	fetch.Add("limits", wire.Numbers(r.Limits[:]))
	if r.Cache != "" {
		fetch.AddText("cache", r.Cache)
	}
	a, err := p.ask(ctx, wire.Object{wire.F("store", float64(number)), wire.F("fetch", fetch)})
	if err != nil {
		return httpstore.FetchResponse{}, err
	}
	return httpstore.FetchResponse{
		Status: a.Int("status"), Type: a.Text("type"), Headers: a.Texts("headers"),
		Body: a.bytes, Large: int64(a.Int("large")), Refused: a.Text("refused"),
	}, nil
}

// Confirm asks for the store of that number whether what it refers to may be read from an origin.
func (p *Page) Confirm(ctx context.Context, number int, origin string) (bool, error) {
	a, err := p.ask(ctx, wire.Object{wire.F("store", float64(number)), wire.F("confirm", origin)})
	return a.Flag("confirmed"), err
}
