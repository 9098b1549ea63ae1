package rpc

import (
	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/dtype"
	"zarr-wasm/zarr/meta"
)

// pipelineToWire adds what another instance needs to build a chain of codecs too.
func pipelineToWire(o *Object, p *codec.Pipeline) {
	b := p.Build()
	var chain []any
	for _, c := range p.Chain() {
		chain = append(chain, c.Name, string(c.Config.Raw()), c.Optional)
	}
	o.add("chain", chain)
	o.addInt("format", b.Format)
	o.addInt("depth", b.Depth)
	o.addInts("shape", b.Array.Shape)
	o.add("fill", append([]byte{}, b.Array.Fill...))
	o.add("type", typeToWire(b.Array.Type))
}

// pipelineOfWire builds the chain of a description.
func pipelineOfWire(o Object, codecs *codec.Registry, lim codec.Limits) (*codec.Pipeline, error) {
	list, _ := o.Get("chain").([]any)
	var chain []meta.CodecSpec
	for ; len(list) >= 3; list = list[3:] {
		var c meta.CodecSpec
		c.Name, _ = list[0].(string)
		c.Optional, _ = list[2].(bool)
		if config, _ := list[1].(string); config != "" {
			v, err := json.Parse([]byte(config), json.Limits{Depth: lim.MetadataDepth})
			if err != nil {
				return nil, err
			}
			c.Config = v
		}
		chain = append(chain, c)
	}
	fill, _ := o.Get("fill").([]byte)
	return codecs.Pipeline(chain, codec.Build{
		Format: o.number("format"), Depth: o.number("depth"), Limits: lim,
		Array: codec.Array{Shape: o.ints("shape"), Type: typeOfWire(o.object("type")), Fill: fill},
	})
}

func typeToWire(t *dtype.Type) Object {
	var o Object
	o.add("name", t.Name)
	o.add("unit", t.Unit)
	o.addInts("numbers", []int{int(t.Kind), t.Size, int(t.Order), t.Bits, t.Scale})
	var fields []any
	for _, f := range t.Fields {
		var field Object
		field.add("name", f.Name)
		field.addInt("offset", f.Offset)
		field.add("type", typeToWire(f.Type))
		fields = append(fields, field)
	}
	if fields != nil {
		o.add("fields", fields)
	}
	if t.Elem != nil {
		o.add("elem", typeToWire(t.Elem))
	}
	if t.Shape != nil {
		o.addInts("shape", t.Shape)
	}
	return o
}

func typeOfWire(o Object) *dtype.Type {
	t := &dtype.Type{Name: o.text("name"), Unit: o.text("unit")}
	if n := o.ints("numbers"); len(n) == 5 {
		t.Kind, t.Size, t.Order, t.Bits, t.Scale = dtype.Kind(n[0]), n[1], dtype.Order(n[2]), n[3], n[4]
	}
	fields, _ := o.Get("fields").([]any)
	for _, v := range fields {
		f, _ := v.(Object)
		t.Fields = append(t.Fields, dtype.Field{Name: f.text("name"), Offset: f.number("offset"), Type: typeOfWire(f.object("type"))})
	}
	if elem := o.object("elem"); elem != nil {
		t.Elem = typeOfWire(elem)
	}
	if o.Get("shape") != nil {
		t.Shape = o.ints("shape")
	}
	return t
}
