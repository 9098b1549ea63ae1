// Package listing parses folder listings from servers. It sends nothing: the source
// (store/httpstore) passes it the bodies of the answers.
//
// Known formats, with their descriptions:
//
//   - S3's ListObjectsV2 and ListObjects (Amazon S3 API reference), with encoding-type=url or
//     without. The XML may have any namespace, as from MinIO, Ceph and Google's XML API;
//   - Azure's List Blobs (Blob service REST API);
//   - Google's objects.list (Cloud Storage JSON API);
//   - nginx's autoindex_format json and xml, and the JSON of Caddy's file server;
//   - any page of HTML with links to the folder's contents: the indexes of nginx, Apache, Caddy,
//     lighttpd, Python's http.server and the command zarr.
//
// [Parse] distinguishes them by their first bytes. In HTML only the links count, because some
// servers shorten the texts. A link is resolved against the address of the folder, and counts if it
// leads directly into the folder.
//
// A list proves presence, not absence. Some servers hide names that begin with a dot, and a page
// may have been written by hand.
package listing

import (
	"errors"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/percent"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// MaxNames limits the number of names in a list.
const MaxNames = 1_000_000

// MaxBytes limits the body of an answer, in bytes.
const MaxBytes = 64 << 20

// maxPath limits the total length of the names of open XML elements, in bytes.
const maxPath = 1000

// Page is an answer: a list, or a part of one.
type Page struct {
	// Names are the names in the folder, or the full keys of a bucket's objects, in the order of
	// the answer. Folders end with a slash.
	Names []string
	// Keys reports that the names are full keys, which begin with Prefix.
	Keys   bool
	Prefix string
	// Next marks the next page, "" after the last one. Param is the query parameter that sends it
	// to the server.
	Next, Param string
}

// Error says why an answer is not a list. It matches errors.ErrUnsupported.
type Error struct{ Msg string }

func (e *Error) Error() string { return "not a listing: " + e.Msg }

// Is reports that the error matches errors.ErrUnsupported.
func (e *Error) Is(target error) bool { return target == errors.ErrUnsupported }

// Parse parses an answer. It resolves links against the folder's address, an absolute URL that ends
// with a slash. An error is an *[Error] or a *[limits.Error].
func Parse(body []byte, folder string) (*Page, error) {
	if err := limits.Check("EncodedBytes", MaxBytes, int64(len(body)), "a list of names"); err != nil {
		return nil, err
	}
	p := &Page{}
	text := strings.TrimLeft(strings.TrimPrefix(string(body), "\ufeff"), " \t\r\n")
	why := "neither XML nor HTML nor JSON"
	switch {
	case text == "":
	case text[0] == '[' || text[0] == '{':
		why = p.json(text)
	case text[0] == '<':
		why = p.tags(text, folder)
	}
	if why != "" {
		return nil, &Error{why}
	}
	return p, limits.Check("Names", MaxNames, int64(len(p.Names)), "a list of names")
}

// Below returns the names directly below a prefix, which is "" or ends with a slash. Folders end
// with a slash. It omits names elsewhere and names that are not keys.
func (p *Page) Below(prefix string) []string {
	names := make([]string, 0, len(p.Names))
	for _, name := range p.Names {
		if p.Keys {
			var below bool
			if name, below = strings.CutPrefix(name, prefix); !below {
				continue
			}
			if i := strings.IndexByte(name, '/'); i >= 0 {
				name = name[:i+1] // a server that ignores the delimiter lists the whole subtree
			}
		}
		names = add(names, name)
	}
	return names
}

// add appends a name if it can be part of a key and does not repeat the last one. Pages often link
// an icon and a text to the same file.
func add(names []string, name string) []string {
	plain := strings.TrimSuffix(name, "/")
	if strings.IndexByte(plain, '/') >= 0 || store.CheckKey(plain) != nil || len(names) > 0 && names[len(names)-1] == name {
		return names
	}
	return append(names, name)
}

// json parses the lists of nginx and Caddy, which are arrays, and Google's. It returns the reason
// of a failure.
func (p *Page) json(text string) string {
	v, err := json.Parse([]byte(text), json.Limits{Bytes: MaxBytes})
	if err != nil {
		return err.Error()
	}
	list := v
	if kind, _ := v.Get("kind").Text(); kind == "storage#objects" {
		list, p.Keys, p.Param = v.Get("items"), true, "pageToken"
		p.Next, _ = v.Get("nextPageToken").Text()
		for _, one := range v.Get("prefixes").Items() {
			name, _ := one.Text()
			p.add(name, true)
		}
	} else if v.Kind() != json.Array {
		return "a JSON document of another kind"
	}
	for _, one := range list.Items() {
		name, ok := one.Get("name").Text()
		if !ok {
			return "a JSON document of another kind"
		}
		kind, _ := one.Get("type").Text()
		folder, _ := one.Get("is_dir").Bool()
		p.add(name, folder || kind == "directory")
	}
	return ""
}

// add adds a name. Folders get a trailing slash.
func (p *Page) add(name string, folder bool) {
	if folder {
		name = strings.TrimSuffix(name, "/") + "/"
	}
	p.Names = append(p.Names, name)
}

// tags parses an XML list, which must be complete, or else the links of an HTML page. It returns
// the reason of a failure.
func (p *Page) tags(text, folder string) string {
	s := scanner{rest: text}
	// path holds the names of the open elements, each after a slash
	path, refused, marker := "", "", ""
	more, encoded := false, false
	for s.next() {
		switch {
		case s.name == "" && path == "":
		case s.name == "":
			return "XML that is not well-formed"
		case path == "" && !strings.Contains(elements, "/"+s.name+"/"):
			return p.html(text, folder)
		case !s.close:
			if !s.empty {
				path += "/" + s.name
			}
			if path == "" || len(path) > maxPath {
				return "XML without elements, or with too many"
			}
		default:
			outer, ok := strings.CutSuffix(path, "/"+s.name)
			if !ok {
				return "XML that is not well-formed"
			}
			value := entities(s.before)
			what := byte(0)
			if i := strings.Index(elements, path+"="); i >= 0 {
				what = elements[i+len(path)+1]
			}
			switch what {
			case 'o', 'f':
				p.add(value, what == 'f')
			case 'p':
				p.Prefix = value
			case 't':
				p.Next, p.Param = value, "continuation-token"
			case 'm':
				marker = value
			case 'i':
				more = value == "true"
			case 'e':
				encoded = value == "url"
			case 'r':
				refused += value + " "
			}
			p.Keys = path != "/list"
			path = outer
		}
	}
	switch {
	case path != "":
		return "XML that is cut off"
	case refused != "":
		return "the server answers " + refused
	case encoded:
		for i, name := range p.Names {
			p.Names[i] = percent.Decode(name, true)
		}
		marker, p.Prefix = percent.Decode(marker, true), percent.Decode(p.Prefix, true)
	}
	if p.Next == "" {
		if p.Next, p.Param = marker, "marker"; more && marker == "" && len(p.Names) > 0 {
			p.Next = p.Names[len(p.Names)-1] // S3 omits the marker when there is no delimiter
		}
	}
	return ""
}

// elements maps the XML elements that count to their meaning. The letters are:
//
//   - o is an object, f a folder, p the prefix of all names;
//   - t is the token of the next page, m the name that the next page starts after;
//   - i says whether there is a next page;
//   - e is the encoding of the names, r the reason of a refusal.
const elements = `/listbucketresult/contents/key=o /listbucketresult/commonprefixes/prefix=f /listbucketresult/prefix=p
/listbucketresult/nextcontinuationtoken=t /listbucketresult/nextmarker=m /listbucketresult/istruncated=i /listbucketresult/encodingtype=e
/enumerationresults/blobs/blob/name=o /enumerationresults/blobs/blobprefix/name=f /enumerationresults/prefix=p /enumerationresults/nextmarker=m
/list/file=o /list/directory=f /error/code=r /error=r`

// html reads the links of a page.
func (p *Page) html(text, folder string) string {
	s := scanner{rest: text}
	for s.next() {
		switch {
		case s.close:
		case s.name == "script" || s.name == "style":
			s.skip("</" + s.name)
		case s.name == "a":
			if p.Names = add(p.Names, nameOf(s.href(), folder)); len(p.Names) > MaxNames {
				return ""
			}
		}
	}
	return ""
}

// nameOf returns the name that a link refers to, if it lies directly in the folder of that address;
// "" otherwise.
func nameOf(href, folder string) string {
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		href = href[:i]
	}
	cut := strings.LastIndexByte(strings.TrimSuffix(href, "/"), '/') + 1
	dir, name := href[:cut], href[cut:]
	scheme, host, _ := strings.Cut(folder, "//")
	i := strings.IndexByte(host, '/')
	host, path := host[:max(i, 0)], host[max(i, 0):]
	if rest, ok := strings.CutPrefix(dir, scheme); ok {
		dir = rest
	}
	if rest, ok := strings.CutPrefix(dir, "//"+host+"/"); ok {
		dir = "/" + rest
	}
	if dir != "" && dir != "./" && percent.Decode(dir, false) != percent.Decode(path, false) || dir == "" && strings.IndexByte(name, ':') >= 0 || strings.IndexByte(href, '\\') >= 0 {
		return "" // another folder, another scheme, or a backslash, which browsers read as a slash
	}
	return percent.Decode(name, false)
}
