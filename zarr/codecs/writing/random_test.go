package writing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// numbers are the types with a typestring of numpy.
var numbers = []struct{ name, numpy string }{
	{"int8", "|i1"}, {"uint8", "|u1"}, {"int16", "<i2"}, {"uint16", ">u2"}, {"int32", "<i4"}, {"uint32", "<u4"}, {"int64", "<i8"}, {"uint64", ">u8"},
	{"float32", "<f4"}, {"float64", ">f8"},
}

// others are types without a typestring.
var others = []string{
	"bool", "float16", "bfloat16", "int2", "uint4", "int4", "float8_e4m3", "complex64", "complex128", "r24",
	`{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, `{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}`,
	`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"float64"}]}}`,
	`{"name":"optional","configuration":{"name":"int16","configuration":{}}}`, "string", "bytes",
}

// generator makes arrays and chains from a seed.
type generator struct{ *rand.Rand }

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

// shape returns a shape, sometimes with a dimension of length 0.
func (g generator) shape() []int {
	shape := make([]int, g.IntN(5))
	for i := range shape {
		shape[i] = 1 + g.IntN(8)
		if g.IntN(30) == 0 {
			shape[i] = 0
		}
	}
	if len(shape) == 1 && g.IntN(4) == 0 {
		shape[0] = g.IntN(20000)
	}
	return shape
}

// bytes returns a list of bytes-to-bytes codecs.
func (g generator) bytes(max int) string {
	all := ""
	for range g.IntN(max + 1) {
		all += "," + g.compressor()
	}
	return all
}

func (g generator) compressor() string {
	switch g.IntN(19) {
	case 0:
		return fmt.Sprintf(`{"name":"gzip","configuration":{"level":%d}}`, g.IntN(10))
	case 1:
		return fmt.Sprintf(`{"name":"numcodecs.zlib","configuration":{"level":%d}}`, g.IntN(10))
	case 2:
		return fmt.Sprintf(`{"name":"zstd","configuration":{"level":%d,"checksum":%v}}`, g.IntN(8)-2, g.IntN(2) == 0)
	case 3, 4, 5:
		return fmt.Sprintf(`{"name":"blosc","configuration":{"cname":%q,"clevel":%d,"shuffle":%q,"typesize":%d,"blocksize":%d}}`,
			g.pick("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"), g.IntN(7), g.pick("noshuffle", "shuffle", "bitshuffle"), 1+g.IntN(20), g.IntN(3)*g.IntN(3000))
	case 6:
		return `"numcodecs.lz4"`
	case 7:
		return fmt.Sprintf(`{"name":"numcodecs.bz2","configuration":{"level":%d}}`, 1+g.IntN(9))
	case 8:
		return g.pick(`"numcodecs.lzma"`, `{"name":"numcodecs.lzma","configuration":{"format":1,"check":10,"preset":2}}`, `{"name":"numcodecs.lzma","configuration":{"format":2,"preset":0}}`,
			`{"name":"numcodecs.lzma","configuration":{"filters":[{"id":3,"dist":2},{"id":33,"preset":1}],"check":1}}`,
			`{"name":"numcodecs.lzma","configuration":{"format":3,"filters":[{"id":3,"dist":8},{"id":33,"preset":1,"lc":1}]}}`,
			`{"name":"numcodecs.lzma","configuration":{"format":3,"filters":[{"id":4611686018427387905,"preset":1,"lp":1}]}}`)
	case 9:
		if runtime.GOOS == "js" {
			return `"numcodecs.bz2"` // brotli's encoder needs net/http, which is not linked there
		}
		return `"brotli"`
	case 10:
		return `"crc32c"`
	case 11:
		return `{"name":"numcodecs.crc32","configuration":{"location":"` + g.pick("start", "end") + `"}}`
	case 12:
		return `"numcodecs.adler32"`
	case 13:
		return `"numcodecs.fletcher32"`
	case 14:
		return `{"name":"numcodecs.jenkins_lookup3","configuration":{"initval":7,"prefix":[1,2]}}`
	case 15:
		return fmt.Sprintf(`{"name":"numcodecs.shuffle","configuration":{"elementsize":%d}}`, g.IntN(10))
	case 16:
		return `"numcodecs.base64"`
	case 17:
		return `{"name":"conditional","configuration":{"codecs":["crc32c","zstd",{"name":"numcodecs.shuffle","configuration":{"elementsize":4}},"gzip"]}}`
	}
	return `"snappy"`
}

// arrays returns array-to-array codecs for numbers. Those for integers are lossless.
func (g generator) arrays(shape []int, numpy, name string) (chain string, after []int) {
	for range g.IntN(3) {
		switch g.IntN(4) {
		case 0:
			order := g.Perm(len(shape))
			permuted := make([]int, len(shape))
			for i, d := range order {
				permuted[i] = shape[d]
			}
			shape = permuted
			chain += `{"name":"transpose","configuration":{"order":` + strings.ReplaceAll(fmt.Sprint(order), " ", ",") + `}},`
		case 1:
			if !strings.Contains(name, "int") || numpy == "" {
				continue
			}
			chain += `{"name":"numcodecs.delta","configuration":{"dtype":"` + numpy + `"}},`
		case 2:
			if !strings.Contains(name, "int") || numpy == "" {
				continue
			}
			chain += `{"name":"scale_offset","configuration":{"offset":` + g.pick("0", "1", "3") + `,"scale":` + g.pick("1", "2") + `}},`
		case 3:
			if len(shape) == 0 {
				continue
			}
			n := 1
			for _, d := range shape {
				n *= d
			}
			if n == 0 {
				continue
			}
			shape = []int{n}
			chain += `{"name":"reshape","configuration":{"shape":[-1]}},`
		}
	}
	return chain, shape
}

func (g generator) chain(shape []int, numpy, name string, depth int) string {
	switch name {
	case "string":
		return "[" + g.pick(`"vlen-utf8"`, `"numcodecs.json2"`, `"numcodecs.msgpack2"`, `"zarrs.vlen_v2"`,
			`{"name":"zarrs.vlen","configuration":{"index_data_type":"uint32","index_location":"end","index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"data_codecs":["bytes","zstd"]}}`) + g.bytes(2) + "]"
	case "bytes":
		return "[" + g.pick(`"vlen-bytes"`, `"zarrs.vlen_v2"`) + g.bytes(2) + "]"
	}
	arrays, inner := "", shape
	if !strings.HasPrefix(name, "{") && name != "bool" {
		arrays, inner = g.arrays(shape, numpy, name)
	}
	endian := g.pick("little", "big")
	serializer := `{"name":"bytes","configuration":{"endian":"` + endian + `"}}`
	switch {
	case strings.Contains(name, `"optional"`):
		serializer = `{"name":"optional","configuration":{"mask_codecs":["packbits"],"data_codecs":[{"name":"bytes","configuration":{"endian":"big"}},"zstd"]}}`
	case (name == "bool" || strings.HasSuffix(name, "int4") || name == "int2") && g.IntN(2) == 0:
		serializer = `{"name":"packbits","configuration":{"padding_encoding":"` + g.pick("none", "first_byte", "last_byte") + `"}}`
	case depth < 2 && g.IntN(3) == 0:
		chunk := make([]int, len(inner))
		for i, n := range inner {
			chunk[i] = 1
			for k := 1 + g.IntN(max(n, 1)); k > 0; k-- {
				if n%k == 0 {
					chunk[i] = k
					break
				}
			}
		}
		serializer = fmt.Sprintf(`{"name":"sharding_indexed","configuration":{"chunk_shape":%s,"codecs":%s,"index_codecs":[{"name":"bytes","configuration":{"endian":%q}}%s],"index_location":%q}}`,
			strings.ReplaceAll(fmt.Sprint(chunk), " ", ","), g.chain(chunk, numpy, name, depth+1), endian, g.pick("", `,"crc32c"`), g.pick("start", "end"))
	}
	return "[" + arrays + serializer + g.bytes(3-depth) + "]"
}

