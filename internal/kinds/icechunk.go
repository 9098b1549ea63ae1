package kinds

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/icechunk"
)

// Icechunk returns the maker of Icechunk repositories. expand decompresses zstd:
//
//	{"icechunk": {"of": ..., "branch": "main", "containers": {"name": "https://example.org/"}, "tableBytes": 1e8}}
//
// A tag or a snapshot may replace the branch. Virtual chunks follow the settings of targets.
func Icechunk(expand func(ctx context.Context, src, dictionary []byte, most int64) ([]byte, error)) Maker {
	return func(m *Making, settings json.Value) (store.Locator, error) {
		of, err := m.Of(settings.Get("of"))
		if err != nil {
			return nil, err
		}
		opt := icechunk.Options{Decompress: expand, Containers: texts(settings.Get("containers"))}
		for name, to := range map[string]*string{"branch": &opt.Branch, "tag": &opt.Tag, "snapshot": &opt.Snapshot} {
			if v, ok := settings.Get(name).Text(); ok {
				*to = v
			} else if !settings.Get(name).IsNull() {
				return nil, m.Invalid(name + ": must be a string")
			}
		}
		if n, ok := settings.Get("tableBytes").Int64(); ok {
			opt.TableBytes = n
		}
		targets, err := m.TargetOptions(settings)
		if err != nil {
			return nil, err
		}
		sources := m.Targets()
		sets := share.New[struct{}, *target.Set](4)
		opt.Virtual = func(ctx context.Context, url string) (store.Location, error) {
			set, err := sets.Do(ctx, struct{}{}, func(ctx context.Context) (*target.Set, int64, error) {
				at, err := of.Locate(ctx, "repo")
				if err != nil {
					at = store.Location{} // in an archive without a location, and so without a URL
				}
				set, err := target.New(sources, of, "repo", at, targets)
				return set, 1, err
			})
			if err != nil {
				return store.Location{}, err
			}
			return set.Locate(ctx, url)
		}
		return icechunk.New(of, m.Objects(), opt)
	}
}

// texts returns the members of an object that are strings.
func texts(v json.Value) map[string]string {
	all := map[string]string{}
	for _, m := range v.Members() {
		if text, ok := m.Value.Text(); ok {
			all[m.Name] = text
		}
	}
	return all
}
