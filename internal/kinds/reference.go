package kinds

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/refstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore/parquet"
)

// reference creates the store of a reference document. Another build of the program reads Parquet
// directories, which have no key, and documents with gen or expressions.
func reference(m *Making, settings json.Value) (store.Locator, error) {
	return references(m, settings, nil)
}

func references(m *Making, settings json.Value, language *refstore.Language) (store.Locator, error) {
	if !settings.Get("key").Exists() {
		return nil, &Error{Kind: m.kind, Msg: "references in Parquet files are not supported", Rare: true}
	}
	of, key, err := m.Object(settings)
	if err != nil {
		return nil, err
	}
	opt, err := m.TargetOptions(settings)
	if err != nil {
		return nil, err
	}
	return refstore.New(of, key, m.Objects(), m.Targets(), refstore.Options{Targets: opt, Language: language}), nil
}

// References returns the maker of all references: JSON with gen and expressions, and without a key
// a directory of Parquet files. decompress decompresses those:
//
//	{"reference": {"of": {"http": ...}}}
func References(decompress func(ctx context.Context, compression int, stored []byte, size int64) ([]byte, error)) Maker {
	return func(m *Making, settings json.Value) (store.Locator, error) {
		if settings.Get("key").Exists() {
			return references(m, settings, refstore.Expressions())
		}
		opt, err := m.TargetOptions(settings)
		if err != nil {
			return nil, err
		}
		of, err := m.Of(settings.Get("of"))
		if err != nil {
			return nil, err
		}
		return parquet.New(of, m.Objects(), m.Targets(), parquet.Options{Decompress: decompress, Targets: opt}), nil
	}
}

// TargetOptions reads the settings for objects that a kind's documents refer to by URL:
//
//	{"target": "https://example.org/a.nc", "endpoints": {"s3://bucket/": "https://..."},
//	 "origins": ["https://..."], "host": 7}
//
// Origins may also be "same" or "any". host is the number of the store for which the page confirms
// other origins.
func (m *Making) TargetOptions(settings json.Value) (target.Options, error) {
	if m.stores.Targets == nil {
		return target.Options{}, m.Invalid("no sources are configured to read referenced objects")
	}
	var opt target.Options
	opt.Target, _ = settings.Get("target").Text()
	for _, e := range settings.Get("endpoints").Members() {
		url, ok := e.Value.Text()
		if !ok || e.Name == "" {
			return opt, m.Invalid("endpoints: must map URL prefixes to replacement strings")
		}
		if opt.Endpoints == nil {
			opt.Endpoints = map[string]string{}
		}
		opt.Endpoints[e.Name] = url
	}
	origins := settings.Get("origins")
	which, text := origins.Text()
	if !origins.IsNull() && which != "any" {
		opt.Origins = []string{}
		if origins.Kind() != json.Array && which != "same" || text && which != "same" {
			return opt, m.Invalid(`origins: "same", "any" or a list of origins`)
		}
		for _, v := range origins.Items() {
			origin, _ := v.Text()
			opt.Origins = append(opt.Origins, origin)
		}
	}
	if host, ok := settings.Get("host").Int64(); ok && m.stores.Confirm != nil {
		opt.Confirm = func(ctx context.Context, origin string) (bool, error) {
			return m.stores.Confirm(ctx, int(host), origin)
		}
	}
	return opt, nil
}
