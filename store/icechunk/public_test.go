package icechunk_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/icechunk"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// containers holds the part of containers.json that the tests use: repositories written by
// Icechunk's own library.
type containers struct {
	Cases []struct {
		ID             string
		Store          string
		Kind           string `json:"store_kind"`
		Ref            struct{ Branch, Tag, Snapshot string }
		Snapshot       string
		Array          string
		Shape          []int64
		VirtualObjects map[string]struct{ Hex string }       `json:"virtual_objects"`
		ChunkRefs      struct{ Native, Inline, Virtual int } `json:"chunk_refs"`
		Expected       struct {
			SHA256 string
			NBytes int `json:"nbytes"`
		}
		Selections []struct {
			Sel    []any
			Values []any
		}
	}
	Repositories []struct {
		ID             string
		Store          string
		Layout         string
		Branches, Tags map[string]string
		DeletedTags    []string `json:"deleted_tags"`
		History        map[string][]string
		Snapshots      map[string]struct {
			Message string
			Nodes   []string
		}
	}
}

func public(t testing.TB) (dir string, c containers) {
	t.Helper()
	dir = filepath.Join(fixtures.Dir(t), "public")
	data, err := os.ReadFile(filepath.Join(dir, "containers.json"))
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, c
}

// expand is the decompressor of the stores under test.
func expand(_ context.Context, src, dictionary []byte, most int64) ([]byte, error) {
	return new(zstd.Decoder).Expand(src, dictionary, most)
}

// open returns the store of a repository in another store.
func open(t testing.TB, of store.Locator, opt icechunk.Options) *icechunk.Store {
	t.Helper()
	opt.Decompress = expand
	return must.Get(icechunk.New(of, object.NewLayer(64<<20), opt))(t)
}

// files returns the store of a directory.
func files(dir ...string) store.Locator {
	return store.Plain(filestore.New(os.DirFS(filepath.Join(dir...))))
}

// elsewhere locates virtual chunks in objects in memory.
func elsewhere(objects map[string]struct{ Hex string }) func(context.Context, string) (store.Location, error) {
	files := map[string][]byte{}
	for url, o := range objects {
		data, err := hex.DecodeString(o.Hex)
		if err != nil {
			panic(err)
		}
		files[strings.ReplaceAll(url, "//", "/")] = data
	}
	source := memstore.New(files)
	return func(_ context.Context, url string) (store.Location, error) {
		return store.At(source, strings.ReplaceAll(url, "//", "/")), nil
	}
}

func item(t *testing.T, v any) grid.Item {
	switch v := v.(type) {
	case nil:
		return grid.All()
	case float64:
		return grid.At(int64(v))
	case map[string]any:
		whole := func(v any) *int64 {
			if v == nil {
				return nil
			}
			n := int64(v.(float64))
			return &n
		}
		return grid.Range(whole(v["start"]), whole(v["stop"]), whole(v["step"]))
	}
	t.Fatalf("selection %v", v)
	return grid.All()
}

// numbers converts elements to the form of containers.json.
func numbers(t *testing.T, name string, data []byte) []any {
	var all []any
	for len(data) > 0 {
		var v float64
		switch name {
		case "int8":
			v, data = float64(int8(data[0])), data[1:]
		case "int32":
			v, data = float64(int32(binary.LittleEndian.Uint32(data))), data[4:]
		case "float32":
			v, data = float64(math.Float32frombits(binary.LittleEndian.Uint32(data))), data[4:]
		default:
			t.Fatalf("elements of the type %s", name)
		}
		if all = append(all, v); v != v {
			all[len(all)-1] = "NaN"
		}
	}
	return all
}

func TestPublicCases(t *testing.T) {
	dir, all := public(t)
	n := 0
	for _, c := range all.Cases {
		if c.Kind != "icechunk" {
			continue
		}
		n++
		t.Run(c.ID, func(t *testing.T) {
			opt := icechunk.Options{Branch: c.Ref.Branch, Tag: c.Ref.Tag, Snapshot: c.Ref.Snapshot, Virtual: elsewhere(c.VirtualObjects)}
			s := open(t, files(dir, c.Store), opt)
			a := must.Get(zarr.Over(s, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), c.Array))(t)
			if info, err := s.Info(t.Context()); err != nil || info.Snapshot != c.Snapshot {
				t.Errorf("snapshot %+v, %v; want %s", info, err, c.Snapshot)
			}
			if !slices.Equal(a.Shape, c.Shape) {
				t.Errorf("shape %v, want %v", a.Shape, c.Shape)
			}
			res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
			if sum := sha256.Sum256(res.Data); len(res.Data) != c.Expected.NBytes || hex.EncodeToString(sum[:]) != c.Expected.SHA256 {
				t.Errorf("%d other bytes: % x", len(res.Data), res.Data[:min(len(res.Data), 40)])
			}
			for _, sel := range c.Selections {
				items := make([]grid.Item, len(sel.Sel))
				for i, v := range sel.Sel {
					items[i] = item(t, v)
				}
				part := must.Get(a.Read(t.Context(), items, zarr.ReadOptions{}))(t)
				if got := numbers(t, a.DType().Name, part.Data); fmt.Sprint(got...) != fmt.Sprint(sel.Values...) {
					t.Errorf("selection %v: %v, want %v", sel.Sel, got, sel.Values)
				}
			}
			stored, err := a.StoredChunks(t.Context())
			if want := c.ChunkRefs.Native + c.ChunkRefs.Inline + c.ChunkRefs.Virtual; err != nil || stored != int64(want) {
				t.Errorf("%d chunks are listed, %v; want %d", stored, err, want)
			}
			if c.ChunkRefs.Virtual > 0 {
				s := open(t, files(dir, c.Store), icechunk.Options{
					Branch: c.Ref.Branch, Tag: c.Ref.Tag, Snapshot: c.Ref.Snapshot, Virtual: elsewhere(nil),
				})
				a := must.Get(zarr.Over(s, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), c.Array))(t)
				if res, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); err == nil || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("without the virtual object: %v, %v", res, err)
				}
			}
		})
	}
	if n != 58 {
		t.Errorf("%d cases, want 58", n)
	}
}

