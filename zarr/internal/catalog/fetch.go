package catalog

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// documents holds the answers to an open's requests for documents.
type documents struct {
	*opening
	answers []answer
}

// answer is the outcome of the request for one document.
type answer struct {
	name    string
	came    bool
	bytes   []byte
	unclear error // an error that may mean absence
}

// fetch requests the documents of a path and parses them. It returns a *NotFoundError if there are
// none. A patient fetch requests blocked documents again when nothing else came.
func (o *opening) fetch(ctx context.Context, patient bool) (*meta.Node, error) {
	d := &documents{opening: o}
	m, err := d.node(ctx, patient)
	if err != nil {
		return nil, err
	}
	m.Bare = o.opt.Bare && m.Array != nil && m.Format == 2 && !d.asked(meta.DocumentAttributes)
	o.known.read(o.path, m, m.Format == 3 || d.asked(meta.DocumentConsolidated))
	return m, nil
}

// find returns the answer for a document, or nil if it was not requested.
func (d *documents) find(name string) *answer {
	for i := range d.answers {
		if d.answers[i].name == name {
			return &d.answers[i]
		}
	}
	return nil
}

func (d *documents) asked(name string) bool { return d.find(name) != nil }

// node requests the likely documents first, and then the rest.
func (d *documents) node(ctx context.Context, patient bool) (*meta.Node, error) {
	rounds := [3][]string{d.likely(), meta.Documents(d.opt.Format)}
	if d.opt.Sparing && d.opt.Kind != "" {
		rounds[1] = nil // they would only reveal a node of the other kind
	}
	if d.opt.Format == 0 {
		rounds[2] = meta.Documents(1) // rare: requested only when nothing else came
	}
	for _, names := range rounds {
		if m, err := d.ask(ctx, slices.DeleteFunc(names, d.asked), true); m != nil || err != nil {
			return m, err
		}
	}
	var tried, blocked []string
	none := true
	for i := range d.answers {
		a := &d.answers[i]
		none = none && !a.came
		if tried = append(tried, a.name); store.Blocked(a.unclear) {
			blocked = append(blocked, a.name)
		}
	}
	if patient {
		if m, err := d.ask(ctx, blocked, false); m != nil || err != nil {
			return m, err
		}
	}
	// A browser does not distinguish a response that it hides from the page from a lost one.
	// Blocked documents count as absent only if another document came.
	at := d.address(d.path)
	for i := range d.answers {
		if err := d.answers[i].unclear; err != nil && (none || !store.Blocked(err)) {
			if len(blocked) > 1 {
				err = &blockedError{err, at, blocked[1:]}
			}
			return nil, err
		}
	}
	want := d.opt.Kind
	if want == "" {
		want = "node"
	}
	return nil, &NotFoundError{Path: d.path, Want: want, Tried: tried, At: at}
}

// likely returns the documents to request first.
func (d *documents) likely() []string {
	format, consolidated := d.opt.Format, !d.opt.Fresh && !d.IgnoreConsolidated
	if d.opt.Whole {
		return meta.Documents(format)
	}
	if !d.opt.Fresh {
		last, may := d.known.expect(d.path)
		if format == 0 {
			format = last
		}
		consolidated = consolidated && may
	}
	names := meta.Likely(format, d.opt.Kind, consolidated, d.opt.Sparing)
	if d.opt.Bare && d.opt.Kind == "array" {
		names = slices.DeleteFunc(names, func(name string) bool { return name == meta.DocumentAttributes })
	}
	return names
}

