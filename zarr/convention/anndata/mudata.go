package anndata

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// MuData is several AnnData, the modalities, that share observations or variables: MuData's specification.
type MuData struct {
	// Group is the object's group.
	Group *zarr.Group
	// Shape is observations and variables of all modalities together.
	Shape [2]int64
	// Axis is what the modalities share: 0 observations, 1 variables, -1 both.
	Axis int
	// Modalities are the names of the modalities, in their order (mod-order); nil where nothing tells them.
	Modalities []string
	// Obs and Var are what is known of each observation and each variable.
	Obs, Var *DataFrame
	// Uns, Obsm, Varm, Obsp and Varp are as in an AnnData.
	Uns, Obsm, Varm, Obsp, Varp *Mapping
	// Obsmap and Varmap tell, for each modality, which of its observations or variables each one is, from 1; 0 for none.
	Obsmap, Varmap *Mapping

	mod *members
}

// Path is the path of the object's group.
func (m *MuData) Path() string { return m.Group.Path() }

// OpenMuData opens a MuData. Nothing but metadata is read, of the modalities not even that: [MuData.Open] opens them.
// Errors are those of [Open].
func OpenMuData(ctx context.Context, g *zarr.Group) (*MuData, error) {
	e, err := EncodingOf(g)
	if err != nil {
		return nil, err
	}
	if e.Type != "" && e.Type != "MuData" {
		return nil, &zarr.NotFoundError{Path: g.Path(), Want: "MuData", Found: e.Type}
	}
	axis := int64(0)
	if v := g.Metadata().Attributes.Get("axis"); !v.IsNull() {
		var ok bool
		if axis, ok = v.Int64(); !ok || axis < -1 || axis > 1 {
			return nil, invalid(g.Path(), "axis", "it is none of 0, 1 and -1")
		}
	}
	inside, err := membersOf(ctx, g, strings.Split("mod obs var uns obsm varm obsp varp obsmap varmap", " ")...)
	if err != nil {
		return nil, err
	}
	if err := inside.needs(e, "MuData", "mod", "obs", "var"); err != nil {
		return nil, err
	}
	m := &MuData{Group: g, Axis: int(axis)}
	mod, err := groupOf(inside.open(ctx, "mod"))
	if err != nil {
		return nil, err
	}
	if m.mod, err = membersOf(ctx, mod); err != nil {
		return nil, err
	}
	if m.Modalities, err = modalities(mod, m.mod); err != nil {
		return nil, err
	}
	if m.Obs, m.Var, err = inside.frames(ctx); err != nil {
		return nil, err
	}
	nObs, nVars := m.Obs.Len(), m.Var.Len()
	m.Shape = [2]int64{nObs, nVars}
	all, ctx := guard.NewGroup(ctx)
	inside.mappings(ctx, all, map[string]section{
		"uns": {&m.Uns, nil}, "obsm": {&m.Obsm, []int64{nObs}}, "varm": {&m.Varm, []int64{nVars}},
		"obsp": {&m.Obsp, []int64{nObs, nObs}}, "varp": {&m.Varp, []int64{nVars, nVars}},
		"obsmap": {&m.Obsmap, []int64{nObs}}, "varmap": {&m.Varmap, []int64{nVars}},
	})
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return m, nil
}

// modalities returns the modalities in their order; an order that does not have them all does not count.
func modalities(mod *zarr.Group, inside *members) ([]string, error) {
	var known []string
	if inside.complete {
		known = inside.names()
	}
	order := mod.Metadata().Attributes.Get("mod-order")
	if !order.Exists() {
		return known, nil
	}
	ordered, err := names(mod.Path(), "mod-order", order)
	if err != nil || !inside.complete {
		return ordered, err
	}
	if !slices.Equal(slices.Sorted(slices.Values(ordered)), known) {
		return known, nil
	}
	return ordered, nil
}

// Open opens a modality: [Open] of its group.
func (m *MuData) Open(ctx context.Context, modality string) (*AnnData, error) {
	g, err := groupOf(m.mod.open(ctx, modality))
	if err != nil {
		return nil, err
	}
	return Open(ctx, g)
}

func (m *MuData) String() string {
	shared := map[int]string{0: "", 1: " (shared var)", -1: " (shared obs and var)"}[m.Axis]
	return printed(fmt.Sprintf("MuData object with n_obs × n_vars = %d × %d%s", m.Shape[0], m.Shape[1], shared),
		frameSection("obs", m.Obs), frameSection("var", m.Var), mappingSection("uns", m.Uns), mappingSection("obsm", m.Obsm),
		mappingSection("varm", m.Varm), mappingSection("obsp", m.Obsp), mappingSection("varp", m.Varp), printedSection{"mod", m.Modalities})
}
