package geo

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Convention is an entry of a node's zarr_conventions, as written. It has at least one of UUID,
// SchemaURL and SpecURL.
type Convention struct {
	// UUID identifies the convention permanently; names may change.
	UUID string
	// SchemaURL is the address of its JSON Schema, including its version.
	SchemaURL string
	// SpecURL is the address of its specification.
	SpecURL string
	// Name and Description are the convention's name and a short summary.
	Name, Description string
	// Known is "spatial", "proj" or "multiscales" for a convention that this package reads, else
	// "".
	Known string
}

// The uuids of the conventions that this package reads.
const (
	SpatialUUID     = "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4"
	ProjUUID        = "f17cb550-5864-4468-aeb7-f3180cfb622f"
	MultiscalesUUID = "d35379db-88df-4056-af3a-620245f8e347"
)

// Declaration returns the entry of zarr_conventions that declares "spatial", "proj" or
// "multiscales", by the names of its members.
func Declaration(name string) map[string]any {
	uuid, repository, does := SpatialUUID, "spatial", "Spatial coordinate information"
	switch name {
	case "proj":
		uuid, repository, does = ProjUUID, "geo-proj", "Coordinate reference system information for geospatial data"
	case "multiscales":
		uuid, repository, does = MultiscalesUUID, "multiscales", "Multiscale layout of zarr datasets"
	}
	address := "https://github.com/zarr-conventions/" + repository + "/blob/v1/README.md"
	schema := "https://raw.githubusercontent.com/zarr-conventions/" + repository + "/refs/tags/v1/schema.json"
	return map[string]any{"uuid": uuid, "name": name, "description": does, "schema_url": schema, "spec_url": address}
}

// ConventionsOf returns the conventions that a node's attributes declare, in the order of
// zarr_conventions (Zarr Conventions Specification, "Convention Registration"). It omits invalid
// entries and those that identify no convention.
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

// known identifies a convention by its UUID, else its schema's address, else its specification's
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
				// These are the present and former names of the conventions' repositories.
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
