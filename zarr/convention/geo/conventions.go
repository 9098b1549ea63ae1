package geo

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Convention is a convention that a node says it follows: an entry of its zarr_conventions, as written. At least one of UUID,
// SchemaURL and SpecURL is not "".
type Convention struct {
	// UUID identifies the convention for good; names do not.
	UUID string
	// SchemaURL is the address of its JSON Schema, with its version.
	SchemaURL string
	// SpecURL is the address of its specification.
	SpecURL string
	// Name is how it is called, Description what it is about, in a few words.
	Name, Description string
	// Known is which of those that this package reads it is: "spatial", "proj", "multiscales", or "" for another.
	Known string
}

// The uuids of the conventions that this package reads.
const (
	SpatialUUID     = "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4"
	ProjUUID        = "f17cb550-5864-4468-aeb7-f3180cfb622f"
	MultiscalesUUID = "d35379db-88df-4056-af3a-620245f8e347"
)

// ConventionsOf returns the conventions that a node's attributes say it follows, in the order of zarr_conventions (Zarr
// Conventions Specification, "Convention Registration"). What is no entry, or has nothing that identifies a convention, is
// left out.
func ConventionsOf(attributes json.Value) []Convention {
	var found []Convention
	for _, entry := range attributes.Get("zarr_conventions").Items() {
		c := Convention{
			UUID: textOf(entry.Get("uuid")), SchemaURL: textOf(entry.Get("schema_url")), SpecURL: textOf(entry.Get("spec_url")),
			Name: textOf(entry.Get("name")), Description: textOf(entry.Get("description")),
		}
		if c.UUID != "" || c.SchemaURL != "" || c.SpecURL != "" {
			c.Known = c.known()
			found = append(found, c)
		}
	}
	return found
}

// known goes by the uuid where there is one, else by the address of the schema, else by that of the specification
// ("Convention Identity").
func (c Convention) known() string {
	switch strings.ToLower(c.UUID) {
	case SpatialUUID:
		return "spatial"
	case ProjUUID:
		return "proj"
	case MultiscalesUUID:
		return "multiscales"
	case "":
		url := c.SchemaURL
		if url == "" {
			url = c.SpecURL
		}
		for _, owner := range []string{"/zarr-conventions/", "/zarr-experimental/"} {
			if _, rest, ok := strings.Cut(url, owner); ok {
				// The names of the repositories that the conventions were and are kept in.
				switch name, _, _ := strings.Cut(rest, "/"); name {
				case "spatial", "proj", "multiscales":
					return name
				case "geo-proj":
					return "proj"
				}
			}
		}
	}
	return ""
}
