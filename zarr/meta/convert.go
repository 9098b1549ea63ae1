package meta

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// To returns the node in another version, 2 or 3, without documents. If that version can read the
// unchanged chunks, it does: the codecs are the same under their other names. Chunk keys stay the
// same, but v2 has no prefix "c": an array with it must be copied, or its chunks renamed. Names of
// dimensions, which v2 keeps in an attribute, move. Errors are *Error, for features that the other
// version lacks.
func (n *Node) To(format int) (*Node, error) {
	to := &Node{Format: format, Attributes: n.Attributes, Array: n.Array, Bare: n.Bare}
	if format != 2 && format != 3 {
		return nil, unsupported("zarr_format", "metadata of version "+strconv.Itoa(format)+" is not written")
	}
	if n.Array == nil || (n.Format == 3) == (format == 3) {
		return to, nil
	}
	a := *n.Array
	to.Array = &a
	var err error
	if format == 3 {
		err = a.toV3()
		to.Attributes = WithoutNames(n.Attributes, len(a.Shape))
		return to, named(err, DocumentV3)
	}
	err = a.toV2()
	return to, named(err, DocumentArray)
}

// SameChunks reports whether the stored chunks of one array can serve as those of another, byte for
// byte, including absent ones. It ignores keys of chunks, names and attributes. other must come
// from an array's documents.
func (n *Node) SameChunks(other *Node) bool {
	to, err := n.To(other.Format)
	if err != nil || to.Array == nil || other.Array == nil {
		return false
	}
	a, b := to.Array, other.Array
	same := a.Order == b.Order && slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.Codecs, b.Codecs, CodecSpec.equal) && bytes.Equal(a.Fill, b.Fill)
	if !same || (a.Fill == nil) != (b.Fill == nil) {
		return false
	}
	typed := func(a *Array) func([]byte) ([]byte, error) {
		if other.Format == 3 {
			return a.Type.AppendV3
		}
		return func([]byte) ([]byte, error) { m := a.typeV2(); return m.text, m.err }
	}
	if !sameText(a.appendGrid, b.appendGrid) || !sameText(typed(a), typed(b)) {
		return false
	}
	// An absent chunk is the fill value to all readers, or else has the same metadata.
	return !n.Array.FillDefined || b.PortableFill() ||
		b.FillDefined && n.Format == other.Format && bytes.Equal(n.Array.FillText.Raw(), b.FillText.Raw())
}

func sameText(a, b func([]byte) ([]byte, error)) bool {
	x, err := a(nil)
	if err != nil {
		return false
	}
	y, err := b(nil)
	return err == nil && bytes.Equal(x, y)
}

// equal reports whether two codecs are the same, regardless of the order and spacing of their
// members.
func (c CodecSpec) equal(o CodecSpec) bool {
	text := func(v json.Value) []byte {
		if !v.Exists() {
			return nil
		}
		return json.AppendLaidOut(nil, v.Raw(), json.Layout{Sorted: true})
	}
	return c.Name == o.Name && c.Optional == o.Optional && bytes.Equal(text(c.Config), text(o.Config))
}

// WithoutNames returns attributes without the names of dimensions, for which v3 has a member.
func WithoutNames(attrs json.Value, rank int) json.Value {
	if xarrayNames(attrs, rank) == nil {
		return attrs
	}
	return json.Make(slices.DeleteFunc(slices.Clone(attrs.Members()), func(m json.Member) bool { return m.Name == dimensionNamesAttribute })...)
}

// retype reads a type in the form of the other version.
func retype(write func(dst []byte) ([]byte, error), read func(json.Value, dtype.Limits) (*dtype.Type, error)) (*dtype.Type, error) {
	text, err := write(nil)
	if err != nil {
		return nil, err
	}
	v, err := json.Parse(text, json.Limits{Bytes: len(text) + 1})
	if err != nil {
		return nil, err
	}
	const most = 1 << 30
	return read(v, dtype.Limits{ItemBytes: most, Fields: most, Depth: 1 << 10})
}

// toV3 converts the model of a v2 array to v3.
func (a *Array) toV3() error {
	chain := a.Codecs
	a.Codecs = nil
	if a.Order == "F" && len(a.Shape) > 1 {
		a.Codecs, chain = chain[:1:1], chain[1:]
	}
	if a.Type.Variable() || a.Type.Kind == dtype.Object {
		if len(chain) == 0 || chain[0].Name != "vlen-utf8" && chain[0].Name != "vlen-bytes" || a.Type.Kind == dtype.Object {
			return unsupported("dtype", "version 3 has no such objects")
		}
		a.Codecs, chain = append(a.Codecs, chain[0]), chain[1:]
		if err := a.bytesToV3(chain, 1); err != nil {
			return err
		}
	} else if err := a.chainToV3(chain[1:]); err != nil {
		return err
	}
	t, err := retype(a.Type.AppendV3, dtype.ParseV3)
	if err != nil {
		return typeError("dtype", err)
	}
	a.Type, a.Order, a.KeysWritten = t, "", false
	return nil
}

