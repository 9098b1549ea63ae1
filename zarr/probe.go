package zarr

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// find asks the store for a node that no known metadata describes, or only
// implies. Where a node has no documents of its own, the root may still have
// consolidated metadata that describe it.
func (h *Hierarchy) find(ctx context.Context, path string, opt OpenOptions, implied *meta.Node) (*meta.Node, error) {
	_, known := h.known("", 0, false)
	p := &probe{h: h, path: path, opt: opt, doubts: map[string]error{}}
	m, err := p.run(ctx, implied == nil)
	if err == nil {
		m.Bare = opt.Bare && m.Array != nil && m.Format == 2 && !slices.Contains(p.tried, meta.DocumentAttributes)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.format = m.Format
		if m.Array == nil && (m.Format == 3 || slices.Contains(p.tried, meta.DocumentConsolidated)) {
			if h.consolidated[path] = m.Consolidated; h.outdated {
				h.consolidated[path] = nil
			}
		}
		return m, nil
	}
	var missing *NotFoundError
	if !errors.As(err, &missing) && !store.MaybeMissing(err) {
		return nil, err
	}
	if implied != nil && (opt.Format == 0 || opt.Format == implied.Format) {
		return implied, nil
	}
	err = h.container(ctx, path, err)
	// A root that is known only by now, as others open as well, has not been looked into.
	if path == "" || known || h.opt.IgnoreConsolidated || opt.Fresh {
		return nil, err
	}
	if _, _, rootErr := h.node(ctx, "", OpenOptions{}); rootErr != nil {
		if describesNothing(rootErr) {
			return nil, err
		}
		return nil, rootErr
	}
	m, lookupErr := h.lookup(path)
	if lookupErr != nil {
		return nil, lookupErr
	}
	if m == nil || opt.Format != 0 && opt.Format != m.Format {
		return nil, err
	}
	return m, nil
}

// describesNothing tells whether a root that fails to open by err has no consolidated metadata: it is absent, or another
// thing than a group. What any other error hides may describe the node.
func describesNothing(err error) bool {
	var missing *NotFoundError
	return errors.As(err, &missing) || lasting(err) || store.MaybeMissing(err)
}

// probe asks a store for the documents that may describe a node.
type probe struct {
	h    *Hierarchy
	path string
	opt  OpenOptions
	docs []meta.Document
	// doubts are, of the documents that may be absent, the answers that said so in a way that need not mean it.
	doubts map[string]error
	tried  []string
}

// run asks first for what is likely there, by what is known of the hierarchy, and for the rest of what
// there may be before it says that there is no node. With patience, answers that may mean absence are asked for
// again when there is nothing else.
func (p *probe) run(ctx context.Context, patience bool) (*meta.Node, error) {
	rounds := [3][]string{p.likely(), meta.Documents(p.opt.Format)}
	if p.opt.Sparing && p.opt.Kind != "" {
		rounds[1] = nil // they would only tell that a node of the other kind is there
	}
	if p.opt.Format == 0 {
		rounds[2] = meta.Documents(1) // rare: asked for where there is nothing else
	}
	for _, names := range rounds {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(p.tried, name) })
		p.tried = append(p.tried, names...)
		if m, err := p.ask(ctx, names, true); m != nil || err != nil {
			return m, err
		}
	}
	blocked := p.blocked(p.tried)
	if patience {
		if m, err := p.ask(ctx, blocked, false); m != nil || err != nil {
			return m, err
		}
	}
	at := p.h.address(p.path)
	for _, name := range p.tried {
		if err := p.doubts[name]; err != nil && (len(p.docs) == 0 || !store.Blocked(err)) {
			if len(blocked) > 1 {
				err = &blockedError{err, at, blocked[1:]}
			}
			return nil, err
		}
	}
	want := p.opt.Kind
	if want == "" {
		want = "node"
	}
	return nil, &NotFoundError{Path: p.path, Want: want, Tried: p.tried, At: at}
}

// likely returns the documents to ask for first.
func (p *probe) likely() []string {
	h, format, consolidated := p.h, p.opt.Format, !p.opt.Fresh && !p.h.opt.IgnoreConsolidated
	if p.opt.whole {
		return meta.Documents(format)
	}
	if !p.opt.Fresh {
		h.mu.Lock()
		defer h.mu.Unlock()
		if format == 0 {
			format = h.format
		}
		c, known := h.above(p.path)
		consolidated = consolidated && !(known && c == nil)
	}
	names := meta.Likely(format, p.opt.Kind, consolidated, p.opt.Sparing)
	if p.opt.Bare && p.opt.Kind == "array" {
		names = slices.DeleteFunc(names, func(name string) bool { return name == meta.DocumentAttributes })
	}
	return names
}

