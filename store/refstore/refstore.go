// Package refstore reads kerchunk references: a JSON document that maps each key to bytes in a part
// of a file.
//
// The specification is kerchunk's, versions 0 and 1; for open questions fsspec's
// ReferenceFileSystem counts. A document of version 0 is an object of references. Version 1 has
// them in its member refs, together with templates and gen. A reference is
//
//   - a text, which is the bytes; one that begins with "base64:" is decoded,
//   - an object, whose JSON text is the bytes,
//   - [url], which is all of a file,
//   - [url, offset, length], which is a range of one.
//
// A url of null is the default target. Package internal/target resolves URLs, and rejects some. In
// URLs and in gen, "{{ }}" holds an expression in a safe subset of Jinja. It has the names of
// templates and dimensions, calls of templates ("f(c='text')"), whole numbers and quoted texts. The
// operators are + - * // % ~ and parentheses, and "'%03d' % i". Everything else is an error,
// including undefined names.
//
// The store keeps the document's text with an index of 8 bytes per key. It parses references on
// use, so a damaged one is the error of its key. References of gen are also generated on use.
package refstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	names "github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Options limit documents and configure how their targets are found. Zero fields have defaults.
type Options struct {
	// Bytes limits the document, in bytes; default 160 MiB.
	Bytes int64
	// Keys limits the number of keys, including those of gen; default 4 Mi.
	Keys int64
	// Language provides gen and expressions; nil makes them errors with Rare set: see
	// [Expressions].
	Language *Language
	// Targets configures how the target files are found.
	Targets target.Options
}

// Language provides the features of documents beyond references and names of templates.
type Language struct {
	expand     func(d *document, gen []byte) error
	appendName func(d *document, dst []byte, at uint32) ([]byte, error)
	generate   func(d *document, at uint32) (reference, error)
	render     func(d *document, text string) (string, error)
}

// Store is a locator of the keys of a document. It implements [store.Lister] and [store.Refresher].
type Store struct {
	of      store.Locator
	key     string
	objects store.Objects
	sources *target.Sources
	opt     Options

	document *share.Cache[bool, *document]
	stale    atomic.Bool
	nodes    atomic.Bool // a document had metadata
}

var (
	_ store.Lister    = (*Store)(nil)
	_ store.Refresher = (*Store)(nil)
)

// New returns the store of a document, which is the object of a key in another store. It reads the
// document through objects on first use. All stores with targets share sources.
func New(of store.Locator, key string, objects store.Objects, sources *target.Sources, opt Options) *Store {
	if opt.Bytes <= 0 {
		opt.Bytes = 160 << 20
	}
	if opt.Keys <= 0 {
		opt.Keys = 4 << 20
	}
	opt.Targets = opt.Targets.Once()
	return &Store{of: of, key: key, objects: objects, sources: sources, opt: opt, document: share.New[bool, *document](1)}
}

// Error describes a defect of a document.
type Error struct {
	Msg string
	Err error // the cause; nil when the message says everything
	// Rare reports a feature that another build of the program supports.
	Rare bool
}

