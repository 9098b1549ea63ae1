package ome

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Version is a version of OME-Zarr, "0.1" to "0.6"; 0.6 is a draft.
type Version string

// Kind is what a group is by its attributes; see [KindOf].
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

// kindOfMember returns the members that make a group one of OME-Zarr, and what they make it: the first that is there counts.
func kindOfMember() [][2]string {
	return [][2]string{
		{"plate", "plate"}, {"well", "well"}, {"multiscales", "image"}, {"labels", "labels"}, {"scene", "scene"},
		{"bioformats2raw.layout", "bioformats2raw"}, {"series", "series"},
	}
}

// document is the attributes of a group as a document of OME-Zarr.
type document struct {
	// version is the one whose rules count, stated as the document has it, such as "0.6.dev3".
	version Version
	stated  string
	kind    Kind
	// root is the object that the metadata stand in: the attributes, or since 0.5 "ome" in them.
	root part
	// asked tells whether that version was asked for.
	asked bool
	all   *problems
}

// draft is true of drafts of 0.6 before its first candidate.
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

// checkVersion checks the version that an object of a document before 0.5 has, and since then need not have.
func checkVersion(p part, d document, what string) {
	v := d.version
	stated := p.get("version")
	if v > "0.1" && v < "0.5" && !stated.Exists() {
		stated.should(what + " SHOULD have a `version`")
	}
	stated.optional(stated.isText(), "a text")
	if v >= "0.5" || !stated.isText() {
		return
	}
	if own := versionOf(stated.text()); own == "" {
		stated.must("the version " + quote(stated.text()) + " is unknown")
	} else if own != v && d.asked {
		stated.must("the version is " + stated.text() + ", not " + string(v))
	} else if own != v {
		stated.report(Warning, "the version is "+stated.text()+": it is read by the rules of "+string(v))
	}
}

// versionBefore05 returns the version that a document before 0.5 states, and else the one whose members it has.
func versionBefore05(root part) (stated string, v Version) {
	for _, name := range []string{"multiscales", "plate", "well", "image-label", "omero"} {
		member := root.get(name)
		for _, one := range append([]part{member}, member.items()...) {
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

// documentOf finds where the metadata stand and which version's rules they follow: the one that is asked for, or else the
// document's.
func documentOf(attributes json.Value, wanted Version) document {
	asked := versionOf(string(wanted))
	d := document{asked: asked != "", all: &problems{}}
	if wanted != "" && asked == "" {
		d.all.add(Must, "", "the version "+quote(string(wanted))+", which is asked for, is unknown")
	}
	whole := part{attributes, "", "", d.all}
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
			ome.must("before 0.5 the metadata stand in the attributes themselves")
		}
	} else {
		d.stated, d.version = versionBefore05(whole)
		if asked != "" {
			d.version = asked
		}
		if d.version >= "0.5" && old {
			ome.must("`ome` is missing: since 0.5 the metadata stand in it")
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

// KindOf returns what a group is by its attributes: an image has "multiscales", a label image an "image-label" besides, labels
// a list of label images, plates, wells and scenes the members of these names; bioformats2raw is the layout of series that
// bioformats2raw writes, and series its list of images (the group OME). It is "" where the group is none of these.
// Of all versions (section "OME-Zarr Metadata").
func KindOf(attributes json.Value) Kind { return documentOf(attributes, "").kind }

// members returns the members that make a group one of OME-Zarr, for messages.
func members() string {
	var names []string
	for _, one := range kindOfMember() {
		names = append(names, "`"+one[0]+"`")
	}
	return strings.Join(names, ", ")
}
