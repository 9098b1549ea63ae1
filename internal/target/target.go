// Package target finds the objects that documents refer to by URL: the files of kerchunk's references, the
// virtual chunks of Icechunk.
//
// [Sources] has one source for each origin, query and settings, for all stores that share it. So chunks of one file
// are known by one name, whichever document refers to them. A [Set] resolves the targets of one document:
//
//   - A relative target is relative to the document's URL, and takes over its query, which may be a signature. Where the
//     document lies in an archive, in memory or elsewhere without a URL, the target is a key of the document's store.
//   - http and https are read as they are, with their queries. One that lies below the document's store and has no
//     query takes over that of the store.
//   - s3, gs, gcs, az, azure, abfs, abfss and hf are translated to the public HTTPS endpoints: first by the user's table, then
//     by the built-in rules. The names behind them are not percent-encoded; a question mark begins a query.
//   - All other schemes, file among them, are an [Error].
//
// Headers, credentials and functions of the document's store are used for targets of its origin only. [Options] say which
// other origins are read from.
//
// An absent target is an error that does not match fs.ErrNotExist: a reference to what is not there is damage, and
// no missing chunk.
package target

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Site is a source of which there are others with the same settings: an HTTP store.
type Site interface {
	store.Source
	// URL returns where the object under a key is, with its query; of the key "" where the store is.
	URL(key string) string
	// Sibling returns a source at the same origin with the same settings. The names of its objects are the paths of their
	// URLs, percent-encoded, without the leading slash; or with a path it has the one object that is there, under any name.
	// All have the query, which is "" or begins with a question mark.
	Sibling(path, query string) (store.Source, error)
	// Alike tells whether another source has the same settings.
	Alike(other store.Source) bool
}

// Sources has the sources of targets. It is safe for concurrent use.
type Sources struct {
	open  func(origin string) (store.Source, error)
	drop  func(store.Source)
	mu    sync.Mutex
	plain map[string]Site           // without settings of their own, by origin
	sites map[string][]store.Source // by origin and query
	count int
}

// maxSites is how many sources are kept: each URL with a signature of its own has one.
const maxSites = 4096

// NewSources returns an empty set. Open makes a source at an origin, without settings of its own; what it returns is a
// [Site]. Drop is told of sources that are no longer used, for which the object layer has a method.
func NewSources(open func(origin string) (store.Source, error), drop func(store.Source)) *Sources {
	return &Sources{open: open, drop: drop, plain: map[string]Site{}, sites: map[string][]store.Source{}}
}

// at returns the source at an origin for a query, and for one path or "", with the settings of another there, which may be nil.
func (s *Sources) at(origin, path, query string, like Site) (store.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if like == nil {
		if like = s.plain[origin]; like == nil {
			opened, err := s.open(origin)
			if err != nil {
				return nil, err
			}
			like = opened.(Site)
			s.plain[origin] = like
		}
	}
	for _, other := range s.sites[origin+path+query] {
		if like.Alike(other) {
			return other, nil
		}
	}
	made, err := like.Sibling(path, query)
	if err != nil {
		return nil, err
	}
	if s.count++; s.count > maxSites {
		for _, all := range s.sites {
			for _, old := range all {
				s.drop(present{old})
			}
		}
		s.count = 1
		clear(s.sites)
		clear(s.plain)
	}
	s.sites[origin+path+query] = append(s.sites[origin+path+query], made)
	return made, nil
}

// Options say how the targets of a document are found. The zero value is ready to use.
type Options struct {
	// Target is a URL that takes the place of the document's: relative targets are relative to it, and it is
	// the target where a reference names none.
	Target string
	// Endpoints are further translations, from the beginning of a target to what takes its place, such as
	// "s3://bucket/" to "https://minio.example.org/bucket/". The longest that fits counts.
	Endpoints map[string]string
	// Origins are what is read from besides the origins of the document and of Target; nil are all.
	Origins []string
	// Confirm, if set, is asked once for each further origin.
	Confirm func(ctx context.Context, origin string) (bool, error)
}

