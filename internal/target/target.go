// Package target finds the objects that documents refer to by URL: the files of kerchunk's
// references, the virtual chunks of Icechunk.
//
//	set, err := target.New(sources, locator, "refs.json", location, target.Options{})
//	location, err := set.Locate(ctx, "s3://bucket/file.nc")
//
// [Sources] has one source for each origin, query and settings, shared by all stores. Chunks of one
// file thus have one name, whichever document refers to them. A [Set] resolves the targets of one
// document:
//
//   - A relative target is relative to the document's URL, and inherits its query, which may be a
//     signature. For a document without a URL (in an archive, in memory), it is a key of the
//     document's store. A part of a store below a path stands for the whole store, so that
//     documents in a folder can name files beside it.
//   - http and https URLs are read unchanged, with their queries. One below the document's store
//     without a query inherits that of the store.
//   - URLs of s3, gs, gcs, az, azure, abfs, abfss and hf are translated to the public HTTPS
//     endpoints. The user's table applies first, then the built-in rules. The names after them are
//     not percent-encoded; a question mark begins a query.
//   - All other schemes, file among them, are an [Error].
//
// Headers, credentials and functions of the document's store apply only to targets of its origin.
// [Options] selects the other allowed origins.
//
// An absent target is an error that does not match fs.ErrNotExist: a broken reference is damage,
// not a missing chunk.
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
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Site is a source that can create others with the same settings: an HTTP store.
type Site interface {
	store.Source
	// URL returns the URL of an object, with its query. The key "" stands for the store's own URL.
	URL(key string) string
	// Sibling returns a source at the same origin with the same settings. Object names are
	// percent-encoded URL paths without the leading slash. With a path, the source has only the
	// object there, under any name. The query is "" or begins with a question mark, and applies to
	// all requests. The function redirect, if set, judges the redirects of its requests. Its
	// argument to is the new origin, or "" if the platform hides it.
	Sibling(path, query string, redirect func(ctx context.Context, from, to string) error) (store.Source, error)
	// Alike reports whether another source has the same settings, apart from redirect.
	Alike(other store.Source) bool
}

// Sources holds the sources of targets. It is safe for concurrent use.
type Sources struct {
	open  func(origin string) (store.Source, error)
	drop  func(store.Source)
	mu    sync.Mutex
	plain map[string]Site   // without document settings, by origin
	sites map[string][]site // by origin and query
	count int
}

// site is a source with its rule for redirects. Bytes read under another rule may come from an
// origin that this rule rejects.
type site struct {
	source store.Source
	rule   *rule
}

// maxSites bounds the cached sources: each signed URL has its own.
const maxSites = 4096

// NewSources returns an empty set. The function open creates a source at an origin, without
// document settings; it returns a [Site]. The function drop receives unused sources, for the object
// layer to evict.
func NewSources(open func(origin string) (store.Source, error), drop func(store.Source)) *Sources {
	return &Sources{open: open, drop: drop, plain: map[string]Site{}, sites: map[string][]site{}}
}

// at returns the source at an origin for a query, and for one path or "". The site like provides
// the settings, and rule the redirect rule; both may be nil.
func (s *Sources) at(origin, path, query string, like Site, rule *rule) (store.Source, error) {
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
	name := origin + path + query
	for _, other := range s.sites[name] {
		if like.Alike(other.source) && rule.equal(other.rule) {
			return other.source, nil
		}
	}
	var redirect func(ctx context.Context, from, to string) error
	if rule != nil {
		redirect = rule.redirect
	}
	made, err := like.Sibling(path, query, redirect)
	if err != nil {
		return nil, err
	}
	if s.count++; s.count > maxSites {
		for _, all := range s.sites {
			for _, old := range all {
				s.drop(present{old.source})
			}
		}
		s.count = 1
		clear(s.sites)
		clear(s.plain)
	}
	s.sites[name] = append(s.sites[name], site{made, rule})
	return made, nil
}

// Options configures how to find the targets of a document. The zero value is ready to use.
type Options struct {
	// Target is a URL that replaces the document's. Relative targets are relative to it, and
	// references without a target use it.
	Target string
	// Endpoints maps prefixes of targets to replacements, such as "s3://bucket/" to
	// "https://minio.example.org/bucket/". The longest matching prefix counts.
	Endpoints map[string]string
	// Origins lists the allowed origins, in addition to those of the document and of Target; nil
	// allows all.
	Origins []string
	// Confirm, if set, is called once for each further origin.
	Confirm func(ctx context.Context, origin string) (bool, error)

	confirmed *share.Cache[string, bool]
}

// Once returns options for several sets that share the answers of Confirm.
func (o Options) Once() Options {
	o.confirmed = share.New[string, bool](1)
	return o
}

