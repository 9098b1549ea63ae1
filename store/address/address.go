// Package address parses addresses: texts that name a store, the containers that it lies in, and a
// node.
//
//	https://example.org/data.zarr                      a URL, or the path of a folder
//	https://example.org/a.zip                          a container, known by its file extension
//	https://example.org/a.zip|zip:inner/|zarr3:node    a pipeline of ZEP 8 and neuroglancer
//	zip://inner::https://example.org/a.zip             a chain of fsspec
//	zarr3://https://example.org/data.zarr              a prefix of older versions of neuroglancer
//
// A pipeline reads from left to right. Each step is a kind and a percent-encoded path in the result
// of the steps before it. A chain reads from right to left, and its paths are not encoded. The
// containers are zip, reference (or kerchunk), icechunk and n5. The kinds zarr, zarr2 and zarr3
// name the version of a node and come last. Kinds, schemes and extensions may be in upper case. The
// path in an Icechunk repository may begin with a snapshot: "@branch.NAME", "@tag.NAME", or "@" and
// its id. In a chain, fsspec's caches (simplecache, filecache, blockcache, cached) change nothing.
//
// A bar that no word and colon follow is part of a path. A path with a bar that looks like a step
// must encode it as "%7C". The URL of a metadata document names its node.
package address

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/percent"
)

// Address is a node in a store.
type Address struct {
	// Place is the URL, or the path of a file or folder, at the beginning of the address. File
	// reports a path, Object a single object: an archive or a document.
	Place        string
	File, Object bool
	// Layers are the stores on top of the place, each on the one before it.
	Layers []Layer
	// Path is the node's path in the store.
	Path string
	// Format is the node's Zarr version, 2 or 3; 0 for any.
	Format int
	// Guessed reports that only a file extension suggests the container. A folder may have such a
	// name.
	Guessed bool
}

// Layer is a store that stands on another. Package internal/kinds describes the kinds.
type Layer struct {
	// Kind is "zip", "reference", "icechunk" or "n5", or "prefix" for the part below a path.
	Kind string
	// Option and Value are a setting. It is the "key" of a container's object, the "path" of a
	// prefix, or the "branch", "tag" or "snapshot" of a repository. A container without a key is
	// the place itself.
	Option, Value string
}

// Options hold facts about an address. The zero value is ready to use.
type Options struct {
	// Endpoints replace the beginning of a URL, such as "s3://bucket/". The longest match applies.
	Endpoints map[string]string
	// Known is the container found at the URL, as zarr.UnsupportedError names it, or "folder" for
	// none. With "" the file extension decides.
	Known string
	// Files makes a text without a scheme the path of a file. Otherwise it is a URL, relative to an
	// unknown one.
	Files bool
	// IsFolder, if set, reports whether a path is that of a folder. Then extensions inside a path
	// count as well.
	IsFolder func(path string) bool
}

// Error says why a text is not an address. The message contains no text that may be secret.
type Error string

func (e Error) Error() string { return "address: " + string(e) }

// The words of steps, each between two spaces.
const (
	containers = " zip reference kerchunk icechunk n5 "
	versions   = " zarr zarr2 zarr3 "
	caches     = " simplecache filecache blockcache cached "
)