func (e *Error) Error() string {
	msg := "kerchunk references: " + e.Msg
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func invalid(msg string) error { return &Error{Msg: msg} }

// Refresh implements [store.Refresher].
func (s *Store) Refresh() {
	s.stale.Store(true)
	s.document.Drop(true)
}

// load returns the document.
func (s *Store) load(ctx context.Context) (*document, error) {
	return s.document.Do(ctx, true, func(ctx context.Context) (*document, int64, error) {
		d, err := s.read(ctx)
		if err != nil {
			err = &store.KeyError{Op: "get", Key: s.key, Err: err}
		}
		return d, 0, err
	})
}

// read reads the document. An unreadable one is read once more past all caches, now and at the next
// call.
func (s *Store) read(ctx context.Context) (*document, error) {
	for fresh := s.stale.Load(); ; fresh = true {
		d, err := s.readOnce(ctx, fresh)
		if err == nil {
			if fresh {
				s.stale.Store(false)
			}
			return d, nil
		}
		s.stale.Store(true)
		var damaged *Error
		if fresh || !errtype.As(err, &damaged) {
			return nil, absent(err)
		}
	}
}

func (s *Store) readOnce(ctx context.Context, fresh bool) (*document, error) {
	at, err := s.of.Locate(ctx, s.key)
	if err != nil {
		return nil, err
	}
	for {
		one := at
		one.Else = nil
		var e store.Extent
		if e, err = one.Read(ctx, s.key, store.Ask{MaxBytes: s.opt.Bytes, Fresh: fresh}, s.objects.Extent); err == nil {
			var d *document
			if d, err = parse(e.Bytes, s.opt); err == nil && !d.node && s.nodes.Load() {
				// Any object looks like references. A server's error in JSON would otherwise make
				// all chunks missing.
				err = invalid("its metadata no longer exists")
			}
			if err == nil {
				s.nodes.Store(d.node)
				d.targets, err = target.New(s.sources, s.of, s.key, one, s.opt.Targets)
			}
			return d, err
		}
		if at.Else == nil || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		at = *at.Else
	}
}

// absent returns the error for a document that was not read. An absent document does not prove that
// a key is absent.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return invalid("there is no such document")
	}
	return err
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	d, err := s.load(ctx)
	if err != nil {
		return store.Location{}, err
	}
	at := d.find([]byte(key))
	if at == 0 {
		return store.Location{}, store.NotFound(key)
	}
	r, err := d.reference(at)
	if err == nil && r.inline == nil {
		var l store.Location
		if l, err = d.targets.Locate(ctx, r.url); err == nil && r.length >= 0 {
			l, err = l.Slice(key, r.offset, r.length)
		}
		if err == nil {
			return l, nil
		}
	}
	if err != nil {
		return store.Location{}, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	return store.Location{Inline: r.inline}, nil
}

// List implements [store.Lister].
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
		prefix += "/"
	}
	d, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	var key []byte
	for _, slot := range d.table {
		if slot.at == 0 {
			continue
		}
		if key, err = d.appendName(key[:0], slot.at); err != nil || !bytes.HasPrefix(key, []byte(prefix)) {
			continue
		}
		name := key[len(prefix):]
		if end := bytes.IndexByte(name, '/'); end >= 0 {
			name = name[:end+1]
		}
		if !found[string(name)] && store.CheckKey(string(key)) == nil {
			found[string(name)] = true
		}
	}
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	order.Strings(names)
	return names, nil
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool { return true }

// document is a parsed document.
type document struct {
	refs      []byte // the JSON text of the references
	templates map[string]string
	language  *Language
	gens      []*generator
	targets   *target.Set

	seed  uint64
	table []slot // open addressing; the length is a power of two
	keys  int
	most  int64
	node  bool // a key names metadata
}

// slot holds the hash of a key and its target. A target within the text is the position of a
// reference. A target beyond its end numbers a generated reference. 0 is an empty slot.
type slot struct{ hash, at uint32 }