// Set resolves the targets of one document. It is safe for concurrent use.
type Set struct {
	sources   *Sources
	opt       Options
	of        store.Locator
	folder    string // of the document in its store, with a slash behind it or ""
	site      Site   // that the document lies at, or nil
	base      string // URL that relative targets are relative to, or ""
	store     string // URL of the document's store, without its query
	query     string // the store's
	origins   []string
	confirmed *share.Cache[string, bool]
}

// New returns the Set of a document, which is the object under the key of a store, found at a location; for a directory, the key
// of any object directly in it. Sources is shared by all sets. An error is an *[Error].
func New(sources *Sources, of store.Locator, key string, at store.Location, opt Options) (*Set, error) {
	t := &Set{sources: sources, opt: opt, of: of, base: opt.Target, confirmed: share.New[string, bool](1)}
	t.folder = key[:strings.LastIndexByte(key, '/')+1]
	if p, ok := at.Source.(present); ok {
		at.Source = p.Source
	}
	if site, ok := at.Source.(Site); ok {
		t.site = site
		if at.Whole() && t.base == "" {
			t.base = site.URL(at.Name)
		}
		t.store, t.query = cut(site.URL(""), '?')
		t.origins = append(t.origins, origin(t.store))
	}
	for i, url := range append([]string{opt.Target}, opt.Origins...) {
		if isWeb(url) {
			t.origins = append(t.origins, origin(url))
		} else if i > 0 || url != "" {
			_, err := fail(url, "an absolute URL is expected, http or https")
			return nil, err
		}
	}
	return t, nil
}

// Error says what is wrong with a target.
type Error struct {
	Target string // without its query, which may be secret
	Msg    string
	// Absent is true where the target is a good one, and there is no such object.
	Absent bool
}

func (e *Error) Error() string { return "target " + strconv.Quote(e.Target) + ": " + e.Msg }

func fail(target, msg string) (store.Location, error) {
	return store.Location{}, &Error{Target: clip(target), Msg: msg}
}

func absent(target string) error {
	return &Error{clip(target), "there is no such object", true}
}

// clip returns a target without what may be secret in it.
func clip(target string) string {
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	if i := strings.LastIndexByte(target, '@'); i >= 0 {
		target = target[i:] // a password may stand before it
	}
	return target[:min(len(target), 500)]
}

// Locate returns where a target is, all of it. Errors are *[Error], those of the document's store, and the context's.
func (t *Set) Locate(ctx context.Context, target string) (store.Location, error) {
	if target == "" {
		if target = t.opt.Target; target == "" {
			return fail("", "a reference without a target, and no target is set")
		}
	}
	url, why := Translate(target, t.opt.Endpoints, false)
	if why != "" {
		return fail(target, why)
	}
	query := ""
	switch scheme := schemeOf(url); {
	case scheme == "" && t.base == "":
		key, ok := clean(t.folder, url)
		if !ok || store.CheckKey(key) != nil {
			return fail(target, "it is no key of the document's store, in which a relative one is looked for")
		}
		at, err := t.of.Locate(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			err = &store.KeyError{Op: "get", Key: key, Err: absent(target)}
		}
		return must(at), err
	case scheme == "":
		url, query = t.relative(url)
	case !isWeb(url):
		return fail(target, "objects are read by http and https only, and by schemes that endpoints translate to these: it has "+strconv.Quote(scheme))
	}
	url, _ = cut(url, '#')
	url, own := cut(url, '?')
	if own != "" {
		query = own
	} else if t.store != "" && strings.HasPrefix(url, t.store) {
		query = t.query
	}
	from := origin(url)
	_, path := cut(url[strings.Index(url, "//")+2:], '/')
	name, ok := clean("", escape(path, true))
	if !ok {
		return fail(target, "its path leads out of its origin")
	}
	path = ""
	if store.CheckKey(name) != nil { // it has segments that no key has, or none
		path, name = "/"+name, "object"
	}
	if err := t.allow(ctx, target, from); err != nil {
		return store.Location{}, err
	}
	var like Site
	if t.site != nil && len(t.origins) > 0 && from == t.origins[0] {
		like = t.site
	}
	source, err := t.sources.at(from, path, query, like)
	if err != nil {
		return fail(target, err.Error())
	}
	return store.At(present{source}, name), nil
}