// is reports whether a list contains a word.
func is(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// maxSteps limits the number of steps in an address.
const maxSteps = 16

// Parse parses an address. An error is an [Error].
func Parse(text string, opt Options) (Address, error) {
	var a Address
	if err := a.read(text, &opt, opt.Known != ""); err != "" {
		return Address{}, err
	}
	return a, nil
}

// Container returns the kind of container that a URL or path suggests although it was opened as a
// folder. A file extension or a full address suggests one. It returns "" for others.
func Container(url string) string {
	var a Address
	if err := a.read(strings.ReplaceAll(url, "%7C", "|"), &Options{Files: true}, true); err != "" || len(a.Layers) == 0 {
		return ""
	}
	return a.Layers[len(a.Layers)-1].Kind
}

// read parses an address. With deep, extensions inside a path count as well.
func (a *Address) read(text string, opt *Options, deep bool) Error {
	if !opt.Files {
		text = ascii.TrimSpace(text)
	}
	place, steps := cut(pipeline(text))
	from := ""
	for prefix := range opt.Endpoints {
		if len(prefix) > len(from) && strings.HasPrefix(place, prefix) {
			from = prefix
		}
	}
	if from != "" {
		place = opt.Endpoints[from] + place[len(from):]
	}
	if word, _, _ := strings.Cut(steps[min(len(steps), 1):], ":"); !is(containers, ascii.Lower(word)) {
		step := ""
		place, step = opt.guess(place, deep)
		steps = step + steps
		a.Guessed = step != "" && opt.Known == ""
	}
	a.Place = place
	_, end, file := opt.pathOf(place)
	name, version := place[:end], false
	a.File = file
	for n := 0; steps != ""; n++ {
		word, rest, _ := strings.Cut(steps[1:], ":")
		inside, ref := "", ""
		inside, steps = cut(rest)
		inside = strings.TrimLeft(inside, "/")
		switch kind := ascii.Lower(word); {
		case n == maxSteps:
			return Error("more than " + strconv.Itoa(maxSteps) + " steps")
		case is(versions, kind):
			version = true
			if n := int(kind[len(kind)-1]) - '0'; n < 10 {
				if a.Format != 0 && a.Format != n {
					return "two versions of Zarr are requested"
				}
				a.Format = n
			}
		case !is(containers, kind):
			return Error("unknown kind of container " + strconv.Quote(word) + ": expected zip, reference, icechunk, n5, zarr2 or zarr3")
		case version || place == "":
			return "a URL or a path must come first, and a version of Zarr last"
		default:
			if kind == "icechunk" && strings.HasPrefix(inside, "@") {
				ref, inside, _ = strings.Cut(inside, "/")
			}
			if err := a.contain(kind, name, ref); err != "" {
				return err
			}
		}
		names := strings.Split(a.Path+"/"+percent.Decode(inside, false), "/")
		kept := names[:0]
		for _, name := range names {
			if name == ".." {
				return "a path leads out of its container"
			}
			if name != "" && name != "." {
				kept = append(kept, name)
			}
		}
		a.Path = strings.Join(kept, "/")
		name = a.Path
	}
	return ""
}

// contain adds the layer of a container for the object or folder at the path. Ref is its snapshot.
func (a *Address) contain(kind, name, ref string) Error {
	if kind == "kerchunk" {
		kind = "reference"
	}
	l := Layer{Kind: kind}
	switch {
	case kind == "icechunk", kind == "n5", kind == "reference" && (strings.HasSuffix(name, "/") || is(" .parq .parquet ", ext(name))):
		if a.Path != "" {
			a.Layers = append(a.Layers, Layer{"prefix", "path", a.Path})
		}
	case a.Path != "":
		l.Option, l.Value = "key", a.Path
	case len(a.Layers) == 0:
		a.Object = true
	default:
		return Error("expected the path of an object before " + kind + ":")
	}
	if ref != "" {
		l.Option, l.Value = "snapshot", percent.Decode(ref[1:], false)
		if name, value, _ := strings.Cut(l.Value, "."); name == "branch" || name == "tag" {
			l.Option, l.Value = name, value
		}
		if l.Value == "" {
			return `"@" is followed by "branch.NAME", "tag.NAME" or the id of a snapshot`
		}
	}
	a.Layers, a.Path = append(a.Layers, l), ""
	return ""
}

// pipeline converts a chain, or a text with a prefix, into a pipeline.
func pipeline(text string) string {
	chain, version := "", ""
	for range maxSteps {
		n := wordLen(text, "_")
		word, rest := ascii.Lower(text[:n]), text[n:]
		deep := strings.HasPrefix(rest, "://") && is(containers+versions+caches, word)
		step := "|" + word + ":"
		if deep && hasScheme(rest[3:], "://") {
			if text = rest[3:]; is(versions, word) {
				version += step
				continue
			}
			place, steps := cut(text)
			text = place + step + steps
			continue
		}
		i := strings.Index(rest, "::")
		if n < 2 || i < 0 || i > 0 && !deep || strings.ContainsAny(rest[:i], "|[") {
			break
		}
		if !is(caches, word) {
			chain = step + strings.ReplaceAll(rest[min(i, 3):i], "%", "%25") + chain
		}
		text = rest[i+2:]
	}
	return text + chain + version
}

// guess splits a place by its extensions. It returns the place without a document's name and
// without the path in a container, and the container's step, if any.
func (o *Options) guess(place string, deep bool) (_, step string) {
	start, end, file := o.pathOf(place)
	path, query, isFolder := place[:end], place[end:], o.IsFolder
	if !file {
		isFolder = nil
	}
	kind := o.Known
	name := start + strings.LastIndexByte(path[start:], '/') + 1
	if n5 := path[name:] == document.N5; n5 || document.Is(path[name:]) {
		if path = path[:name]; n5 && kind == "" {
			kind = "n5"
		}
	}
	at := len(path)
	if !deep && isFolder == nil {
		start = min(name, at)
	}
	for i := start; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		found := ""
		switch e := ext(path[start:i]); {
		case is(" .zip .ozx ", e):
			found = "zip"
		case is(" .json .parq .parquet ", e):
			found = "reference"
		}
		if found != "" && (isFolder == nil || !isFolder(path[:i])) {
			if kind == "" || kind == found {
				kind, at = found, i
			}
			break
		}
		start = i + 1
	}
	inside := path[at:]
	if file {
		inside = strings.ReplaceAll(inside, "%", "%25")
	}
	switch kind {
	case "", "folder":
		return path + query, ""
	case "parquet": // references in a folder
		kind, path = "reference", strings.TrimSuffix(path, "/")+"/"
		inside, at = "", len(path)
	}
	return path[:at] + query, "|" + kind + ":" + inside
}