// fill sets the elements: all the same, small ones, in runs, or any.
func (g generator) fill(b ndarray.Block, t *dtype.Type) {
	kind := g.IntN(4)
	for i := range b.Items {
		b.Items[i] = []byte{}
		if kind == 0 {
			continue
		}
		for range g.IntN(8) {
			b.Items[i] = append(b.Items[i], g.pick("a", "é", "\"", "\n", "\\", "", "x", "🧊")...)
		}
	}
	size := max(b.Size, 1)
	for i := range b.Data {
		switch {
		case kind == 0:
		case kind == 1 && i%size == 0:
			b.Data[i] = byte(g.IntN(20))
		case kind == 2 && i >= size && g.IntN(9) > 0:
			b.Data[i] = b.Data[i-size]
		case kind >= 2:
			b.Data[i] = byte(g.Uint32())
		}
	}
	settle(b, t)
}

// settle converts elements of any bytes to their form in memory: absent ones are zeros.
func settle(b ndarray.Block, t *dtype.Type) {
	t.Normalize(b.Data)
	if t.Kind != dtype.Optional || t.Variable() {
		return
	}
	for i := 0; i < len(b.Data); i += t.Size {
		if b.Data[i] == 0 {
			clear(b.Data[i : i+t.Size])
		}
	}
}