// chainToV3 adds the codecs of v2 after the bytes codec. In v3 array filters come before it, and it
// has the byte order.
func (a *Array) chainToV3(chain []CodecSpec) error {
	t := a.Type
	for len(chain) > 0 && isArrayFilter(chain[0].Name) {
		c := chain[0]
		chain = chain[1:]
		c.Name = "numcodecs." + c.Name
		a.Codecs = append(a.Codecs, c)
		var err error
		if t, err = filtered(t, c); err != nil {
			return err
		}
	}
	order, ok := orderOf(t)
	if !ok {
		return unsupported("dtype", "version 3 has one byte order for all fields")
	}
	serializer := CodecSpec{Name: "bytes"}
	if t.HasOrder() {
		endian := "little"
		if order == dtype.Big {
			endian = "big"
		}
		serializer.Config = json.Make(json.Member{Name: "endian", Value: json.Text(endian)})
	}
	a.Codecs = append(a.Codecs, serializer)
	return a.bytesToV3(chain, t.Size)
}

// orderOf returns the order of all scalars of a type, if it is the same.
func orderOf(t *dtype.Type) (order dtype.Order, ok bool) {
	ok = true
	for i, s := range t.SwapRanges() {
		if i > 0 && s.Order != order {
			ok = false
		}
		order = s.Order
	}
	return order, ok
}

// isArrayFilter reports whether a numcodecs filter works on elements, not on bytes.
func isArrayFilter(id string) bool {
	switch id {
	case "delta", "fixedscaleoffset", "quantize", "bitround", "packbits", "astype":
		return true
	}
	return false
}

// filtered returns the type of a filter's output elements.
func filtered(t *dtype.Type, c CodecSpec) (*dtype.Type, error) {
	member := "astype"
	switch c.Name {
	case "numcodecs.bitround":
		return t, nil
	case "numcodecs.packbits":
		return dtype.ParseV2(json.Text("|u1"), dtype.Limits{})
	case "numcodecs.astype":
		member = "encode_dtype"
	}
	v := c.Config.Get(member)
	if v.IsNull() {
		v = c.Config.Get("dtype")
	}
	made, err := dtype.ParseV2(v, dtype.Limits{})
	if err != nil {
		return nil, typeError("filters", err)
	}
	return made, nil
}

// bytesToV3 adds bytes-to-bytes codecs; size is the item size in bytes of the first codec's input.
func (a *Array) bytesToV3(chain []CodecSpec, size int) error {
	for _, c := range chain {
		switch {
		case isArrayFilter(c.Name) || IsObjectCodec(c.Name):
			return unsupported("filters", "version 3 has no codec "+c.Name+" of bytes")
		case c.Name == "gzip":
			c.Config = configOf(c.Config, setting{"level", "1"})
		case c.Name == "zstd":
			c.Config = configOf(c.Config, setting{"level", "0"}, setting{"checksum", "false"})
		case c.Name == "blosc":
			c.Config = bloscToV3(c.Config, size)
		default:
			c.Name = "numcodecs." + c.Name
		}
		a.Codecs = append(a.Codecs, c)
		size = 1
	}
	return nil
}

// setting is a member of a configuration and its default.
type setting struct{ name, otherwise string }

// configOf returns a configuration with these members and no others.
func configOf(config json.Value, members ...setting) json.Value {
	list := make([]json.Member, len(members))
	for i, m := range members {
		v := config.Get(m.name)
		if v.IsNull() {
			v, _ = json.Parse([]byte(m.otherwise), json.Limits{})
		}
		list[i] = json.Member{Name: m.name, Value: v}
	}
	return json.Make(list...)
}

// bloscShuffles are v3's names for numcodecs' numbers.
var bloscShuffles = [...]string{"noshuffle", "shuffle", "bitshuffle"}

func bloscToV3(config json.Value, size int) json.Value {
	shuffle, ok := config.Get("shuffle").Int64()
	switch {
	case !ok:
		shuffle = 1
	case shuffle < 0 || shuffle > 2: // numcodecs' automatic one
		if shuffle = 1; size == 1 {
			shuffle = 2
		}
	}
	c := configOf(config, setting{"typesize", strconv.Itoa(max(size, 1))}, setting{"cname", `"lz4"`}, setting{"clevel", "5"}, setting{"shuffle", "0"},
		setting{"blocksize", "0"})
	members := slices.Clone(c.Members())
	members[3].Value = json.Text(bloscShuffles[shuffle])
	return json.Make(members...)
}

