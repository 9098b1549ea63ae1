package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"

	own "github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// description is a store as package kinds describes it.
type description = map[string]any

// address is a store and the path of a node in it.
type address struct {
	store description
	path  string
}

// container matches a name that ends as an archive or a document of references does, and what lies inside of it.
var container = regexp.MustCompile(`(?i)^(.*\.(zip|ozx|json|parq|parquet))(?:/(.*))?$`)

// step matches the beginning of a step of a pipeline, behind its bar.
var step = regexp.MustCompile(`^(\w+):(.*)$`)

// locate reads an address: a path or a URL, and a step for each container in it, as in "a.zip|zip:inside|zarr3:". Where
// there are no steps, an archive and a document of references are told by the endings of their names.
func locate(text string) (address, error) {
	first, steps := text, []string(nil)
	if parts := strings.Split(text, "|"); len(parts) > 1 {
		first, steps = parts[0], parts[1:]
	}
	if len(steps) == 0 {
		if m := container.FindStringSubmatch(withoutQuery(first)); m != nil && !directory(first) && !strings.HasSuffix(m[1], meta.DocumentV3) {
			kind := "reference"
			if ending := strings.ToLower(m[2]); ending == "zip" || ending == "ozx" {
				kind = "zip"
			}
			first, steps = m[1]+query(first), []string{kind + ":" + m[3]}
		}
	}
	at := address{}
	for i, s := range steps {
		m := step.FindStringSubmatch(s)
		if m == nil {
			return at, usageError{fmt.Errorf("%q: a step is KIND:PATH, as in zip:inside", s)}
		}
		kind, inside := m[1], strings.Trim(m[2], "/")
		if i == 0 {
			var err error
			if at, err = base(first, kind); err != nil {
				return at, err
			}
		}
		switch kind {
		case "zarr", "zarr2", "zarr3":
			at.path = strings.Trim(at.path+"/"+inside, "/")
			continue
		case "zip", "reference":
			settings := description{"of": at.store}
			if at.path != "" {
				settings["key"] = at.path
			}
			at.store = description{kind: settings}
		case "icechunk", "n5":
			of := at.store
			if at.path != "" {
				of = description{"prefix": description{"of": of, "path": at.path}}
			}
			settings := description{"of": of}
			if kind == "icechunk" && strings.HasPrefix(inside, "@") {
				ref, rest, _ := strings.Cut(inside[1:], "/")
				inside = rest
				if name, ok := strings.CutPrefix(ref, "branch."); ok {
					settings["branch"] = name
				} else if name, ok := strings.CutPrefix(ref, "tag."); ok {
					settings["tag"] = name
				} else {
					settings["snapshot"] = ref
				}
			}
			at.store = description{kind: settings}
		default:
			return at, usageError{fmt.Errorf("%q: there is no kind of container %q", text, kind)}
		}
		at.path = inside
	}
	if len(steps) == 0 {
		return base(first, "")
	}
	return at, nil
}

// base returns the store of the first part of an address: for a container that is one object, the folder that it is in.
func base(text, kind string) (address, error) {
	object := kind == "zip" || kind == "reference" && !strings.HasSuffix(withoutQuery(text), "/") && !parquet(text)
	if !remote(text) {
		if strings.Contains(text, "://") {
			return address{}, usageError{fmt.Errorf("%q: of URLs there are http and https", text)}
		}
		dir, key := text, ""
		if object {
			dir, key = filepath.Split(text)
		}
		return address{description{"file": description{"path": dir}}, key}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return address{}, usageError{err}
	}
	key := ""
	if object {
		i := strings.LastIndex(u.Path, "/")
		key = u.Path[i+1:]
		u.Path, u.RawPath = u.Path[:i+1], ""
	}
	return address{description{"http": description{"url": u.String()}}, key}, nil
}

func remote(text string) bool {
	lower := strings.ToLower(text)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// directory tells whether a path is that of a folder, whatever the ending of its name.
func directory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// parquet tells whether an address is that of a folder of references in Parquet files.
func parquet(text string) bool {
	ending := strings.ToLower(filepath.Ext(withoutQuery(text)))
	return ending == ".parq" || ending == ".parquet"
}

func query(text string) string { return text[len(withoutQuery(text)):] }

// withoutQuery cuts off what stands behind the path of a URL.
func withoutQuery(text string) string {
	if !remote(text) {
		return text
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		return text[:i]
	}
	return text
}

// source is an open hierarchy.
type source struct {
	*zarr.Hierarchy
	// Path is that of the node that the address names.
	Path string
	// Text is the address as it was given, and with its containers.
	Text string
}

// open opens what the arguments of a command name, ADDRESS [NODE]. Where there is a container that the address does
// not name, that is opened.
func open(ctx context.Context, c *cli.Command, args []string, cache zarr.CacheOptions) (*source, zarr.Node, error) {
	headers, err := headersOf(c, "header")
	if err != nil {
		return nil, nil, err
	}
	if len(args) < 1 || len(args) > 2 || args[0] == "" {
		return nil, nil, usageError{errors.New("an address is expected, and the path of a node in it")}
	}
	text, inside := args[0], ""
	if len(args) > 1 {
		inside = strings.Trim(args[1], "/")
	}
	for {
		s, err := connect(text, headers, cache)
		if err != nil {
			return nil, nil, err
		}
		s.Path = strings.Trim(s.Path+"/"+inside, "/")
		n, err := s.Open(ctx, s.Path, zarr.OpenOptions{})
		var other *zarr.UnsupportedError
		if !errors.As(err, &other) || other.Container == "" || strings.Contains(text, "|") {
			return s, n, err
		}
		kind := strings.Replace(other.Container, "parquet", "reference", 1)
		if kind == "reference" && !parquet(text) && other.Container == "parquet" {
			text += "/"
		}
		text += "|" + kind + ":"
	}
}

// connect makes the hierarchy at an address, of which requests have these headers. Nothing is read yet.
func connect(text string, headers map[string]string, cache zarr.CacheOptions) (*source, error) {
	at, err := locate(text)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(at.store)
	if err != nil {
		return nil, err
	}
	caches := zarr.NewCaches(cache)
	registry := codecs.Full()
	all := kinds.Composites()
	all["zip"] = kinds.Zip(codecs.UnzipFull(registry))
	all["icechunk"] = kinds.Icechunk(codecs.Expand())
	all["n5"] = kinds.N5
	all["reference"] = kinds.References(codecs.Parquet(registry))
	all["http"] = func(_ *kinds.Making, settings own.Value) (store.Locator, error) {
		url, _ := settings.Get("url").Text()
		s, err := httpstore.New(url, httpstore.Options{Headers: headers})
		if err != nil {
			return nil, err
		}
		return store.Plain(s), nil
	}
	all["file"] = func(_ *kinds.Making, settings own.Value) (store.Locator, error) {
		dir, _ := settings.Get("path").Text()
		if dir == "" {
			dir = "."
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		return store.Plain(filestore.New(root.FS())), nil
	}
	stores := kinds.New(all, caches.Layer())
	stores.Targets = target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{})
	}, caches.Layer().Drop)
	opened, err := stores.Open(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return &source{zarr.Over(opened.Locator, registry, zarr.Options{Caches: caches}), at.path, text}, nil
}