// filters returns v2 filters for numbers of a typestring; the first ones keep their type.
func (g generator) filters(numpy string) string {
	all := ""
	integer := numpy[1] != 'f'
	for range g.IntN(3) {
		switch g.IntN(3) {
		case 0:
			if integer {
				all += `,{"name":"delta","configuration":{"dtype":"` + numpy + `"}}`
			}
		case 1:
			if integer && numpy[2] != '8' { // binary64 cannot hold all of them
				all += `,{"name":"fixedscaleoffset","configuration":{"dtype":"` + numpy + `","scale":1,"offset":` + g.pick("0", "3") + `,"astype":"<f8"}}`
				numpy, integer = "<f8", false
			}
		case 2:
			if integer && numpy[2] != '8' {
				to := g.pick(">i8", "<f8")
				all += `,{"name":"astype","configuration":{"decode_dtype":"` + numpy + `","encode_dtype":"` + to + `"}}`
				numpy, integer = to, to == ">i8"
			}
		}
	}
	if g.IntN(2) == 0 {
		all += fmt.Sprintf(`,{"name":"shuffle","configuration":{"elementsize":%c}}`, numpy[2])
	}
	return all
}

// trial2 returns a trial of version 2: an order of C or F, filters and a compressor, elements in
// either byte order.
func (g generator) trial2(t testing.TB, r *codec.Registry) trial {
	numpy := g.pick("|i1", "|u1", "<i2", ">i2", "<u2", ">u4", ">i4", "<i8", ">u8", ">f4", "<f8", ">f2", "|b1", ">M8[ns]", ">U3", "|S5", "|V3", ">c8")
	shape := g.shape()
	order, filters, compressor := g.pick("C", "F"), "", ""
	if strings.ContainsRune("iuf", rune(numpy[1])) {
		filters = g.filters(numpy)
	}
	switch g.IntN(7) {
	case 0:
		compressor = `,{"name":"zlib","configuration":{"level":1}}`
	case 1:
		compressor = fmt.Sprintf(`,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":%d,"blocksize":0}}`, g.IntN(4)-1)
	case 2:
		compressor = `,"lz4"`
	case 3:
		compressor = `,{"name":"bz2","configuration":{"level":1}}`
	case 4:
		compressor = `,{"name":"zstd","configuration":{"level":1}}`
	case 5:
		compressor = `,{"name":"gzip","configuration":{"level":1}}`
	}
	typ, err := dtype.ParseV2(parsed(t, `"`+numpy+`"`), dtype.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", numpy, err)
	}
	chain := `[{"name":"transpose","configuration":{"order":"` + order + `"}},"bytes"` + filters + compressor + "]"
	k := trial{about: fmt.Sprint(numpy, shape, chain), array: codec.Array{Shape: shape, Type: typ, Fill: typ.Zero()}}
	specs, err := meta.Codecs(parsed(t, chain), len(shape))
	if err != nil {
		t.Fatalf("%s: %v", k.about, err)
	}
	if k.pipe, err = r.Pipeline(specs, codec.Build{Format: 2, Array: k.array, Limits: codec.Limits{}.WithDefaults()}); err != nil {
		t.Fatalf("%s: %v", k.about, err)
	}
	k.block = ndarray.New(shape, typ.Size, false)
	g.fill(k.block, typ)
	return k
}

