package wire

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// AddPipeline adds the description with which another instance can build the same chain of codecs.
func AddPipeline(o *Object, p *codec.Pipeline) {
	b := p.Build()
	var chain []any
	for _, c := range p.Chain() {
		chain = append(chain, c.Name, string(c.Config.Raw()), c.Optional)
	}
	o.AddList(PipelineChain, chain)
	o.AddInt(PipelineFormat, b.Format)
	o.AddInt(PipelineDepth, b.Depth)
	o.AddInts(PipelineShape, b.Array.Shape)
	o.AddBytes(PipelineFill, append([]byte{}, b.Array.Fill...))
	o.AddObject(PipelineType, typeToWire(b.Array.Type))
}

// PipelineOf builds a chain from its description.
func PipelineOf(o Object, codecs *codec.Registry, lim codec.Limits) (*codec.Pipeline, error) {
	list := o.List(PipelineChain)
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
	return codecs.Pipeline(chain, codec.Build{
		Format: o.Int(PipelineFormat), Depth: o.Int(PipelineDepth), Limits: lim,
		Array: codec.Array{Shape: o.Ints(PipelineShape), Type: typeOf(o.Object(PipelineType)), Fill: o.Bytes(PipelineFill)},
	})
}

// typeNumbers names the numbers of a type, for instances of the same build: its kind, size, order,
// bits and scale. The other members have the names of a TypeDescription.
const typeNumbers IntsName = "numbers"

func typeToWire(t *dtype.Type) Object {
	var o Object
	o.AddText(TypeName, t.Name)
	o.AddText(TypeUnit, t.Unit)
	o.AddInts(typeNumbers, []int{int(t.Kind), t.Size, int(t.Order), t.Bits, t.Scale})
	var fields []any
	for _, f := range t.Fields {
		var field Object
		field.AddText(FieldName, f.Name)
		field.AddInt(FieldOffset, f.Offset)
		field.AddObject(FieldType, typeToWire(f.Type))
		fields = append(fields, field)
	}
	if fields != nil {
		o.AddList(TypeFields, fields)
	}
	if t.Elem != nil {
		o.AddObject(TypeElem, typeToWire(t.Elem))
	}
	if t.Shape != nil {
		o.AddInts(TypeShape, t.Shape)
	}
	return o
}

func typeOf(o Object) *dtype.Type {
	t := &dtype.Type{Name: o.Text(TypeName), Unit: o.Text(TypeUnit)}
	if n := o.Ints(typeNumbers); len(n) == 5 {
		t.Kind, t.Size, t.Order, t.Bits, t.Scale = dtype.Kind(n[0]), n[1], dtype.Order(n[2]), n[3], n[4]
	}
	for _, v := range o.List(TypeFields) {
		f, _ := v.(Object)
		t.Fields = append(t.Fields, dtype.Field{Name: f.Text(FieldName), Offset: f.Int(FieldOffset), Type: typeOf(f.Object(FieldType))})
	}
	if elem := o.Object(TypeElem); elem != nil {
		t.Elem = typeOf(elem)
	}
	if o.List(ListName(TypeShape)) != nil {
		t.Shape = o.Ints(TypeShape)
	}
	return t
}
