// Package listing reads what servers answer when they are asked what lies in a folder. It sends
// nothing: the source that has asked (store/httpstore) hands it the bodies of the answers.
//
// What is known, and where it is described:
//
//   - S3's ListObjectsV2 and ListObjects (Amazon S3 API reference), in the XML of any namespace that MinIO, Ceph,
//     Google's XML API and others write, with encoding-type=url or without;
//   - Azure's List Blobs (Blob service REST API);
//   - Google's objects.list (Cloud Storage JSON API);
//   - nginx's autoindex_format json and xml, and the JSON of Caddy's file server;
//   - any page of HTML whose links lead to what lies in the folder: the indexes of nginx, Apache, Caddy, lighttpd,
//     Python's http.server and the command zarr.
//
// [Parse] tells them apart by what they begin with. Of HTML only the links count: their texts are cut by some servers. A link
// is resolved against the address of the folder, and counts where it leads to what lies directly in it.
//
// A list shows what is there. It does not show what is absent: some servers hide names that begin with a dot, and
// a page may have been written by hand.
package listing

import (
	"errors"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/percent"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// MaxNames is how many names a list may have.
const MaxNames = 1_000_000

// MaxBytes is how many bytes the body of an answer may have.
const MaxBytes = 64 << 20

// maxPath is how long the names of the elements may be together that an element of XML lies in.
const maxPath = 1000

// Page is an answer: a list, or part of one.
type Page struct {
	// Names are, in the order of the answer, the names in the folder, or the keys of a bucket's objects in full. A folder's
	// ends with a slash.
	Names []string
	// Keys tells that the names are keys in full, those that begin with Prefix.
	Keys   bool
	Prefix string
	// Next is where the next page begins, "" behind the last one, and Param the parameter of the query that says
	// so to the server.
	Next, Param string
}

// Error says that there is no list, and why. It matches errors.ErrUnsupported.
type Error struct{ Msg string }

func (e *Error) Error() string { return "no list: " + e.Msg }

// Is tells that the error matches errors.ErrUnsupported.
func (e *Error) Is(target error) bool { return target == errors.ErrUnsupported }

// Parse reads an answer. Links are resolved against the address of the folder, an absolute URL that ends with a
// slash. An error is an *[Error] or a *[limits.Error].
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

// Below returns the names directly below a prefix, which is "" or ends with a slash; folders with a slash. What is
// elsewhere, and what is no key, is left out.
func (p *Page) Below(prefix string) []string {
	names := make([]string, 0, len(p.Names))
	for _, name := range p.Names {
		if p.Keys {
			var below bool
			if name, below = strings.CutPrefix(name, prefix); !below {
				continue
			}
			if i := strings.IndexByte(name, '/'); i >= 0 {
				name = name[:i+1] // a server that does not know the delimiter lists all that is below
			}
		}
		names = add(names, name)
	}
	return names
}

// add appends a name if it can be part of a key, and is not the one before, as where a picture has the same link.
func add(names []string, name string) []string {
	plain := strings.TrimSuffix(name, "/")
	if strings.IndexByte(plain, '/') >= 0 || store.CheckKey(plain) != nil || len(names) > 0 && names[len(names)-1] == name {
		return names
	}
	return append(names, name)
}

// json reads the lists of nginx and Caddy, which are arrays, and Google's. It returns why it cannot.
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

// add adds a name; that of a folder ends with a slash.
func (p *Page) add(name string, folder bool) {
	if folder {
		name = strings.TrimSuffix(name, "/") + "/"
	}
	p.Names = append(p.Names, name)
}

// tags reads an answer in XML, which has to be complete, or else the links of a page of HTML. It returns why it cannot.
func (p *Page) tags(text, folder string) string {
	s := scanner{rest: text}
	path, refused, marker := "", "", "" // path has the names of the open elements, each with a slash before it
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
			p.Next = p.Names[len(p.Names)-1] // S3 leaves it out where there is no delimiter
		}
	}
	return ""
}

// elements are those that count of answers in XML, and for what: o an object, f a folder, p the prefix of all, t where the next
// page begins, m what the next page comes after, i whether there is one, e how names are encoded, r what is refused.
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

// nameOf returns the name of what a link leads to, if that lies directly in the folder of that address; "" otherwise.
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
		return "" // elsewhere; a scheme; a slash, as a browser reads it
	}
	return percent.Decode(name, false)
}