// nodes returns the paths of all nodes of a hierarchy, in the form of containers.json.
func nodes(ctx context.Context, g *zarr.Group, path string, all []string) ([]string, error) {
	members, err := g.Members(ctx)
	for _, m := range members {
		at := path + "/" + m.Name
		switch node := m.Node.(type) {
		case *zarr.Array:
			all = append(all, at)
		case *zarr.Group:
			if all, err = nodes(ctx, node, at, append(all, at+" (group)")); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("%s: %s, %w", at, m.Kind, m.Err)
		}
	}
	return all, err
}

// unlisted is a store with a List method on a server that cannot list.
type unlisted struct{ store.Locator }

func (unlisted) List(context.Context, string) ([]string, error) { return nil, errors.ErrUnsupported }
func (unlisted) ListsAll() bool                                 { return false }

// Without a list of files, a version 1 repository shows only the requested branch or tag.
func TestUnlistedRepositories(t *testing.T) {
	dir, all := public(t)
	for _, r := range all.Repositories {
		info, err := open(t, unlisted{files(dir, r.Store)}, icechunk.Options{}).Info(t.Context())
		if err != nil || info.Snapshot != r.Branches["main"] || (info.Branches == nil) != (r.Layout == "v1") || (info.Tags == nil) != (r.Layout == "v1") {
			t.Errorf("%s: %+v, %v", r.ID, info, err)
		}
	}
}

func TestPublicRepositories(t *testing.T) {
	dir, all := public(t)
	if len(all.Repositories) != 5 {
		t.Fatalf("%d repositories, want 5", len(all.Repositories))
	}
	for _, r := range all.Repositories {
		t.Run(r.ID, func(t *testing.T) {
			of := files(dir, r.Store)
			info := must.Get(open(t, of, icechunk.Options{}).Info(t.Context()))(t)
			if fmt.Sprint("v", info.Version) != r.Layout || info.Branch != "main" || info.Status != "online" {
				t.Errorf("%+v, want %s", info, r.Layout)
			}
			slices.Sort(info.DeletedTags)
			if !maps.Equal(info.Branches, r.Branches) || !maps.Equal(info.Tags, r.Tags) || !slices.Equal(info.DeletedTags, r.DeletedTags) {
				t.Errorf("branches %v, tags %v, deleted %v; want %v, %v, %v", info.Branches, info.Tags, info.DeletedTags, r.Branches, r.Tags, r.DeletedTags)
			}
			for ref, want := range r.History {
				kind, name, _ := strings.Cut(ref, ":")
				opt := icechunk.Options{Branch: name}
				if kind == "tag" {
					opt = icechunk.Options{Tag: name}
				}
				s := open(t, of, opt)
				commits, err := s.History(t.Context(), 0)
				var got []string
				for i, c := range commits {
					if got = append(got, c.Message); i > 0 && c.Time.After(commits[i-1].Time) || c.Time.Year() < 2024 {
						t.Errorf("%s: %+v after %+v", ref, c, commits[max(i-1, 0)])
					}
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %q, %v; want %q", ref, got, err, want)
				}
				if some, err := s.History(t.Context(), 2); err != nil || !slices.Equal(some, commits[:2]) {
					t.Errorf("%s, two of it: %v, %v", ref, some, err)
				}
			}
			for x, want := range r.Snapshots {
				s := open(t, of, icechunk.Options{Snapshot: x})
				info, err := s.Info(t.Context())
				if err != nil || info.Message != want.Message || info.Branch != "" {
					t.Errorf("%s: %+v, %v; want %q", x, info, err, want.Message)
				}
				root, err := zarr.Over(s, codecs.Default(), zarr.Options{}).OpenGroup(t.Context(), "")
				if len(want.Nodes) == 0 {
					var missing *zarr.NotFoundError
					if !errors.As(err, &missing) {
						t.Errorf("%s, which has no nodes: %v", x, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got, err := nodes(t.Context(), root, "", []string{"/ (group)"})
				if err != nil || !slices.Equal(got, want.Nodes) {
					t.Errorf("%s: %q, %v; want %q", x, got, err, want.Nodes)
				}
			}
			if _, err := open(t, of, icechunk.Options{Tag: "deleted"}).Info(t.Context()); len(r.DeletedTags) > 0 && (err == nil || !strings.Contains(err.Error(), "has been deleted")) {
				t.Errorf("a deleted tag: %v", err)
			}
		})
	}
}
