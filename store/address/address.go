// Package address reads addresses: texts that name a store, the containers that it lies in, and a node.
//
//	https://example.org/data.zarr                      a URL, or the path of a folder
//	https://example.org/a.zip                          a container, known by the ending of its name
//	https://example.org/a.zip|zip:inner/|zarr3:node    a pipeline, as ZEP 8 and neuroglancer write it
//	zip://inner::https://example.org/a.zip             a chain, as fsspec writes it
//	zarr3://https://example.org/data.zarr              a prefix, as neuroglancer wrote it before
//
// A pipeline reads from left to right. Each step is a kind and a path in what the steps before it name, percent-encoded. A
// chain reads from right to left, and its paths are not encoded. The kinds are zip, reference (or kerchunk), icechunk and n5,
// which are containers, and zarr, zarr2 and zarr3, which are the version of a node and come last. Kinds, schemes and endings may
// be in upper case. The path in a repository of Icechunk may begin with a snapshot: "@branch.NAME", "@tag.NAME", or "@" and its
// id. In a chain, fsspec's caches (simplecache, filecache, blockcache, cached) change nothing.
//
// A bar that no word and colon follow is part of a path. A path with one that looks like a step has to encode it, as "%7C".
// The URL of a metadata document names its node.
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
	// Place is the URL, or the path of a file or folder, at the beginning of the address. File is true where it is a path, Object
	// where it is one object: an archive or a document.
	Place        string
	File, Object bool
	// Layers are the stores that stand on the place, each on the one before it.
	Layers []Layer
	// Path is that of the node in the store.
	Path string
	// Format is the version of Zarr that the node has, 2 or 3; 0 for any.
	Format int
	// Guessed is true where only the ending of a name says that there is a container. A folder may have such a name.
	Guessed bool
}

// Layer is a store that stands on another. Package internal/kinds describes the kinds.
type Layer struct {
	// Kind is "zip", "reference", "icechunk" or "n5", or "prefix" for what lies below a path.
	Kind string
	// Option and Value are a setting: the "key" of the object that a container is, the "path" of a prefix, or the "branch", "tag"
	// or "snapshot" of a repository. A container without a key is the place itself.
	Option, Value string
}

// Options say what is known of an address. The zero value is ready to use.
type Options struct {
	// Endpoints replace the beginning of a URL, such as "s3://bucket/". The longest that fits counts.
	Endpoints map[string]string
	// Known is the container that was found at the URL, as zarr.UnsupportedError names it, or "folder" for none. "" has the ending
	// of a name decide.
	Known string
	// Files is true where a text without a scheme is the path of a file. Else it is a URL, relative to one that is not known here.
	Files bool
	// IsFolder, if set, reports whether the path of a file is that of a folder. Then endings inside of a path count as well.
	IsFolder func(path string) bool
}

// Error says why a text is no address. The message holds no part of the text that may be secret.
type Error string

func (e Error) Error() string { return "address: " + string(e) }

// The words of steps, with a space on both sides of each.
const (
	containers = " zip reference kerchunk icechunk n5 "
	versions   = " zarr zarr2 zarr3 "
	caches     = " simplecache filecache blockcache cached "
)

// is reports whether a list has a word.
func is(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// maxSteps is how many steps an address may have.
const maxSteps = 16

// Parse reads an address. An error is an [Error].
func Parse(text string, opt Options) (Address, error) {
	var a Address
	if err := a.read(text, &opt, opt.Known != ""); err != "" {
		return Address{}, err
	}
	return a, nil
}

// Container returns the kind of container that a URL or path looks like that was taken for a folder's: by the ending of a name in it,
// or because it is an address that Parse reads. It is "" for any other.
func Container(url string) string {
	var a Address
	if err := a.read(strings.ReplaceAll(url, "%7C", "|"), &Options{Files: true}, true); err != "" || len(a.Layers) == 0 {
		return ""
	}
	return a.Layers[len(a.Layers)-1].Kind
}

// read reads an address. Where it is deep, endings inside of a path count as well.
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
					return "two versions of Zarr are asked for"
				}
				a.Format = n
			}
		case !is(containers, kind):
			return Error("there is no kind of container " + strconv.Quote(word) + ": zip, reference, icechunk, n5, zarr2 and zarr3 are known")
		case version || place == "":
			return "a URL or a path comes first, and a version of Zarr last"
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

// contain adds the layer of a container at the path, where there is an object or folder of that name. Ref is its snapshot.
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
		return Error("the path of an object is expected before " + kind + ":")
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

// pipeline returns the pipeline that a chain, or a text with a prefix, stands for.
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

// guess returns a place without the name of a document and without the path in a container, and the step to that container, if
// there is one.
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

// ext returns the ending of a name, in lower case.
func ext(name string) string { return ascii.Lower(name[max(strings.LastIndexByte(name, '.'), 0):]) }

// cut cuts a text before its first bar that a step follows.
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

// wordLen returns how long the word is that a text begins with: a letter, then letters, digits and some other bytes.
func wordLen(text, more string) int {
	for i := range len(text) {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || (text[i] < '0' || text[i] > '9') && strings.IndexByte(more, text[i]) < 0) {
			return i
		}
	}
	return len(text)
}

// hasScheme reports whether a text begins with a scheme and what follows it. A single letter is a drive.
func hasScheme(text, then string) bool {
	n := wordLen(text, "_+-.")
	return n > 1 && strings.HasPrefix(text[n:], then)
}

// pathOf returns where the path of a place begins and ends, behind its host and before its query, and whether it is that of a file.
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
