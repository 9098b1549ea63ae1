package ome

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Report is the result of [Validate] and [ValidateImage].
type Report struct {
	// Kind is the group's kind, or "" outside of OME-Zarr.
	Kind Kind
	// Version is the version whose rules apply.
	Version Version
	// Valid is true when no problem is of level [Must].
	Valid bool
	// Problems has the order of the document.
	Problems []Problem
}

// imagesOf holds the images of a document.
type imagesOf struct {
	// images holds the multiscales, or nil for those that do not determine their pixels' positions.
	images   []*multiscale
	channels []Channel
	rdefs    *RenderingDefaults
	label    *Label
}

// readImages reads and checks a document's images.
func readImages(d document) imagesOf {
	var of imagesOf
	multiscales, omero, label := d.root.get("multiscales"), d.root.get("omero"), d.root.get("image-label")
	if multiscales.Exists() {
		for _, item := range multiscales.list() {
			of.images = append(of.images, multiscaleOf(item, d))
		}
	}
	if omero.Exists() && omero.object() {
		of.channels, of.rdefs = omeroOf(omero, d.version)
	}
	if label.Exists() {
		of.label = labelOf(label, d)
		if !multiscales.Exists() {
			multiscales.must("an `image-label` MUST have `multiscales` beside it")
		}
	}
	return of
}

// checkDocument checks all OME-Zarr attributes, and returns the images.
func checkDocument(d document) imagesOf {
	if d.kind == "" && !d.root.get("image-label").Exists() {
		d.root.must("there is no OME-Zarr metadata: expected one of " + members())
	}
	of := readImages(d)
	for _, name := range []string{"labels", "plate", "well", "bioformats2raw.layout", "series", "scene"} {
		p := d.root.get(name)
		if !p.Exists() {
			continue
		}
		switch name {
		case "labels", "series":
			pathsOf(p)
		case "plate":
			plateOf(p, d)
		case "well":
			wellOf(p, d)
		case "bioformats2raw.layout":
			layoutOf(p)
		case "scene":
			if d.version >= "0.6" {
				sceneOf(p, d.draft())
			}
		}
	}
	return of
}

func layoutOf(p member) {
	if n, ok := p.number(); !ok || n != 3 {
		p.must("`bioformats2raw.layout` MUST be 3")
	}
}

func (d document) report() Report {
	bad := func(p Problem) bool { return p.Level == Must }
	return Report{d.kind, d.version, !slices.ContainsFunc(d.all.list, bad), d.all.list}
}

// Validate checks a group's attributes against all metadata sections of a version's specification.
// "" stands for the version that the attributes state. It sends no request; [ValidateImage] also
// checks the arrays.
func Validate(attributes json.Value, v Version) Report {
	d := documentOf(attributes, v)
	checkDocument(d)
	return d.report()
}