// ask asks for documents, and makes a node of all that is there. It is nil where they are none.
func (p *probe) ask(ctx context.Context, names []string, probing bool) (*meta.Node, error) {
	came, err := p.read(ctx, names, probing)
	if err != nil || !came {
		return nil, err
	}
	m, err := p.h.parse(p.path, p.docs)
	if err != nil || m != nil && m.Format == 3 {
		return m, err
	}
	if left := meta.DocumentAttributes; m != nil && m.Format == 2 && p.opt.Sparing && !p.opt.Bare && !slices.Contains(p.tried, left) && m.Attributes.Len() == 0 {
		p.tried = append(p.tried, left)
		if came, err = p.read(ctx, []string{left}, true); came && err == nil {
			m, err = p.h.parse(p.path, p.docs)
		}
		if err != nil {
			return nil, err
		}
	}
	vital := p.vital(m)
	came, err = p.read(ctx, vital, true)
	if err != nil {
		return nil, err
	}
	for _, name := range vital {
		err := p.doubts[name]
		if p.h.learn(err); store.Blocked(err) && p.h.tells() {
			return nil, err
		}
	}
	if !came {
		return m, nil
	}
	return p.h.parse(p.path, p.docs)
}

// vital returns those of the documents of which nothing is known, and without which a node would be another than it is, and no
// error would say so: they are asked for once more. What a browser keeps from the page is mostly absent, and a host that refuses what it does not
// have is asked once only.
func (p *probe) vital(m *meta.Node) []string {
	attributes := meta.DocumentAttributes
	if m != nil && m.Format == 1 {
		attributes = meta.DocumentV1Attributes
	}
	array := m != nil && m.Array != nil
	var list []string
	for _, name := range p.tried {
		err := p.doubts[name]
		switch {
		case err == nil:
		case store.Blocked(err):
			if m != nil && (name == attributes || name == meta.DocumentConsolidated && !array) {
				list = append(list, name)
			}
		case !p.h.refuses() && (name == attributes || name == meta.DocumentV3 || !array || m.Format == 1):
			list = append(list, name)
		}
	}
	return list
}

// blocked returns those of the documents of which nothing is known: a browser does not tell an answer that it keeps from
// the page from one that never came.
func (p *probe) blocked(names []string) []string {
	var list []string
	for _, name := range names {
		if store.Blocked(p.doubts[name]) {
			list = append(list, name)
		}
	}
	return list
}

// read asks for documents at once, and tells whether there are any. A zarr.json decides alone: the others are then
// not waited for.
func (p *probe) read(ctx context.Context, names []string, probing bool) (came bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		i    int
		data []byte
		err  error
	}
	answers := make(chan answer, len(names))
	for i, name := range names {
		var e store.Extent
		guard.Go(func() (err error) {
			if name == itself {
				e, err = p.h.itself(ctx)
				return err
			}
			ask := store.Ask{Most: p.h.mostOf(name), Fresh: p.opt.again, Hint: store.Hint{Probe: probing}}
			e, err = p.h.engine.ReadKey(ctx, store.Join(p.path, name), ask)
			return err
		}, func(err error) { answers <- answer{i, e.Bytes, err} })
	}
	got := make([]answer, len(names))
	for range names {
		a := <-answers
		if got[a.i] = a; a.err == nil && names[a.i] == meta.DocumentV3 {
			p.docs = []meta.Document{{Name: names[a.i], Bytes: a.data}}
			return true, nil
		}
	}
	for i, a := range got {
		delete(p.doubts, names[i])
		switch {
		case a.err == nil:
			p.docs, came = append(p.docs, meta.Document{Name: names[i], Bytes: a.data}), true
		case errors.Is(a.err, fs.ErrNotExist):
			p.h.learn(a.err)
		case store.MaybeMissing(a.err):
			// Some servers answer "forbidden", or with a web page, for what is missing. A
			// document that could be read proves that this is meant.
			p.doubts[names[i]] = a.err
		case err == nil:
			err = a.err
		}
	}
	return came, err
}

// learn notes what a host says of a document that it may not have: the error of absence, or of a refusal that did not pass.
func (h *Hierarchy) learn(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.absence = saysAbsent
	case err != nil && !store.Blocked(err) && h.absence == 0:
		h.absence = refusesAbsent
	}
}

// What a host is known to say of what it does not have.
const (
	saysAbsent    = 1
	refusesAbsent = 2
)

// tells tells whether the host says of what it does not have that it is absent: what is blocked there is no absence.
func (h *Hierarchy) tells() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.absence == saysAbsent
}

// refuses tells whether the host refuses what it does not have.
func (h *Hierarchy) refuses() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.absence == refusesAbsent
}