// ext returns the extension of a name, in lower case.
func ext(name string) string { return ascii.Lower(name[max(strings.LastIndexByte(name, '.'), 0):]) }

// cut cuts a text before its first step.
func cut(text string) (before, steps string) {
	for i := range len(text) {
		if text[i] == '|' {
			if n := i + 1 + wordLen(text[i+1:], "_"); n > i+1 && n < len(text) && text[n] == ':' {
				return text[:i], text[i:]
			}
		}
	}
	return text, ""
}

// wordLen returns the length of the word at the start of a text: a letter, then letters, digits and
// the bytes of more.
func wordLen(text, more string) int {
	for i := range len(text) {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || (text[i] < '0' || text[i] > '9') && strings.IndexByte(more, text[i]) < 0) {
			return i
		}
	}
	return len(text)
}

// hasScheme reports whether a text begins with a scheme and the given bytes. A single letter is a
// drive.
func hasScheme(text, then string) bool {
	n := wordLen(text, "_+-.")
	return n > 1 && strings.HasPrefix(text[n:], then)
}

// pathOf returns the start and end of a place's path, after its host and before its query. The
// result file reports that the place is the path of a file.
func (o *Options) pathOf(place string) (start, end int, file bool) {
	if o.Files && !hasScheme(place, ":") {
		return 0, len(place), true
	}
	if end = strings.IndexAny(place, "?#"); end < 0 {
		end = len(place)
	}
	if i := strings.Index(place[:end], "://"); i >= 0 {
		if start = i + 3 + strings.IndexByte(place[i+3:end], '/'); start < i+3 {
			start = end
		}
	}
	return start, end, false
}