// ask requests documents and parses all that came; nil if they make no node. With probing set it
// does not wait long for blocked ones.
func (d *documents) ask(ctx context.Context, names []string, probing bool) (*meta.Node, error) {
	came, err := d.request(ctx, names, probing)
	if err != nil || !came {
		return nil, err
	}
	m, err := d.Parse(d.path, d.came())
	if err != nil || m != nil && m.Format == 3 {
		return m, err
	}
	if left := meta.DocumentAttributes; m != nil && m.Format == 2 && d.opt.Sparing && !d.opt.Bare && !d.asked(left) && m.Attributes.Len() == 0 {
		if came, err = d.request(ctx, []string{left}, true); came && err == nil {
			m, err = d.Parse(d.path, d.came())
		}
		if err != nil {
			return nil, err
		}
	}
	vital := d.vital(m)
	came, err = d.request(ctx, vital, true)
	if err != nil {
		return nil, err
	}
	for _, name := range vital {
		a := d.find(name)
		if a == nil {
			continue // a zarr.json came, and decides alone
		}
		if d.known.answered(a.unclear); store.Blocked(a.unclear) && d.known.hostIs(hostReports) {
			return nil, a.unclear
		}
	}
	if !came {
		return m, nil
	}
	return d.Parse(d.path, d.came())
}

// came returns the documents that came.
func (d *documents) came() (docs []meta.Document) {
	for i := range d.answers {
		if a := &d.answers[i]; a.came {
			docs = append(docs, meta.Document{Name: a.name, Bytes: a.bytes})
		}
	}
	return docs
}

// vital returns documents with unclear answers whose absence would silently change the node. They
// are requested once more. Most documents that a browser blocks are absent, and a host that refuses
// missing objects gets only one request.
func (d *documents) vital(m *meta.Node) (names []string) {
	attributes := meta.DocumentAttributes
	if m != nil && m.Format == 1 {
		attributes = meta.DocumentV1Attributes
	}
	array := m != nil && m.Array != nil
	for i := range d.answers {
		a := &d.answers[i]
		if a.unclear == nil {
			continue
		}
		matters := a.name == attributes
		if store.Blocked(a.unclear) {
			matters = m != nil && (matters || a.name == meta.DocumentConsolidated && !array)
		} else {
			matters = !d.known.hostIs(hostRefuses) && (matters || a.name == meta.DocumentV3 || !array || m.Format == 1)
		}
		if matters {
			names = append(names, a.name)
		}
	}
	return names
}

// request requests documents at once, and reports whether any came. A zarr.json decides alone, so
// request does not wait for the others.
func (d *documents) request(ctx context.Context, names []string, probing bool) (came bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		i     int
		bytes []byte
		err   error
	}
	results := make(chan result, len(names))
	for i, name := range names {
		var e store.Extent
		guard.Go(func() (err error) {
			e, err = d.read(ctx, name, probing)
			return err
		}, func(err error) { results <- result{i, e.Bytes, err} })
	}
	got := make([]result, len(names))
	for range names {
		r := <-results
		if got[r.i] = r; r.err == nil && names[r.i] == meta.DocumentV3 {
			d.answers = []answer{{name: meta.DocumentV3, came: true, bytes: r.bytes}}
			return true, nil
		}
	}
	for i, r := range got {
		a := answer{name: names[i], came: r.err == nil, bytes: r.bytes}
		switch {
		case a.came:
			came = true
		case errors.Is(r.err, fs.ErrNotExist):
			d.known.answered(r.err)
		case store.MaybeMissing(r.err):
			// Some servers answer "forbidden", or send a web page, for missing objects. Another
			// readable document proves that this means absence.
			a.unclear = r.err
		case err == nil:
			err = r.err
		}
		if again := d.find(a.name); again != nil {
			*again = a
		} else {
			d.answers = append(d.answers, a)
		}
	}
	return came, err
}

// read reads one document, past all caches if the path is not trusted.
func (d *documents) read(ctx context.Context, name string, probing bool) (store.Extent, error) {
	most := d.Limits.MetadataBytes
	switch {
	case name == itself:
		return d.itself(ctx)
	case meta.MayConsolidate(name):
		most = d.Limits.ConsolidatedBytes
	}
	return d.Engine.ReadKey(ctx, store.Join(d.path, name), store.Ask{MaxBytes: most, Fresh: d.past, Hint: store.Hint{Probe: probing}})
}
