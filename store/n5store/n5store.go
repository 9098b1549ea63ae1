// Package n5store presents an N5 container as a hierarchy of Zarr version 3. It only reads. The
// specification is the README of saalfeldlab/n5, "File-system specification". For open questions
// the package follows the Java library.
//
// # Nodes
//
// A folder of an N5 container is a group. It is a dataset if its attributes.json has dimensions and
// a dataType. The store has a zarr.json for each, made from attributes.json: see section
// "Documents". A folder without attributes.json is a group if the underlying store can list, and
// lists an entry in it that is not a block. Stores that cannot list do not find such groups.
//
// # Documents
//
// N5 lists dimensions in reverse: the first one is the fastest. Shape and chunk shape are therefore
// dimensions and blockSize reversed, and elements keep their order. The codec is n5_block (package
// zarr/codec/n5), with a chain of codecs for the compression. N5 before 2.0 names the compression
// by compressionType. Missing blocks are zeros, or empty texts. All other attributes become the
// node's attributes unchanged. Lists with a value per dimension, such as downsamplingFactors or
// pixelResolution, stay in N5's order.
//
// The reader of the document reports errors of an attributes.json. An unknown dataType or
// compression keeps its name, and a text that is not JSON stays unchanged.
//
// # Blocks
//
// The block of the chunk (i, j, k) is the object "k/j/i" of the dataset's folder. The document has
// keys of the form "c/i/j/k", which differ from every folder of blocks. All other keys are those of
// the underlying store, so attributes.json can be read, too. Zarr documents in the same folder are
// hidden.
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

// maxAttributes limits an attributes.json, in bytes.
const maxAttributes = 16 << 20

// Store is a locator over the locator of an N5 container. It caches nothing.
type Store struct {
	of      store.Locator
	can     *store.Capabilities // of the container's store
	objects store.Objects
	// missing records absent attributes of folders that are no groups without them. The next open
	// reads them past all caches.
	missing store.Failures
}

// New returns the hierarchy of the container at the root of another store. It can list when the
// other store can.
func New(of store.Locator, objects store.Objects) *Store {
	return &Store{of: of, can: store.CapabilitiesOf(of), objects: objects}
}

// Capabilities implements [store.Capable].
func (s *Store) Capabilities() (c store.Capabilities) {
	if s.can.Lister != nil {
		c.Lister = s
	}
	if s.can.Preparer != nil {
		c.Preparer = s
	}
	if s.can.Refresher != nil {
		c.Refresher = s
	}
	return c
}

// Refresh implements [store.Refresher].
func (s *Store) Refresh() { s.can.Refresh() }

// Prepare implements [store.Preparer].
func (s *Store) Prepare(ctx context.Context, keys []string) {
	below := make([]string, 0, len(keys))
	for _, key := range keys {
		if path, name := split(key); name == document.V3 {
			below = append(below, store.Join(path, document.N5))
		} else if !hidden(name) {
			below = append(below, block(key))
		}
	}
	s.can.Prepare(ctx, below)
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
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	names, err := s.can.List(ctx, prefix)
	if i := slices.Index(names, document.N5); i >= 0 {
		names = append(slices.Clone(names), document.V3)
		order.Strings(names)
	}
	return names, err
}

// ListsAll returns false, because the store lists blocks in place of chunks, under other keys.
func (s *Store) ListsAll() bool { return false }

func split(key string) (path, name string) {
	i := strings.LastIndexByte(key, '/')
	return key[:max(i, 0)], key[i+1:]
}

// hidden reports whether a name is that of a Zarr document in the same folder.
func hidden(name string) bool {
	return document.Is(name) || name == document.V1 || name == document.V1Attributes
}

// block returns the key of a chunk's block, and other keys unchanged.
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

// document locates the document of a node, which is made from its attributes.
func (s *Store) document(ctx context.Context, path string) (store.Location, error) {
	key := store.Join(path, document.N5)
	at, err := s.of.Locate(ctx, key)
	if s.can.Lister != nil {
		if err == nil {
			fresh := s.missing.Has(key)
			if _, err = at.Read(ctx, key, store.Ask{MaxBytes: maxAttributes, Fresh: fresh}, s.objects.Extent); err == nil && fresh {
				s.missing.Forget(key)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			at, err = s.folder(ctx, path, err)
			if errors.Is(err, fs.ErrNotExist) {
				s.missing.Note(key)
			}
			return at, err
		}
	}
	if err != nil {
		return store.Location{}, err
	}
	return documentOf(at), nil
}

// documentOf returns the location of the document that is made from attributes at another location.
func documentOf(at store.Location) store.Location {
	packed := at.Packed
	at.Packed = &store.Packed{Stored: maxAttributes, Decode: func(ctx context.Context, text []byte, most int64) ([]byte, error) {
		if packed != nil {
			var err error
			if text, err = packed.Decode(ctx, text, maxAttributes); err != nil {
				return nil, err
			}
		}
		doc, err := Document(text)
		if err == nil && most > 0 && int64(len(doc)) > most {
			return nil, limits.Encoded(most, int64(len(doc)), "the document that "+document.N5+" describes")
		}
		return doc, err
	}}
	if at.Else != nil {
		other := documentOf(*at.Else)
		at.Else = &other
	}
	return at
}

// folder locates the document of a group without attributes. If the folder is not a group, it
// returns the error missing.
func (s *Store) folder(ctx context.Context, path string, missing error) (store.Location, error) {
	names, err := s.can.List(ctx, path)
	if errors.Is(err, errors.ErrUnsupported) || err == nil && len(names) == 0 {
		return store.Location{}, missing
	}
	if err != nil {
		return store.Location{}, err
	}
	// The entries of a dataset are blocks.
	for above := path; above != ""; {
		above, _ = split(above)
		key := store.Join(above, document.N5)
		e, err := store.ReadKey(ctx, s.of, key, store.Ask{MaxBytes: maxAttributes}, s.objects.Extent)
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
