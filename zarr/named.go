package zarr

import (
	"context"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

const (
	// naming lists attributes with names of members, or with lists of objects whose paths are
	// names.
	naming = "multiscales/datasets labels plate/wells well/images column-order _index"
	// maxSeries limits the image series to probe if their number is unknown.
	maxSeries = 10_000
)

// pointedTo returns the existing members that the group's attributes name, by the conventions of
// OME-Zarr, bioformats2raw and AnnData.
func (g *Group) pointedTo(ctx context.Context) (members []Member, err error) {
	seen := map[string]bool{}
	// look opens nodes of these names, and reports whether all exist.
	look := func(how string, names []string) bool {
		var fresh []string
		for _, name := range names {
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "./"), "/")
			if name != "" && name != "." && name != ".." && !seen[name] {
				seen[name] = true
				fresh = append(fresh, name)
			}
		}
		var more []Member
		if err == nil {
			more, err = g.open(ctx, fresh, how, false)
			members = append(members, more...)
		}
		return err == nil && len(more) == len(fresh)
	}
	var probed []string
	attributes := g.meta.Attributes
	series := false
	for _, v := range []json.Value{attributes, attributes.Get("ome")} {
		for _, path := range strings.Split(naming, " ") {
			look(Named, texts(v, path))
		}
		if v.Get("multiscales").Exists() {
			probed = append(probed, "labels")
		}
		series = series || v.Get("bioformats2raw.layout").Exists()
	}
	if kind, _ := attributes.Get("encoding-type").Text(); kind == "anndata" {
		probed = strings.Split("X layers obs obsm obsp raw uns var varm varp", " ")
	}
	look(Probed, probed)
	if series && look(Probed, []string{"OME"}) && len(members) > 0 {
		if n := members[len(members)-1].Node; n != nil {
			names := append(texts(n.Metadata().Attributes, "series"), texts(n.Metadata().Attributes, "ome/series")...)
			look(Named, names)
			series = len(names) == 0
		}
	}
	for i := 0; series && i < maxSeries; i += 8 {
		var batch []string
		for j := range 8 {
			batch = append(batch, strconv.Itoa(i+j))
		}
		series = look(Probed, batch)
	}
	return members, err
}

// texts returns the texts at a path, or the paths of objects there. It descends into all lists on
// the way.
func texts(v json.Value, path string) (all []string) {
	for _, one := range v.Items() {
		all = append(all, texts(one, path)...)
	}
	if path != "" {
		name, rest, _ := strings.Cut(path, "/")
		if v = v.Get(name); v.Exists() {
			all = append(all, texts(v, rest)...)
		}
		return all
	}
	text, ok := v.Text()
	if !ok {
		text, ok = v.Get("path").Text()
	}
	if ok {
		all = append(all, text)
	}
	return all
}
