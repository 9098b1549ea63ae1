package wire

import (
	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/dtype"
	"zarr-wasm/zarr/meta"
)

// AddPipeline adds what another instance needs to build a chain of codecs too.
func AddPipeline(o *Object, p *codec.Pipeline) {
	b := p.Build()
	var chain []any
	for _, c := range p.Chain() {
		chain = append(chain, c.Name, string(c.Config.Raw()), c.Optional)
	}
	o.Add("chain", chain)
	o.AddInt("format", b.Format)
	o.AddInt("depth", b.Depth)
	o.AddInts("shape", b.Array.Shape)
	o.Add("fill", append([]byte{}, b.Array.Fill...))
	o.Add("type", typeToWire(b.Array.Type))
}

// PipelineOf builds the chain of a description.
func PipelineOf(o Object, codecs *codec.Registry, lim codec.Limits) (*codec.Pipeline, error) {
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
		Format: o.Int("format"), Depth: o.Int("depth"), Limits: lim,
		Array: codec.Array{Shape: o.Ints("shape"), Type: typeOf(o.Object("type")), Fill: fill},
	})
}

func typeToWire(t *dtype.Type) Object {
	var o Object
	o.Add("name", t.Name)
	o.Add("unit", t.Unit)
	o.AddInts("numbers", []int{int(t.Kind), t.Size, int(t.Order), t.Bits, t.Scale})
	var fields []any
	for _, f := range t.Fields {
		var field Object
		field.Add("name", f.Name)
		field.AddInt("offset", f.Offset)
		field.Add("type", typeToWire(f.Type))
		fields = append(fields, field)
	}
	if fields != nil {
		o.Add("fields", fields)
	}
	if t.Elem != nil {
		o.Add("elem", typeToWire(t.Elem))
	}
	if t.Shape != nil {
		o.AddInts("shape", t.Shape)
	}
	return o
}

func typeOf(o Object) *dtype.Type {
	t := &dtype.Type{Name: o.Text("name"), Unit: o.Text("unit")}
	if n := o.Ints("numbers"); len(n) == 5 {
		t.Kind, t.Size, t.Order, t.Bits, t.Scale = dtype.Kind(n[0]), n[1], dtype.Order(n[2]), n[3], n[4]
	}
	fields, _ := o.Get("fields").([]any)
	for _, v := range fields {
		f, _ := v.(Object)
		t.Fields = append(t.Fields, dtype.Field{Name: f.Text("name"), Offset: f.Int("offset"), Type: typeOf(f.Object("type"))})
	}
	if elem := o.Object("elem"); elem != nil {
		t.Elem = typeOf(elem)
	}
	if o.Get("shape") != nil {
		t.Shape = o.Ints("shape")
	}
	return t
}