// Set resolves the targets of one document. It is safe for concurrent use.
type Set struct {
	sources *Sources
	opt     Options
	of      store.Locator
	folder  string // The document's folder in its store, with a trailing slash, or "".
	site    Site   // The document's site, or nil.
	origin  string // The site's origin.
	base    string // Base URL of relative targets, or "".
	store   string // URL of the document's store, without its query.
	query   string // The store's query.
	rule    *rule  // Nil if all origins are allowed.
}

// New returns the Set of a document: the object under a key of a store, at a location. If the
// document is a directory, key names any object directly in it. sources is shared by all sets. The
// error is an *[Error].
func New(sources *Sources, of store.Locator, key string, at store.Location, opt Options) (*Set, error) {
	for c := store.CapabilitiesOf(of); c.Outer != nil; c = store.CapabilitiesOf(of) {
		of, key = c.Outer, store.Join(c.Path, key)
	}
	t := &Set{sources: sources, opt: opt, of: of, base: opt.Target}
	origins := " "
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
		if u, err := weburl.Parse(t.store); err == nil {
			t.origin, origins = u.Origin, origins+u.Origin+" "
		}
	}
	for i, url := range append([]string{opt.Target}, opt.Origins...) {
		u, err := weburl.Parse(url)
		switch {
		case i == 0 && url == "":
			continue
		case err != nil:
			_, err := fail(url, err.Error())
			return nil, err
		}
		origins += u.Origin + " "
	}
	if opt.Origins != nil || opt.Confirm != nil {
		if opt.confirmed == nil {
			opt = opt.Once()
		}
		t.rule = &rule{origins, opt.Confirm, opt.confirmed}
	}
	return t, nil
}

// Error reports an invalid target.
type Error struct {
	Target string // without its query, which may be secret
	Msg    string
	// Absent is true for a valid target whose object does not exist.
	Absent bool
}

func (e *Error) Error() string { return "target " + strconv.Quote(e.Target) + ": " + e.Msg }

func fail(target, msg string) (store.Location, error) {
	return store.Location{}, &Error{Target: weburl.Redact(target), Msg: msg}
}

func absent(target string) error {
	return &Error{weburl.Redact(target), "the object does not exist", true}
}

// Locate returns the location of a whole target. Errors are *[Error], those of the document's
// store, and the context's.
func (t *Set) Locate(ctx context.Context, target string) (store.Location, error) {
	if target == "" {
		if target = t.opt.Target; target == "" {
			return fail("", "the reference names no target, and no default target is set")
		}
	}
	url, why := Translate(target, t.opt.Endpoints, false)
	if why != "" {
		return fail(target, why)
	}
	query := "" // the document's, for a relative target
	switch scheme := schemeOf(url); {
	case scheme == "" && t.base == "":
		key, ok := clean(t.folder, url)
		if !ok || store.CheckKey(key) != nil {
			return fail(target, "the relative target is not a key of the document's store")
		}
		at, err := t.of.Locate(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			err = &store.KeyError{Op: "get", Key: key, Err: absent(target)}
		}
		return must(at), err
	case scheme == "":
		url, query = t.relative(url)
	case !isWeb(url):
		return fail(target, "expected an absolute http or https URL, or a scheme with an endpoint, not "+strconv.Quote(scheme))
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return fail(target, err.Error())
	}
	if u.Query != "" {
		query = u.Query
	} else if t.store != "" && strings.HasPrefix(u.Origin+u.Path, t.store) {
		query = t.query
	}
	name, ok := clean("", escape(strings.TrimPrefix(u.Path, "/"), true))
	if !ok {
		return fail(target, "its path leaves its origin")
	}
	path := ""
	if store.CheckKey(name) != nil { // it has no segments, or some that no key has
		path, name = "/"+name, "object"
	}
	if t.rule != nil {
		if err := t.rule.allow(ctx, target, "its origin", u.Origin); err != nil {
			return store.Location{}, err
		}
	}
	var like Site
	if t.site != nil && u.Origin == t.origin {
		like = t.site
	}
	source, err := t.sources.at(u.Origin, path, query, like, t.rule)
	if err != nil {
		return fail(target, err.Error())
	}
	return store.At(present{source}, name), nil
}

// relative returns the URL of a target relative to the base, and the base's query.
func (t *Set) relative(target string) (url, query string) {
	base, _ := cut(t.base, '#')
	base, query = cut(base, '?')
	host := strings.Index(base, "//") + 2
	switch {
	case strings.HasPrefix(target, "//"):
		return base[:host-2] + target, ""
	case strings.HasPrefix(target, "/"):
		authority, _ := cut(base[host:], '/')
		return base[:host] + authority + target, query
	}
	if i := strings.LastIndexByte(base[host:], '/'); i >= 0 {
		return base[:host+i+1] + target, query
	}
	return base + "/" + target, query
}

