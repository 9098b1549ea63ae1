package transpose

import (
	"errors"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func makeCodec(t testing.TB, order string, shape []int) (codec.ArrayToArray, codec.Array, error) {
	t.Helper()
	config := codectest.JSON(t, `{"order":`+order+`}`)
	a := codec.Array{Shape: shape, Type: &dtype.Type{Kind: dtype.Uint, Name: "uint8", Size: 1}}
	c, err := Codec().New(config, codec.Build{Format: 3, Array: a})
	if err != nil {
		return nil, a, err
	}
	return c.(codec.ArrayToArray), a, nil
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		order         string
		shape, stored []int
		src, want     []byte
	}{
		{"[1,0]", []int{2, 3}, []int{3, 2}, []byte{1, 4, 2, 5, 3, 6}, []byte{1, 2, 3, 4, 5, 6}},
		{"[0,1]", []int{2, 3}, []int{2, 3}, []byte{1, 2, 3, 4, 5, 6}, []byte{1, 2, 3, 4, 5, 6}},
		{`"F"`, []int{2, 3}, []int{3, 2}, []byte{1, 4, 2, 5, 3, 6}, []byte{1, 2, 3, 4, 5, 6}},
		{`"C"`, []int{2, 3}, []int{2, 3}, []byte{1, 2, 3, 4, 5, 6}, []byte{1, 2, 3, 4, 5, 6}},
		// Not its own inverse: stored[k,i,j] = array[i,j,k].
		{"[2,0,1]", []int{2, 1, 3}, []int{3, 2, 1}, []byte{0, 3, 1, 4, 2, 5}, []byte{0, 1, 2, 3, 4, 5}},
		{"[]", []int{}, []int{}, []byte{7}, []byte{7}},
		{"[0]", []int{0}, []int{0}, []byte{}, []byte{}},
	} {
		c, a, err := makeCodec(t, test.order, test.shape)
		if err != nil {
			t.Errorf("%s: %v", test.order, err)
			continue
		}
		stored, err := c.Encoded(a)
		if err != nil || !slices.Equal(stored.Shape, test.stored) || !slices.Equal(a.Shape, test.shape) {
			t.Errorf("%s: stored as %v %v", test.order, stored.Shape, err)
		}
		dst := ndarray.Block{Shape: test.shape, Size: 1, Data: make([]byte, len(test.want))}
		src := ndarray.Block{Shape: stored.Shape, Size: 1, Data: test.src}
		if err := c.Decode(nil, dst, src); err != nil || !slices.Equal(dst.Data, test.want) {
			t.Errorf("%s: %v %v", test.order, dst.Data, err)
		}
		src.Shape = append([]int{1}, src.Shape...)
		if err := c.Decode(nil, dst, src); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s of another shape: %v", test.order, err)
		}
		a.Shape = append([]int{1}, a.Shape...)
		if _, err := c.Encoded(a); err == nil {
			t.Errorf("%s of another rank is accepted", test.order)
		}
	}
}

func TestVariableElements(t *testing.T) {
	c, _ := must.Both(makeCodec(t, "[1,0]", []int{2, 2}))(t)
	item := func(s string) []byte { return []byte(s) }
	dst := ndarray.Block{Shape: []int{2, 2}, Items: make([][]byte, 4)}
	src := ndarray.Block{Shape: []int{2, 2}, Items: [][]byte{item("a"), item("c"), item("b"), nil}}
	must.Do(t, c.Decode(nil, dst, src))
	for i, want := range []string{"a", "b", "c", ""} {
		if string(dst.Items[i]) != want {
			t.Errorf("item %d is %q", i, dst.Items[i])
		}
	}
}

func TestConfiguration(t *testing.T) {
	for _, order := range []string{"null", "[0]", "[0,1,2]", "[0,0]", "[1,2]", "[-1,0]", "[0.5,1]", `["0","1"]`, `"A"`, "{}", "3", "[9223372036854775807,0]"} {
		var config *codec.ConfigError
		if _, _, err := makeCodec(t, order, []int{2, 3}); !errors.As(err, &config) {
			t.Errorf("%s: %v", order, err)
		}
	}
	if _, err := Codec().New(json.Value{}, codec.Build{}); err == nil {
		t.Error("no configuration is accepted")
	}
}