// relative returns the URL of a target that is relative to the base, and the query of the base.
func (t *Set) relative(target string) (url, query string) {
	base, _ := cut(t.base, '#')
	base, query = cut(base, '?')
	host := strings.Index(base, "//") + 2
	switch {
	case strings.HasPrefix(target, "//"):
		return base[:host-2] + target, ""
	case strings.HasPrefix(target, "/"):
		return origin(base) + target, query
	}
	if i := strings.LastIndexByte(base[host:], '/'); i >= 0 {
		return base[:host+i+1] + target, query
	}
	return base + "/" + target, query
}

// allow refuses an origin that is not to be read from.
func (t *Set) allow(ctx context.Context, target, origin string) error {
	if t.opt.Origins == nil && t.opt.Confirm == nil {
		return nil
	}
	for _, o := range t.origins {
		if o == origin {
			return nil
		}
	}
	msg := "its origin " + origin + " is not among those that may be read from"
	if confirm := t.opt.Confirm; confirm != nil {
		yes, err := t.confirmed.Do(ctx, origin, func(ctx context.Context) (bool, int64, error) {
			yes, err := confirm(ctx, origin)
			return yes, 0, err
		})
		if err != nil || yes {
			return err
		}
		msg = "to read from its origin " + origin + " was not confirmed"
	}
	_, err := fail(target, msg)
	return err
}

// Translate returns a target with its endpoint in the place of what stands for it, or why it has none: by the endpoints, of which the
// longest that fits counts, else by the built-in rules. What is no address of an object store stays as it is. What is encoded
// stays encoded.
func Translate(target string, endpoints map[string]string, encoded bool) (url, why string) {
	scheme, from, to := schemeOf(target), "", ""
	for prefix, endpoint := range endpoints {
		if strings.HasPrefix(target, prefix) && len(prefix) > len(from) {
			from, to = prefix, endpoint
		}
	}
	if from == "" {
		rest := strings.TrimPrefix(target[min(len(scheme)+1, len(target)):], "//")
		bucket, _ := cut(rest, '/')
		switch scheme {
		case "s3":
			if to = "https://" + bucket + ".s3.amazonaws.com"; strings.IndexByte(bucket, '.') >= 0 {
				to = "https://s3.amazonaws.com/" + bucket // the certificate is for names without dots
			}
		case "gs", "gcs":
			to = "https://storage.googleapis.com/" + bucket
		case "az", "azure", "abfs", "abfss":
			container, account := cut(bucket, '@')
			if account == "" {
				return "", `it does not name the account: set an endpoint, such as "` + scheme + "://" + bucket + `/" to "https://ACCOUNT.blob.core.windows.net/` + bucket + `/"`
			}
			account, _ = cut(account[1:], '.')
			to = "https://" + account + ".blob.core.windows.net/" + container
		case "hf": // owner/name, or with what it is of before it, then perhaps a revision
			n, i := 2, 0
			if bucket == "datasets" || bucket == "spaces" {
				n = 3
			}
			for ; i < len(rest); i++ {
				if rest[i] != '/' {
				} else if n--; n == 0 {
					break
				}
			}
			bucket = rest[:i]
			name, revision := cut(bucket+"@main", '@')
			revision, _ = cut(revision[1:], '@')
			to = "https://huggingface.co/" + name + "/resolve/" + revision
		case "s3+http", "s3+https": // a server that speaks S3, by its own address
			return target[3:], ""
		default:
			return target, ""
		}
		from = target[:min(len(scheme)+3+len(bucket), len(target))]
	}
	tail, query := cut(target[len(from):], '?')
	return to + escape(tail, encoded || isWeb(target)) + query, ""
}

