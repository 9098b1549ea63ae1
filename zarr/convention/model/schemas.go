package model

import (
	_ "embed"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

//go:embed schema_v2.json
var schemaV2 []byte

//go:embed schema_v3.json
var schemaV3 []byte

// Schema returns the JSON Schema (draft 2020-12) of models of Zarr format 2 or 3. For other formats
// it returns the zero Value.
func Schema(format int) Value {
	text := map[int][]byte{2: schemaV2, 3: schemaV3}[format]
	v, _ := json.Parse(text, json.Limits{})
	return v
}