// parse parses a document.
func parse(text []byte, opt Options) (*document, error) {
	d := &document{refs: text, language: opt.Language, most: opt.Keys, seed: uint64(time.Now().UnixNano())}
	lim := json.Limits{Bytes: int(opt.Bytes), Values: 1 << 30}
	var version, templates, gen, refs []byte
	all := func(at int, name, value []byte) error {
		d.node = d.node || names.Is(string(name[bytes.LastIndexByte(name, '/')+1:]))
		return d.add(name, uint32(at))
	}
	err := json.Walk(text, lim, func(at int, name, value []byte) error {
		switch string(name) {
		case "version":
			version = value
		case "templates":
			templates = value
		case "gen":
			gen = value
		case "refs":
			refs = value
		}
		return all(at, name, value)
	})
	switch {
	case err != nil:
	case version == nil:
		return d, nil
	case string(version) != "1":
		err = invalid("version " + string(version[:min(len(version), 20)]) + " is not supported: expected 1, or no version for 0")
	default:
		d.table, d.keys, d.refs = nil, 0, nil
		if refs != nil {
			d.refs = refs
			err = json.Walk(refs, lim, all)
		}
		if err == nil && templates != nil {
			err = d.readTemplates(templates)
		}
		if err == nil && gen != nil {
			if d.language == nil {
				return nil, rare("gen")
			}
			err = d.language.expand(d, gen)
		}
	}
	var e *Error
	var l *limits.Error
	if err != nil && !errtype.As(err, &e) && !errtype.As(err, &l) {
		err = &Error{Msg: "the document cannot be read", Err: err}
	}
	return d, err
}

// readTemplates parses the templates.
func (d *document) readTemplates(text []byte) error {
	v, err := json.Parse(text, json.Limits{})
	if err != nil {
		return err
	}
	d.templates = map[string]string{}
	for _, m := range v.Members() {
		if d.templates[m.Name], _ = m.Value.Text(); m.Value.Kind() != json.String {
			v = json.Value{}
		}
	}
	if v.Kind() != json.Object {
		return invalid("templates is not an object of strings")
	}
	return nil
}

