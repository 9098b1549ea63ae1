package hostside

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// Headers asks the FetchStore of that number for the headers of a request.
func (p *Page) Headers(ctx context.Context, number int) (map[string]string, error) {
	var ask wire.Object
	ask.AddInt(wire.AskStore, number)
	ask.AddFlag(wire.AskHeaders, true)
	a, err := p.ask(ctx, wire.AskNumber, ask)
	return a.Texts(wire.FoundHeaders), err
}

// Fetch sends a request by the FetchStore of that number.
func (p *Page) Fetch(ctx context.Context, number int, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
	var fetch, ask wire.Object
	fetch.AddText(wire.FetchMethod, r.Method)
	fetch.AddText(wire.FetchURL, r.URL)
	fetch.AddTexts(wire.FetchHeaders, r.Headers)
	fetch.AddText(wire.FetchRedirect, r.Redirect)
	fetch.AddNumbers(wire.FetchLimits, wire.Numbers(r.Limits[:]))
	if r.Cache != "" {
		fetch.AddText(wire.FetchCache, r.Cache)
	}
	if httpstore.Writes && r.Body != nil {
		fetch.AddBuffer(wire.FetchBody, r.Body)
	}
	ask.AddInt(wire.AskStore, number)
	ask.AddObject(wire.AskFetch, fetch)
	a, err := p.ask(ctx, wire.AskNumber, ask)
	if err != nil {
		return httpstore.FetchResponse{}, err
	}
	return httpstore.FetchResponse{
		Status: a.Int(wire.FoundStatus), Type: a.Text(wire.FoundType), URL: a.Text(wire.FoundURL), Headers: a.Texts(wire.FoundHeaders),
		Body: a.bytes, Large: int64(a.Int(wire.FoundLarge)), Refused: a.Text(wire.FoundRefused),
	}, nil
}

// Confirm asks whether references in the store of that number may be read from an origin.
func (p *Page) Confirm(ctx context.Context, number int, origin string) (bool, error) {
	var ask wire.Object
	ask.AddInt(wire.AskStore, number)
	ask.AddText(wire.AskConfirm, origin)
	a, err := p.ask(ctx, wire.AskNumber, ask)
	return a.Flag(wire.FoundConfirmed), err
}
