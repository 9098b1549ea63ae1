// Package n5store shows a container of N5 as a hierarchy of Zarr version 3. It only reads. The specification is the README of
// saalfeldlab/n5, "File-system specification", and what it leaves open is as in the Java library.
//
// # Nodes
//
// A folder of an N5 container is a group, and a dataset where its attributes.json has dimensions and a dataType. The store
// has a zarr.json for each, which is made of attributes.json: see package doc's "Documents". A folder without attributes.json is a group
// where the store below can list, and lists something in it that is not a block. Elsewhere that cannot be told from no folder.
//
// # Documents
//
// N5 lists dimensions the other way round: the first one is the fastest. So shape and chunk shape are dimensions and
// blockSize reversed, and elements lie in the same order. The codec is n5_block (package zarr/codec/n5), with the
// chain of codecs that the compression stands for; N5 of before 2.0 names it by compressionType. Missing blocks are
// zeros, or empty texts. All other attributes are the node's attributes, as they are: lists of a value for each dimension, such as
// downsamplingFactors or pixelResolution, stay in N5's order.
//
// What is wrong with an attributes.json comes to light in the document, where its reader refuses it: an unknown dataType or compression
// keeps its name there, and what is not JSON stays as it is.
//
// # Blocks
//
// The block of the chunk (i, j, k) is the object "k/j/i" of the dataset's folder. The document has keys of the form
// "c/i/j/k", which no folder of blocks can be mistaken for. All other keys are those of the store below, so that
// attributes.json can be read too. Documents of Zarr itself, which a folder may have as well, are not shown.
package n5store

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// maxAttributes is how large an attributes.json may be.
const maxAttributes = 16 << 20

// Store is a locator over one of an N5 container. It keeps nothing.
type Store struct {
	of      store.Locator
	objects store.Objects
	// missing are attributes that were absent where there is no group without: the next open asks for them past all caches.
	missing store.Failures
}

var (
	_ store.Preparer  = (*Store)(nil)
	_ store.Refresher = (*Store)(nil)
)

// lister is a Store that can list.
type lister struct{ *Store }

// New returns the hierarchy of the container whose root folder is the root of another store. It is a [store.Lister] where
// the other one is.
func New(of store.Locator, objects store.Objects) store.Locator {
	s := &Store{of: of, objects: objects}
	if _, ok := of.(store.Lister); ok {
		return lister{s}
	}
	return s
}

// Refresh implements [store.Refresher].
func (s *Store) Refresh() {
	if r, ok := s.of.(store.Refresher); ok {
		r.Refresh()
	}
}

// Prepare implements [store.Preparer].
func (s *Store) Prepare(ctx context.Context, keys []string) {
	p, ok := s.of.(store.Preparer)
	if !ok {
		return
	}
	below := make([]string, 0, len(keys))
	for _, key := range keys {
		if path, name := split(key); name == document.V3 {
			below = append(below, store.Join(path, document.N5))
		} else if !hidden(name) {
			below = append(below, block(key))
		}
	}
	p.Prepare(ctx, below)
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := ctx.Err(); err != nil {
		return store.Location{}, err
	}
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	path, name := split(key)
	switch {
	case name == document.V3:
		return s.document(ctx, path)
	case hidden(name):
		return store.Location{}, store.NotFound(key)
	}
	return s.of.Locate(ctx, block(key))
}

// List implements [store.Lister].
func (s lister) List(ctx context.Context, prefix string) ([]string, error) {
	names, err := s.of.(store.Lister).List(ctx, prefix)
	if i := slices.Index(names, document.N5); i >= 0 {
		names = append(slices.Clone(names), document.V3)
		order.Strings(names)
	}
	return names, err
}

// ListsAll is false: of the chunks the store lists the blocks, whose keys are others. See [store.ListsAll].
func (s lister) ListsAll() bool { return false }

func split(key string) (path, name string) {
	i := strings.LastIndexByte(key, '/')
	return key[:max(i, 0)], key[i+1:]
}

// hidden reports whether a name is that of a document of Zarr that the folder may have as well.
func hidden(name string) bool {
	return document.Is(name) || name == document.V1 || name == document.V1Attributes
}

// block is the key of a chunk's block, or of any other object.
func block(key string) string {
	segments := strings.Split(key, "/")
	from := len(segments)
	for from > 0 && isNumber(segments[from-1]) {
		from--
	}
	if from == 0 || from == len(segments) || segments[from-1] != "c" {
		return key
	}
	slices.Reverse(segments[from:])
	return strings.Join(slices.Delete(segments, from-1, from), "/")
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// document locates the document of a node, which is made of its attributes.
func (s *Store) document(ctx context.Context, path string) (store.Location, error) {
	key := store.Join(path, document.N5)
	at, err := s.of.Locate(ctx, key)
	if l, ok := s.of.(store.Lister); ok {
		if err == nil {
			fresh := s.missing.Has(key)
			if _, err = at.Read(ctx, key, store.Ask{Most: maxAttributes, Fresh: fresh}, s.objects.Extent); err == nil && fresh {
				s.missing.Forget(key)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			at, err = s.folder(ctx, l, path, err)
			if errors.Is(err, fs.ErrNotExist) {
				s.missing.Note(key)
			}
			return at, err
		}
	}
	if err != nil {
		return store.Location{}, err
	}
	return made(at), nil
}

// made is the location of a document that is made of what lies at another.
func made(at store.Location) store.Location {
	stored := at
	stored.Else = nil
	at = store.Location{
		Source: at.Source, Name: at.Name, Offset: at.Offset, Length: at.Length, Version: at.Version, Inline: at.Inline, Else: at.Else, Stored: maxAttributes,
		Decode: func(ctx context.Context, text []byte, most int64) ([]byte, error) {
			if stored.Decode != nil {
				var err error
				if text, err = stored.Decode(ctx, text, maxAttributes); err != nil {
					return nil, err
				}
			}
			doc, err := Document(text)
			if err == nil && most > 0 && int64(len(doc)) > most {
				return nil, limits.Encoded(most, int64(len(doc)), "the document that "+document.N5+" stands for")
			}
			return doc, err
		},
	}
	if at.Else != nil {
		other := made(*at.Else)
		at.Else = &other
	}
	return at
}

// folder locates the document of a group that has no attributes, if it is one. The error says that there are none.
func (s *Store) folder(ctx context.Context, l store.Lister, path string, missing error) (store.Location, error) {
	names, err := l.List(ctx, path)
	if errors.Is(err, errors.ErrUnsupported) || err == nil && len(names) == 0 {
		return store.Location{}, missing
	}
	if err != nil {
		return store.Location{}, err
	}
	// What lies in a dataset are blocks.
	for above := path; above != ""; {
		above, _ = split(above)
		key := store.Join(above, document.N5)
		e, err := store.ReadKey(ctx, s.of, key, store.Ask{Most: maxAttributes}, s.objects.Extent)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return store.Location{}, err
		}
		if v, err := json.Parse(e.Bytes, bounds); err == nil && isDataset(v) {
			return store.Location{}, missing
		}
		break
	}
	doc, err := Document([]byte("{}"))
	return store.Location{Inline: doc}, err
}