// cut returns what stands before the first c, and the rest from there on, save a slash.
func cut(s string, c byte) (before, after string) {
	i := strings.IndexByte(s, c)
	switch {
	case i < 0:
		return s, ""
	case c == '/':
		return s[:i], s[i+1:]
	}
	return s[:i], s[i:]
}

// schemeOf returns the scheme of a target in lower case; "" of a relative one.
func schemeOf(target string) string {
	i := strings.IndexAny(target, ":/?#")
	if i < 0 || target[i] != ':' {
		return ""
	}
	return ascii.Lower(target[:i])
}

// isWeb tells whether a URL is one of http or https, and absolute.
func isWeb(url string) bool {
	scheme := schemeOf(url)
	return (scheme == "http" || scheme == "https") && strings.HasPrefix(url[len(scheme):], "://")
}

// origin returns the scheme, host and port of a URL, in lower case and without a default port.
func origin(url string) string {
	i := strings.Index(url, "//") + 2
	host, _ := cut(url[i:], '/')
	o := ascii.Lower(url[:i] + host)
	if strings.HasPrefix(o, "https") {
		return strings.TrimSuffix(o, ":443")
	}
	return strings.TrimSuffix(o, ":80")
}

// clean returns a path without its segments "." and "..", and whether it stays below its root.
func clean(folder, path string) (string, bool) {
	if strings.HasPrefix(path, "/") {
		folder, path = "", path[1:]
	}
	var segments []string
	for _, s := range strings.Split(folder+path, "/") {
		switch s {
		case ".":
		case "..":
			if len(segments) == 0 {
				return "", false
			}
			segments = segments[:len(segments)-1]
		default:
			segments = append(segments, s)
		}
	}
	return strings.Join(segments, "/"), true
}

// escape percent-encodes what may not stand in a path, and letters, digits and dots never, so that a path has one form. In one
// that is encoded already, what is legal stays.
func escape(path string, encoded bool) string {
	const digits = "0123456789ABCDEF"
	buf := make([]byte, 0, len(path)+16)
	for i := 0; i < len(path); i++ {
		c, was := path[i], false
		if encoded && c == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c, was, i = byte(n), true, i+2
			}
		}
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0,
			!was && c == '/', !was && encoded && strings.IndexByte("!$&'()*+,;=:@", c) >= 0:
			buf = append(buf, c)
		default:
			buf = append(buf, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(buf)
}

// must makes absence at a location an error that is not taken for a missing chunk.
func must(at store.Location) store.Location {
	if at.Else != nil {
		last := must(*at.Else)
		at.Else = &last
		return at
	}
	switch at.Source.(type) {
	case nil, present, presentWhole:
	case store.WholeOnly:
		at.Source = presentWhole{present{at.Source}}
	default:
		at.Source = present{at.Source}
	}
	return at
}

// present is a source whose objects are referred to.
type present struct{ store.Source }

// Read implements [store.Source].
func (p present) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := p.Source.Read(ctx, name, ask)
	if errors.Is(err, fs.ErrNotExist) {
		err = &store.KeyError{Op: "get", Key: name, Err: absent(p.Address(name))}
	}
	return e, err
}

// Address implements [store.Remote].
func (p present) Address(name string) string {
	if r, ok := p.Source.(store.Remote); ok {
		return r.Address(name)
	}
	return name
}

// presentWhole is likewise, of a source that reads whole objects only.
type presentWhole struct{ present }

// WholeOnly implements [store.WholeOnly].
func (presentWhole) WholeOnly() {}