// mostOf is the size of the largest document of a name that is taken.
func (h *Hierarchy) mostOf(name string) int64 {
	if meta.MayConsolidate(name) {
		return h.opt.Limits.ConsolidatedBytes
	}
	return h.opt.Limits.MetadataBytes
}

func (h *Hierarchy) parse(path string, docs []meta.Document) (*meta.Node, error) {
	lim := h.opt.Limits
	m, err := meta.Parse(docs, meta.Options{
		Limits:             json.Limits{Depth: lim.MetadataDepth},
		DocumentBytes:      int(lim.MetadataBytes),
		ConsolidatedBytes:  int(lim.ConsolidatedBytes),
		MaxRank:            lim.Rank,
		Type:               dtype.Limits{ItemBytes: lim.ItemBytes},
		IgnoreConsolidated: h.opt.IgnoreConsolidated,
	})
	if err == nil {
		if m != nil && m.Consolidated != nil && m.Consolidated.References {
			return nil, inContainer(path, parquet)
		}
		return m, nil
	}
	if kind := containerOf(docs); kind != "" {
		return nil, inContainer(path, kind)
	}
	return nil, reader.MetadataError(path, err)
}

// address returns where a key is, for messages; "" where the store has no addresses.
func (h *Hierarchy) address(path string) string {
	if path != "" {
		path += "/"
	}
	return h.engine.Address(path)
}

// The kinds of what holds a hierarchy in another form than one object for each key, as package internal/kinds names them.
const (
	zipArchive = "zip"
	references = "reference"
	parquet    = "parquet" // references in a directory
	icechunk   = "icechunk"
	n5         = "n5"
)

// inContainer is the error for a path at which there is a container.
func inContainer(path, kind string) error {
	return &UnsupportedError{Path: path, Container: kind, Feature: "what is stored as " + kind + ", which is opened as a store of that kind"}
}

// container makes err, which says that there is no node at a path, say what is there instead, if that can be told: by the
// address, and of a store of which nothing else is known by what other containers have, and by what lies at the address itself.
func (h *Hierarchy) container(ctx context.Context, path string, err error) error {
	at := strings.ToLower(h.address(path))
	if _, rest, ok := strings.Cut(at, "://"); ok {
		at = rest[max(strings.IndexByte(rest, '/'), 0):] // a host has endings, too
	}
	kind := ""
	switch {
	case strings.Contains(at, ".zip/"), strings.Contains(at, ".ozx/"):
		kind = zipArchive
	case strings.HasSuffix(at, ".json/"), strings.Contains(at, ".parq/"), strings.Contains(at, ".parquet/"):
		kind = references
	default:
		h.mu.Lock()
		known := h.format != 0
		h.mu.Unlock()
		if known || path != "" {
			return err
		}
		p := &probe{h: h, doubts: map[string]error{}}
		_, failed := p.read(ctx, []string{"attributes.json", "repo", "refs/branch.main/ref.json", itself}, true)
		if kind = containerOf(p.docs); kind == "" && failed != nil {
			return failed
		}
	}
	if kind == "" {
		return err
	}
	return inContainer(path, kind)
}

// itself stands for the object that the store's own address may be.
const itself = ""

// itself reads the beginning of that object. It is absent where the store has no such address, and where it is too short, or
// too long for a server that sends all of it, to be what is looked for.
func (h *Hierarchy) itself(ctx context.Context) (e store.Extent, err error) {
	source, name := h.engine.Itself()
	if source == nil {
		return e, fs.ErrNotExist
	}
	ask := store.Ask{Most: h.opt.Limits.MetadataBytes, Range: &store.ByteRange{Length: 4}}
	e, err = source.Read(store.WithObserver(ctx, h.opt.Observe), name, ask)
	var limit *LimitError
	if errors.Is(err, store.ErrRange) || errors.As(err, &limit) {
		err = fs.ErrNotExist
	}
	return e, err
}

// containerOf tells what holds the hierarchy instead, of which these are documents; "" where that is none that is known.
func containerOf(docs []meta.Document) string {
	for _, d := range docs {
		head := string(d.Bytes[:min(4, len(d.Bytes))])
		switch {
		case head == "PK\x03\x04", head == "PK\x05\x06":
			return zipArchive
		case strings.HasPrefix(head, "ICE"):
			return icechunk
		case d.Name == itself:
			if head[0] == '{' {
				return references
			}
			continue
		}
		v, _ := json.Parse(d.Bytes, json.Limits{})
		switch {
		case d.Name == "attributes.json" && v.Kind() == json.Object:
			return n5
		case v.Get("refs").Kind() == json.Object, v.Get(meta.DocumentGroup).Exists():
			return references
		case v.Get("snapshot").Exists():
			return icechunk
		}
	}
	return ""
}
