package ome

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Version is a version of OME-Zarr, "0.1" to "0.6"; 0.6 is a draft.
type Version string

// Kind is the kind of a group by its attributes; see [KindOf].
type Kind string

// The kinds of groups.
const (
	KindImage          Kind = "image"
	KindLabel          Kind = "label"
	KindLabels         Kind = "labels"
	KindPlate          Kind = "plate"
	KindWell           Kind = "well"
	KindScene          Kind = "scene"
	KindBioformats2raw Kind = "bioformats2raw"
	KindSeries         Kind = "series"
)

// kindOfMember returns the members that mark OME-Zarr groups, with the kind of each. The first one
// present counts.
func kindOfMember() [][2]string {
	return [][2]string{
		{"plate", "plate"}, {"well", "well"}, {"multiscales", "image"}, {"labels", "labels"}, {"scene", "scene"},
		{"bioformats2raw.layout", "bioformats2raw"}, {"series", "series"},
	}
}

// document is a group's attributes, read as a document of OME-Zarr.
type document struct {
	// version selects the rules. stated is the version as written, such as "0.6.dev3".
	version Version
	stated  string
	kind    Kind
	// root is the object that holds the metadata: the attributes, or since 0.5 their member "ome".
	root member
	// asked reports whether the caller chose the version.
	asked bool
	all   *problems
}

// draft reports whether the document follows a draft before the first candidate of 0.6.
func (d document) draft() bool { return strings.Contains(d.stated, "dev") }

// versionOf returns the version that a text begins with, or "".
func versionOf(text string) Version {
	if len(text) < 3 || text[:2] != "0." || text[2] < '1' || text[2] > '6' {
		return ""
	}
	if len(text) > 3 && text[3] >= '0' && text[3] <= '9' {
		return ""
	}
	return Version(text[:3])
}

// checkVersion checks an object's version, which is optional since 0.5.
func checkVersion(p member, d document, what string) {
	v := d.version
	stated := p.get("version")
	if v > "0.1" && v < "0.5" && !stated.Exists() {
		stated.should(what + " SHOULD have a `version`")
	}
	stated.optional(stated.isText(), "a string")
	if v >= "0.5" || !stated.isText() {
		return
	}
	if own := versionOf(stated.text()); own == "" {
		stated.must("the version " + quote(stated.text()) + " is unknown")
	} else if own != v && d.asked {
		stated.must("the version is " + stated.text() + ", not " + string(v))
	} else if own != v {
		stated.report(Warning, "the version is "+stated.text()+", and it is read by the rules of "+string(v))
	}
}

// versionBefore05 returns the version that a document before 0.5 states, or else the version that
// its members imply.
func versionBefore05(root member) (stated string, v Version) {
	for _, name := range []string{"multiscales", "plate", "well", "image-label", "omero"} {
		named := root.get(name)
		for _, one := range append([]member{named}, named.items()...) {
			text := one.get("version").text()
			if v := versionOf(text); v != "" {
				return text, v
			}
		}
	}
	items := root.get("multiscales").items()
	if len(items) == 0 || !items[0].isObject() {
		return "", "0.4"
	}
	axes := items[0].get("axes")
	if of := axes.items(); len(of) > 0 && of[0].isText() {
		return "", "0.3"
	}
	for _, dataset := range items[0].get("datasets").items() {
		if dataset.get("coordinateTransformations").Exists() {
			return "", "0.4"
		}
	}
	if axes.Exists() {
		return "", "0.4"
	}
	return "", "0.1"
}

// documentOf locates the metadata and determines the version: the wanted one, or else the
// document's.
func documentOf(attributes json.Value, wanted Version) document {
	asked := versionOf(string(wanted))
	d := document{asked: asked != "", all: &problems{}}
	if wanted != "" && asked == "" {
		d.all.add(Must, "", "the version "+quote(string(wanted))+", which is requested, is unknown")
	}
	whole := member{attributes, "", "", d.all}
	ome := whole.get("ome")
	old := false
	for _, one := range kindOfMember() {
		old = old || whole.get(one[0]).Exists()
	}
	d.root = whole
	if ome.isObject() && !(old && asked != "" && asked < "0.5") {
		d.root = ome
		at := ome.get("version")
		d.stated = at.needed()
		own := versionOf(d.stated)
		if d.stated != "" && own == "" {
			at.must("the version " + quote(d.stated) + " is unknown")
		}
		switch {
		case asked != "":
			d.version = asked
		case own != "":
			d.version = own
		default:
			d.version = "0.5"
			if items := ome.get("multiscales").items(); len(items) > 0 && items[0].get("coordinateSystems").Exists() {
				d.version = "0.6"
			}
		}
		if own != "" && own != d.version {
			at.must("the version is " + d.stated + ", not " + string(d.version))
		} else if d.version < "0.5" {
			ome.must("before 0.5 the attributes themselves hold the metadata")
		}
	} else {
		d.stated, d.version = versionBefore05(whole)
		if asked != "" {
			d.version = asked
		}
		if d.version >= "0.5" && old {
			ome.must("`ome` is missing: since 0.5 it holds the metadata")
		}
	}
	if ome.Exists() && !ome.isObject() && !old {
		ome.object()
	}
	if d.stated == "" {
		d.stated = string(d.version)
	}
	for _, one := range kindOfMember() {
		if d.root.get(one[0]).Exists() {
			d.kind = Kind(one[1])
			break
		}
	}
	if d.kind == KindImage && d.root.get("image-label").Exists() {
		d.kind = KindLabel
	}
	return d
}

// KindOf returns the kind of a group by its attributes, or "" outside of OME-Zarr. It supports all
// versions (section "OME-Zarr Metadata"). An image has "multiscales", and a label image also
// "image-label". Labels list label images. Plates, wells and scenes have members of these names.
// The layout "bioformats2raw" marks the root of a series, and "series" its list of images (the
// group OME).
func KindOf(attributes json.Value) Kind { return documentOf(attributes, "").kind }

// members lists the members that mark OME-Zarr groups, for messages.
func members() string {
	var names []string
	for _, one := range kindOfMember() {
		names = append(names, "`"+one[0]+"`")
	}
	return strings.Join(names, ", ")
}