// toV2 converts the model of a v3 array to v2.
func (a *Array) toV2() error {
	if a.Grid.Kind() != "regular" {
		return unsupported("chunks", "version 2 has no chunk grid "+a.Grid.Kind())
	}
	var filters []CodecSpec
	order, chain := "C", a.Codecs
	for ; len(chain) > 0; chain = chain[1:] {
		c := chain[0]
		id, numcodecs := cutNumcodecs(c.Name)
		if c.Name == "transpose" && order == "C" && len(filters) == 0 {
			o, ok := orderOfTranspose(c.Config, len(a.Shape))
			if !ok {
				return unsupported("order", "version 2 has no order but C and F")
			}
			order = o
			continue
		}
		if !numcodecs || !isArrayFilter(id) {
			break
		}
		filters = append(filters, CodecSpec{Name: id, Config: c.Config})
	}
	if len(chain) == 0 {
		return fail("codecs", "no codec encodes the array as bytes")
	}
	serializer := chain[0]
	var first CodecSpec
	var err error
	switch {
	case serializer.Name == "bytes" && !a.Type.Variable():
		o := dtype.Little
		if endian, _ := serializer.Config.Get("endian").Text(); endian == "big" {
			o = dtype.Big
		}
		if a.Type, err = retype(a.Type.WithOrder(o).AppendV2, dtype.ParseV2); err != nil {
			return typeError("dtype", err)
		}
		first = CodecSpec{Name: "bytes"}
	case (serializer.Name == "vlen-utf8" || serializer.Name == "vlen-bytes") && a.Type.Variable() && a.Type.Kind != dtype.Optional:
		first = serializer
	default:
		return unsupported("filters", "version 2 has no codec "+serializer.Name)
	}
	rest, err := bytesToV2(chain[1:])
	if err != nil {
		return err
	}
	if a.FillDefined {
		if _, err := a.Type.AppendFillV2(nil, a.Fill); err != nil {
			return typeError("fill_value", err)
		}
	}
	a.Codecs = nil
	if order == "F" {
		a.Codecs = transposeF(len(a.Shape))
	}
	a.Codecs = append(append(append(a.Codecs, first), filters...), rest...)
	for i := range a.Codecs {
		if a.Codecs[i].Config.Len() == 0 {
			a.Codecs[i].Config = json.Value{} // v2 has no member for an empty configuration
		}
	}
	a.Order = order
	a.Keys, a.KeysWritten = grid.KeyEncoding{Name: "v2", Separator: a.Keys.Separator}, true
	return nil
}

func cutNumcodecs(name string) (id string, ok bool) {
	const prefix = "numcodecs."
	if len(name) > len(prefix) && name[:len(prefix)] == prefix {
		return name[len(prefix):], true
	}
	return name, false
}

// orderOfTranspose returns the order that a transpose represents: the identity, or reversed axes.
func orderOfTranspose(config json.Value, rank int) (string, bool) {
	axes, err := integers(config.Get("order"), "order", 0)
	if err != nil || len(axes) != rank {
		return "", false
	}
	same, reversed := true, true
	for i, axis := range axes {
		same = same && axis == int64(i)
		reversed = reversed && axis == int64(rank-1-i)
	}
	if same {
		return "C", true
	}
	return "F", reversed
}

// bytesToV2 returns bytes-to-bytes codecs in numcodecs' form.
func bytesToV2(chain []CodecSpec) ([]CodecSpec, error) {
	out := make([]CodecSpec, len(chain))
	for i, c := range chain {
		id, numcodecs := cutNumcodecs(c.Name)
		out[i] = CodecSpec{Name: id, Config: c.Config}
		switch {
		case c.Optional:
			return nil, unsupported("compressor", "version 2 has no optional codecs, such as "+c.Name)
		case numcodecs && !isArrayFilter(id) && !IsObjectCodec(id), c.Name == "gzip":
		case c.Name == "zstd":
			members := []setting{{"level", "0"}}
			if checksum, _ := c.Config.Get("checksum").Bool(); checksum {
				members = append(members, setting{"checksum", "true"})
			}
			out[i].Config = configOf(c.Config, members...)
		case c.Name == "crc32c":
			out[i].Config = json.Make(json.Member{Name: "location", Value: json.Text("end")})
		case c.Name == "blosc":
			out[i].Config = bloscToV2(c.Config)
		default:
			return nil, unsupported("compressor", "version 2 has no codec "+c.Name)
		}
	}
	return out, nil
}

func bloscToV2(config json.Value) json.Value {
	shuffle, _ := config.Get("shuffle").Text()
	number := max(slices.Index(bloscShuffles[:], shuffle), 0)
	c := configOf(config, setting{"cname", `"lz4"`}, setting{"clevel", "5"}, setting{"shuffle", "0"}, setting{"blocksize", "0"})
	members := slices.Clone(c.Members())
	members[2].Value, _ = json.Parse(strconv.AppendInt(nil, int64(number), 10), json.Limits{})
	return json.Make(members...)
}
