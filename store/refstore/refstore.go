// Package refstore reads kerchunk's references: a JSON document that says of each key in which part of which file its bytes lie.
//
// The specification is kerchunk's, versions 0 and 1; where it leaves something open, fsspec's ReferenceFileSystem counts. A
// document of version 0 is an object of references; one of version 1 has them as its member refs, beside templates and gen. A
// reference is
//
//   - a text, which is the bytes; one that begins with "base64:" is decoded,
//   - an object, whose JSON text is the bytes,
//   - [url], which is all of a file,
//   - [url, offset, length], which is a range of one.
//
// A url of null is the default target. Package internal/target resolves URLs, and rejects some. In URLs and in gen, "{{ }}" holds an
// expression of the safe subset of Jinja's: names of templates and dimensions, calls of templates ("f(c='text')"), whole
// numbers and texts in quotes, + - * // % ~ and parentheses, and "'%03d' % i". All else is an error, and so is a name that
// the document does not define.
//
// The document is kept as it came. An index of eight bytes a key leads into it, and references are read when they are asked for, so
// one that is damaged is the error of its key. What gen makes is made then, too.
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
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Options bound what a document may ask for, and say how its targets are found. Zero fields have defaults.
type Options struct {
	// Bytes is the size of the largest document; default 160 MiB.
	Bytes int64
	// Keys is how many keys it may have, those of gen counted too; default 4 Mi.
	Keys int64
	// Language has gen and expressions; nil leaves them to another build of the program: see [Expressions].
	Language *Language
	// Targets say how the files are found that it refers to.
	Targets target.Options
}

// Language is what documents may have besides references and the names of templates.
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

// New returns the store of a document, which is the object under the key of another store. It is read by the objects when
// it is first needed. Sources is shared by all stores that have targets.
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

// Error says what is wrong with a document.
type Error struct {
	Msg string
	Err error // the cause; nil when the message says it all
	// Rare is true for what another build of the program reads.
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

// read reads the document. One that cannot be read is asked for once more, past all caches, and the next time again.
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
		if fresh || !errors.As(err, &damaged) {
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
		if e, err = one.Read(ctx, s.key, store.Ask{Most: s.opt.Bytes, Fresh: fresh}, s.objects.Extent); err == nil {
			var d *document
			if d, err = parse(e.Bytes, s.opt); err == nil && !d.node && s.nodes.Load() {
				// Any object looks like references: an error that a server sends as JSON would make all chunks missing.
				err = invalid("it has no metadata any more")
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

// absent returns the error for a document that was not read: that it is absent does not say that a key is.
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
			l, err = l.Part(key, r.offset, r.length)
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
	return names, ctx.Err()
}

// document is a document that was read.
type document struct {
	refs      []byte // the JSON text of the references
	templates map[string]string
	language  *Language
	gens      []*generator
	targets   *target.Set

	seed  uint64
	table []slot // open addressing, a power of two
	keys  int
	most  int64
	node  bool // a key is that of metadata
}

// slot is a key. What it leads to is the place of a reference in the text, or beyond its end the number of one
// that gen makes; 0 is no key.
type slot struct{ hash, at uint32 }

// parse reads a document.
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
		err = invalid("version " + string(version[:min(len(version), 20)]) + " is not known: 0 (which is not written) and 1 are")
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
	if err != nil && !errors.As(err, &e) && !errors.As(err, &l) {
		err = &Error{Msg: "the document cannot be read", Err: err}
	}
	return d, err
}

// readTemplates reads the templates.
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
		return invalid("templates is not an object of texts")
	}
	return nil
}

// expandURL puts templates in the places of their names.
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

// maxText is how long a text that templates make may be.
const maxText = 16 << 10

// isName reports whether a text is a name of a template or dimension.
func isName(s string) bool { return s != "" && len(s) == wordLength(s) && s[0] > '9' }

// undefined returns the error for a name that the document does not define.
func undefined(name string) error {
	return invalid("there is no template or dimension " + strconv.Quote(name[:min(len(name), 100)]))
}

// wordLength returns how long the name or number at the beginning of a text is.
func wordLength(s string) (n int) {
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] == '_' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

func rare(what string) error { return &Error{Msg: what + " is not supported", Rare: true} }

// maxProbes is how far from its place a key may lie in the table: more is no chance.
const maxProbes = 4096

// hash is FNV-1a from a seed, so that documents cannot be made whose keys collide.
func (d *document) hash(name []byte) uint32 {
	h := d.seed
	for _, c := range name {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return uint32(h ^ h>>32)
}

// add puts a key in the table, in place of an equal one.
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

// grow makes room for so many keys in the table.
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

// find returns what a key leads to, or 0.
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

// is tells whether a key is that of a reference.
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

// reference is where the bytes of a key are: inline, or in a file, all of it where the length is -1.
type reference struct {
	inline         []byte
	url            string
	offset, length int64
}

// reference reads a reference.
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
	return r, invalid("a reference is a text, an object, [url] or [url, offset, length]")
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