// rule selects the origins that may be read.
type rule struct {
	origins   string // surrounded by spaces
	confirm   func(ctx context.Context, origin string) (bool, error)
	confirmed *share.Cache[string, bool]
}

// equal reports whether two rules allow the same.
func (r *rule) equal(other *rule) bool {
	if r == nil || other == nil {
		return r == other
	}
	asks := r.confirm != nil || other.confirm != nil
	return r.origins == other.origins && (!asks || r.confirmed == other.confirmed)
}

// allow returns the error for a target of a forbidden origin. The message begins with what, such as
// "its origin".
func (r *rule) allow(ctx context.Context, target, what, origin string) error {
	if strings.Contains(r.origins, " "+origin+" ") {
		return nil
	}
	why := what + " " + origin + " is not allowed"
	if r.confirm != nil {
		yes, err := r.confirmed.Do(ctx, origin, func(ctx context.Context) (bool, int64, error) {
			yes, err := r.confirm(ctx, origin)
			return yes, 0, err
		})
		if err != nil || yes {
			return err
		}
		why = what + " " + origin + " was not confirmed"
	}
	_, err := fail(target, why)
	return err
}

// redirect rejects a redirect to a forbidden origin.
func (r *rule) redirect(ctx context.Context, from, to string) error {
	if to == "" {
		_, err := fail(from, "the server redirects, and the browser hides the new origin, so it cannot be checked: use the address that it redirects to")
		return err
	}
	return r.allow(ctx, from, "the origin of a redirect,", to)
}

// Translate returns a target with its public endpoint, or an error. It applies the endpoints, the
// longest match first, and then the built-in rules. Targets that are no object-store address remain
// unchanged. encoded states that the target is percent-encoded already.
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
				// the certificate covers names without dots
				to = "https://s3.amazonaws.com/" + bucket
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
		case "hf": // owner/name, perhaps after a repository type, and perhaps with a revision
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
		case "s3+http", "s3+https": // an S3 server by its own address
			return target[3:], ""
		default:
			return target, ""
		}
		from = target[:min(len(scheme)+3+len(bucket), len(target))]
	}
	tail, query := cut(target[len(from):], '?')
	return to + escape(tail, encoded || isWeb(target)) + query, ""
}

// cut splits s at the first c, and drops a slash that follows.
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

// schemeOf returns the scheme of a target in lower case, or "" for a relative one.
func schemeOf(target string) string {
	i := strings.IndexAny(target, ":/?#")
	if i < 0 || target[i] != ':' {
		return ""
	}
	return ascii.Lower(target[:i])
}

// isWeb reports whether a URL is an absolute one of http or https.
func isWeb(url string) bool {
	scheme := schemeOf(url)
	return (scheme == "http" || scheme == "https") && strings.HasPrefix(url[len(scheme):], "://")
}

// clean resolves the segments "." and "..", and reports whether the path stays below its root.
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

// escape percent-encodes a path so that it has one form: letters, digits and dots remain plain. In
// a path that is encoded already, legal characters remain.
func escape(path string, encoded bool) string {
	buf := make([]byte, 0, len(path)+16)
	for i := 0; i < len(path); i++ {
		c, was := path[i], false
		if encoded && c == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c, was, i = byte(n), true, i+2
			}
		}
		switch {
		case weburl.Unreserved(c), !was && c == '/', !was && encoded && strings.IndexByte("!$&'()*+,;=:@", c) >= 0:
			buf = append(buf, c)
		default:
			buf = weburl.AppendEscape(buf, c)
		}
	}
	return string(buf)
}

// must turns absence at a location into an error that does not look like a missing chunk.
func must(at store.Location) store.Location {
	if at.Else != nil {
		last := must(*at.Else)
		at.Else = &last
		return at
	}
	switch at.Source.(type) {
	case nil, present:
	default:
		at.Source = present{at.Source}
	}
	return at
}

// present is a source whose objects must exist.
type present struct{ store.Source }

// Read implements [store.Source].
func (p present) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := p.Source.Read(ctx, name, ask)
	if errors.Is(err, fs.ErrNotExist) {
		err = &store.KeyError{Op: "get", Key: name, Err: absent(p.Address(name))}
	}
	return e, err
}

// Capabilities implements [store.Capable].
func (p present) Capabilities() store.Capabilities {
	return store.Capabilities{Remote: p, WholeOnly: store.SourceCapabilities(p.Source).WholeOnly}
}

// Address implements [store.Remote].
func (p present) Address(name string) string {
	if r := store.SourceCapabilities(p.Source).Remote; r != nil {
		return r.Address(name)
	}
	return name
}

// Itself implements [store.Remote].
func (p present) Itself() (store.Source, string) { return nil, "" }