// expandURL replaces the names of templates in a URL.
func (d *document) expandURL(text string) (string, error) {
	if d.language != nil {
		return d.language.render(d, text)
	}
	out := ""
	for {
		before, rest, found := strings.Cut(text, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		name = ascii.TrimSpace(name)
		template, known := d.templates[name]
		switch {
		case !found:
			return out + text, nil
		case closed && !known && isName(name):
			return "", undefined(name)
		case !closed || !known || strings.Contains(template, "{{"):
			return "", rare("an expression in a URL")
		}
		out, text = out+before+template, after
		if len(out) > maxText {
			return "", limits.Check("ReferenceText", maxText, int64(len(out)), "a URL of kerchunk references")
		}
	}
}

// maxText limits a text made by templates, in bytes.
const maxText = 16 << 10

// isName reports whether a text is a name of a template or dimension.
func isName(s string) bool { return s != "" && len(s) == wordLength(s) && s[0] > '9' }

// undefined returns the error for an undefined name.
func undefined(name string) error {
	return invalid("there is no template or dimension " + strconv.Quote(name[:min(len(name), 100)]))
}

// wordLength returns the length of the name or number at the beginning of a text.
func wordLength(s string) (n int) {
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] == '_' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

func rare(what string) error { return &Error{Msg: what + " is not supported", Rare: true} }

// maxProbes limits the distance of a key from its place in the table. A larger one cannot be
// chance.
const maxProbes = 4096

// hash is FNV-1a with a random seed, so that documents cannot be crafted with colliding keys.
func (d *document) hash(name []byte) uint32 {
	h := d.seed
	for _, c := range name {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return uint32(h ^ h>>32)
}

// add adds a key to the table, or replaces an equal one.
func (d *document) add(name []byte, at uint32) error {
	if 4*d.keys >= 3*len(d.table) {
		d.grow(int64(d.keys) + 1)
	}
	s := slot{d.hash(name), at}
	for i := 0; i < maxProbes; i++ {
		place := &d.table[(int(s.hash)+i)&(len(d.table)-1)]
		if place.at == 0 {
			if d.keys++; int64(d.keys) > d.most {
				return tooMany(int64(d.keys), d.most)
			}
			*place = s
			return nil
		}
		if place.hash == s.hash && d.is(place.at, name) {
			*place = s
			return nil
		}
	}
	return invalid("its keys collide")
}

// grow enlarges the table for a number of keys.
func (d *document) grow(keys int64) {
	size := max(16, len(d.table))
	for 3*int64(size) <= 4*keys {
		size *= 2
	}
	if size == len(d.table) {
		return
	}
	old := d.table
	d.table = make([]slot, size)
	for _, s := range old {
		for i := int(s.hash); s.at != 0; i++ {
			if place := &d.table[i&(size-1)]; place.at == 0 {
				*place = s
				break
			}
		}
	}
}

func tooMany(n, most int64) error {
	return limits.Check("ReferenceKeys", most, n, "kerchunk references")
}

// find returns the target of a key, or 0.
func (d *document) find(name []byte) uint32 {
	if len(d.table) == 0 {
		return 0
	}
	h := d.hash(name)
	for i := int(h); ; i++ {
		if s := d.table[i&(len(d.table)-1)]; s.at == 0 || s.hash == h && d.is(s.at, name) {
			return s.at
		}
	}
}

// is reports whether a reference has a key.
func (d *document) is(at uint32, name []byte) bool {
	key, err := d.appendName(nil, at)
	return err == nil && string(key) == string(name)
}

// appendName appends the key of a reference.
func (d *document) appendName(dst []byte, at uint32) ([]byte, error) {
	if int(at) < len(d.refs) {
		return append(dst, json.NameAt(d.refs, int(at))...), nil
	}
	return d.language.appendName(d, dst, at)
}

// reference is the target of a key: inline bytes, or a range of a file. A length of -1 means the
// whole file.
type reference struct {
	inline         []byte
	url            string
	offset, length int64
}

// reference parses a reference.
func (d *document) reference(at uint32) (r reference, err error) {
	if int(at) >= len(d.refs) {
		return d.language.generate(d, at)
	}
	v := json.ValueAt(d.refs, int(at))
	switch v.Kind() {
	case json.String:
		text, _ := v.Text()
		if code, ok := strings.CutPrefix(text, "base64:"); ok {
			r.inline, err = decode64(code)
			return r, err
		}
		r.inline = []byte(text)
		return r, nil
	case json.Object:
		r.inline = v.Raw()
		return r, nil
	case json.Array:
		items := v.Items()
		r.length = -1
		var ok bool
		if len(items) > 0 {
			r.url, ok = items[0].Text()
			ok = ok && r.url != "" || items[0].Kind() == json.Null
		}
		if len(items) == 3 && ok {
			var a, b bool
			r.offset, a = items[1].Int64()
			r.length, b = items[2].Int64()
			ok = a && b && r.offset >= 0 && r.length >= 0
		}
		if ok && (len(items) == 1 || len(items) == 3) {
			if strings.Contains(r.url, "{{") {
				r.url, err = d.expandURL(r.url)
			}
			return r, err
		}
	}
	return r, invalid("a reference must be a string, an object, [url] or [url, offset, length]")
}

// decode64 decodes base64 of the standard alphabet. Package encoding/base64 would link reflect.
func decode64(text string) ([]byte, error) {
	b := make([]byte, 0, len(text)/4*3)
	var bits, n uint32
	end := strings.TrimRight(text, "=\n")
	for _, c := range []byte(end) {
		switch {
		case 'A' <= c && c <= 'Z':
			bits = bits<<6 | uint32(c-'A')
		case 'a' <= c && c <= 'z':
			bits = bits<<6 | uint32(c-'a'+26)
		case '0' <= c && c <= '9':
			bits = bits<<6 | uint32(c-'0'+52)
		case c == '+':
			bits = bits<<6 | 62
		case c == '/':
			bits = bits<<6 | 63
		case c == '\n' || c == '\r':
			continue
		default:
			return nil, invalid("inline bytes are not base64")
		}
		if n++; n&3 == 0 {
			b = append(b, byte(bits>>16), byte(bits>>8), byte(bits))
		}
	}
	switch n & 3 {
	case 1:
		return nil, invalid("inline bytes are not base64")
	case 2:
		b = append(b, byte(bits>>4))
	case 3:
		b = append(b, byte(bits>>10), byte(bits>>2))
	}
	return b, nil
}