// trial is an array with a chain.
type trial struct {
	about string
	pipe  *codec.Pipeline
	array codec.Array
	block ndarray.Block
}

func (g generator) trial(t testing.TB, r *codec.Registry) (trial, bool) {
	name, numpy := g.pick(others...), ""
	if g.IntN(2) == 0 {
		n := numbers[g.IntN(len(numbers))]
		name, numpy = n.name, n.numpy
	}
	shape := g.shape()
	chain := g.chain(shape, numpy, name, 0)
	typeText := name
	if !strings.HasPrefix(name, "{") {
		typeText = `"` + name + `"`
	}
	typ, err := dtype.ParseV3(parsed(t, typeText), dtype.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	k := trial{about: fmt.Sprint(name, shape, chain), array: codec.Array{Shape: shape, Type: typ, Fill: typ.Zero()}}
	specs, err := meta.Codecs(parsed(t, chain), len(shape))
	if err != nil {
		t.Fatalf("%s: %v", k.about, err)
	}
	k.pipe, err = r.Pipeline(specs, codec.Build{Format: 3, Array: k.array, Limits: codec.Limits{}.WithDefaults()})
	if err != nil {
		var config *codec.ConfigError
		if !errors.As(err, &config) {
			t.Fatalf("%s: %v", k.about, err)
		}
		return k, false
	}
	k.block = ndarray.New(shape, typ.Size, typ.Variable())
	g.fill(k.block, typ)
	return k, true
}

func parsed(t testing.TB, text string) json.Value {
	t.Helper()
	v, err := json.Parse([]byte(text), json.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// run encodes and decodes. It reports false if an element was rejected.
func (k trial) run(env *codec.Env) (bool, error) {
	stored, err := k.pipe.Encode(env, k.array, k.block)
	if errors.Is(err, codec.ErrValue) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	plan, err := k.pipe.Plan(k.array)
	if err == nil {
		err = plan.CheckEncoded(len(stored))
	}
	if err != nil {
		return false, err
	}
	again := ndarray.New(k.array.Shape, k.array.Type.Size, k.array.Type.Variable())
	for i := range again.Data {
		again.Data[i] = 0x5a // detects elements that are not written
	}
	if err := plan.Decode(env, again, stored, nil); err != nil {
		return false, fmt.Errorf("decoding: %w", err)
	}
	if !equal(k.block, again) {
		return false, errors.New("other elements")
	}
	return true, nil
}

// TestRandomRoundTrips encodes random types, shapes, chains and elements. The encoded bytes decode
// to the same elements, or the elements are rejected by name.
func TestRandomRoundTrips(t *testing.T) {
	const trials = 400
	r := writing.Codecs()
	g := generator{rand.New(rand.NewPCG(19, 22))}
	env := codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
	done := 0
	for i := range trials {
		k, ok := trial{}, true
		if i%4 == 0 {
			k = g.trial2(t, r)
		} else if k, ok = g.trial(t, r); !ok {
			continue
		}
		env.OmitFill = g.IntN(2) == 0
		ok, err := k.run(env)
		if err != nil {
			t.Errorf("%s: %v", k.about, err)
		}
		if ok {
			done++
		}
	}
	if done < trials*8/10 {
		t.Errorf("only %d of %d were encoded", done, trials)
	}
}

// TestEncodeAtOnce encodes with one pipeline on many goroutines.
func TestEncodeAtOnce(t *testing.T) {
	r := writing.Codecs()
	g := generator{rand.New(rand.NewPCG(3, 4))}
	for range 10 {
		k, ok := g.trial(t, r)
		if !ok {
			continue
		}
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() {
				env := codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
				for range 5 {
					if _, err := k.run(env); err != nil {
						errs[i] = err
					}
				}
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Errorf("%s: %v", k.about, err)
		}
	}
}

// FuzzEncode encodes any elements with any chain. The chain is rejected by name, or the result
// decodes to the same elements.
func FuzzEncode(f *testing.F) {
	g := generator{rand.New(rand.NewPCG(5, 6))}
	for range 60 {
		n := numbers[g.IntN(len(numbers))]
		f.Add(`"`+n.name+`"`, g.chain([]int{3, 4}, n.numpy, n.name, 0), []byte("some elements, some elements"))
		name := g.pick(others...)
		if !strings.HasPrefix(name, "{") {
			f.Add(`"`+name+`"`, g.chain([]int{3, 4}, "", name, 0), []byte("\x00\x00\x01\xff elements"))
		}
	}
	for _, chain := range []string{
		`[{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":1,"scale":10,"dtype":"<f8","astype":"|u1"}},"bytes"]`,
		`[{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"<f8","astype":"<f4"}},{"name":"bytes","configuration":{"endian":"little"}}]`,
		`[{"name":"bitround","configuration":{"keepbits":3}},{"name":"bytes","configuration":{"endian":"little"}}]`,
		`[{"name":"cast_value","configuration":{"data_type":"int16","out_of_range":"clamp","scalar_map":{"encode":[["NaN",-1]]}}},{"name":"bytes","configuration":{"endian":"big"}}]`,
		`[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<f4","decode_dtype":"<f8"}},{"name":"bytes","configuration":{"endian":"big"}}]`,
	} {
		f.Add(`"float64"`, chain, []byte("some elements, some elements"))
	}
	r := writing.Codecs()
	f.Fuzz(func(t *testing.T, typeText, chainText string, data []byte) {
		if len(typeText) > 1<<10 || len(chainText) > 1<<12 {
			return
		}
		v, err := json.Parse([]byte(typeText), json.Limits{})
		if err != nil {
			return
		}
		typ, err := dtype.ParseV3(v, dtype.Limits{ItemBytes: 1 << 10})
		if err != nil {
			return
		}
		if v, err = json.Parse([]byte(chainText), json.Limits{}); err != nil {
			return
		}
		chain, err := meta.Codecs(v, 2)
		if err != nil {
			return
		}
		a := codec.Array{Shape: []int{3, 4}, Type: typ, Fill: typ.Zero()}
		limits := codec.Limits{ChunkBytes: 1 << 20, DecoderBytes: 1 << 24, IndexBytes: 1 << 16}.WithDefaults()
		p, err := r.Pipeline(chain, codec.Build{Format: 3, Array: a, Limits: limits})
		if err != nil {
			return
		}
		block := ndarray.New(a.Shape, typ.Size, typ.Variable())
		for i := range block.Data {
			if len(data) > 0 {
				block.Data[i] = data[i%len(data)]
			}
		}
		for i := range block.Items {
			block.Items[i] = data[min(len(data), i):min(len(data), 2*i)]
		}
		settle(block, typ)
		k := trial{pipe: p, array: a, block: block}
		_, err = k.run(codec.NewEnv(context.Background(), limits))
		var limit *codec.LimitError
		var feature *codec.UnsupportedError
		var config *codec.ConfigError
		switch {
		case err == nil, errors.As(err, &limit), errors.As(err, &feature), errors.As(err, &config):
		case strings.Contains(err.Error(), codec.EncoderFailed) || !lossy(p.Chain()):
			t.Errorf("%s by %s: %v", typeText, chainText, err)
		}
	})
}

// lossy reports whether a chain rounds.
func lossy(chain []meta.CodecSpec) bool {
	text := chainOf(chain)
	for _, name := range []string{"bitround", "quantize", "fixedscaleoffset", "astype", "cast_value", "scale_offset", "delta", "categorize", "optional", "json", "msgpack"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}
