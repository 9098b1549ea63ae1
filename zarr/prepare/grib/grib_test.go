package grib

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/indextest"
)

// seeds are files of ecCodes, and texts of their references.
var seeds = map[string][]string{
	"cube.grib2":     {`"t/0.0.0.0.0"`, `"t/1.1.2.0.0"`, `"t2m/0.0"`, `"u10/0.0"`, `\"air_temperature\"`, `\"isobaricInhPa\",\"latitude\",\"longitude\"`, `\"id\":\"grib\"`},
	"lambert.grib2":  {`lambert_conformal_conic`, `"x/0"`, `"y/0"`, `"latitude/0.0"`, `\"fill_value\":\"NaN\"`, `\"earth_radius\"`},
	"rotated.grib2":  {`rotated_latitude_longitude`, `"rlon/0"`, `"rlat/0"`, `\"grid_north_pole_latitude\":39.25`},
	"gaussian.grib2": {`"latitude/0"`, `"longitude/0"`, `"t/0.0"`},
}

func seed(t testing.TB, name string) []byte {
	return indextest.Seed(t, filepath.Join("testdata", name))
}

func TestVariablesOfFilesHaveReferences(t *testing.T) {
	for name, texts := range seeds {
		b := seed(t, name)
		out, skipped, err := indextest.Run(t, Index, b)
		if err != nil || len(skipped) != 0 || !Is(bytes.NewReader(b), int64(len(b))) {
			t.Errorf("%s: %v %q", name, err, skipped)
		}
		for _, text := range texts {
			if !strings.Contains(out, text) && !strings.Contains(strings.ReplaceAll(out, `\"`, `"`), strings.ReplaceAll(text, `\"`, `"`)) {
				t.Errorf("%s: no %s in %s", name, text, out)
			}
		}
	}
}

// The cube has 10 of the 12 messages of its places.
func TestMissingMessagesAreMissingChunks(t *testing.T) {
	out, _, _ := indextest.Run(t, Index, seed(t, "cube.grib2"))
	if n := strings.Count(out, `"t/`) - strings.Count(out, `"t/.z`); n != 10 {
		t.Errorf("%d chunks", n)
	}
}

func TestDamagedFilesGiveNamedErrors(t *testing.T) {
	for name := range seeds {
		b := seed(t, name)
		indextest.Damage(t, Index, b[:min(len(b), 2000)])
	}
}

// NOAA's forecasts for the United States begin with the heading of the file and that of a message.
func TestMessagesAfterHeadingsOfBulletinsAreFound(t *testing.T) {
	b := seed(t, "gaussian.grib2")
	all := append([]byte("****0000757873****\nLNUZ98 KWNS 020625\r\r\n****0000185283****\nLNUB12 KWNS 020625\r\r\n"), b...)
	if !Is(bytes.NewReader(all), int64(len(all))) {
		t.Error("the file is not recognised")
	}
	out, skipped, err := indextest.Run(t, Index, all)
	if err != nil || len(skipped) != 0 || !strings.Contains(out, `"t/0.0"`) {
		t.Errorf("%v %q %s", err, skipped, out)
	}
}

func TestMessagesInOtherBytesAreFound(t *testing.T) {
	b := seed(t, "gaussian.grib2")
	all := append([]byte("HEAD 00\r\n"), b...)
	all = append(append(all, make([]byte, 100)...), b...)
	out, skipped, err := indextest.Run(t, Index, all)
	if err != nil || len(skipped) != 1 || !strings.Contains(skipped[0], "second field at the same place") || !strings.Contains(out, `"t/0.0"`) {
		t.Errorf("%v %q", err, skipped)
	}
}

func TestEdition1IsNamedOnce(t *testing.T) {
	one := bytes.Clone(seed(t, "gaussian.grib2"))
	one[7] = 1
	one[4], one[5], one[6] = 0, byte(len(one)>>8), byte(len(one))
	two := append(bytes.Clone(one), one...)
	_, skipped, err := indextest.Run(t, Index, two)
	if err == nil || len(skipped) != 1 || !strings.Contains(skipped[0], "GRIB edition 1") {
		t.Errorf("%v %q", err, skipped)
	}
	_, skipped, err = indextest.Run(t, Index, append(two, seed(t, "gaussian.grib2")...))
	if err != nil || len(skipped) != 1 {
		t.Errorf("%v %q", err, skipped)
	}
}

// A message with several fields repeats sections 4 to 7.
func TestFieldsOfAMessageHaveNumbers(t *testing.T) {
	b := seed(t, "gaussian.grib2")
	var parts [8][]byte
	for at := 16; at < len(b)-4; {
		n := int(binary.BigEndian.Uint32(b[at:]))
		parts[b[at+4]] = b[at : at+n]
		at += n
	}
	second := bytes.Clone(parts[4])
	second[9], second[10] = 2, 2 // the u-component of wind
	body := bytes.Join([][]byte{b[:16], parts[1], parts[3], parts[4], parts[5], parts[6], parts[7], second, parts[5], parts[6], parts[7], []byte("7777")}, nil)
	binary.BigEndian.PutUint64(body[8:], uint64(len(body)))
	out, skipped, err := indextest.Run(t, Index, body)
	if err != nil || len(skipped) != 0 {
		t.Fatalf("%v %q", err, skipped)
	}
	for _, text := range []string{`"u/0.0"`, `"t/0.0"`, `\"field\":1`} {
		if !strings.Contains(out, text) {
			t.Errorf("no %s in %s", text, out)
		}
	}
}

func TestUnknownParametersHaveNumbers(t *testing.T) {
	b := bytes.Clone(seed(t, "gaussian.grib2"))
	for at := 16; ; at += int(binary.BigEndian.Uint32(b[at:])) {
		if b[at+4] == 4 {
			b[at+9], b[at+10] = 99, 98
			break
		}
	}
	out, _, err := indextest.Run(t, Index, b)
	if err != nil || !strings.Contains(out, `"param_0_99_98/0.0"`) {
		t.Errorf("%v %s", err, out)
	}
}

// gaussian returns a message of a Gaussian grid with that number of parallels.
func gaussian(t testing.TB, parallels int) []byte {
	b := bytes.Clone(seed(t, "gaussian.grib2"))
	for at := 16; ; at += int(binary.BigEndian.Uint32(b[at:])) {
		if b[at+4] == 3 {
			binary.BigEndian.PutUint32(b[at+67:], uint32(parallels))
			return b
		}
	}
}

// Latitudes of Gaussian grids take the square of the number of parallels. A file of many grids
// with other numbers each would take half a minute.
func TestTheWorkForGaussianGridsOfAFileIsBounded(t *testing.T) {
	var all []byte
	for i := range 2 * maxGrids {
		all = append(all, gaussian(t, 4096-i%maxGrids)...)
	}
	_, skipped, err := indextest.Run(t, Index, all)
	refused := 0
	for _, text := range skipped {
		if strings.Contains(text, "numbers of parallels") {
			refused++
		}
	}
	if err != nil || refused != maxGrids-2 {
		t.Errorf("%v, %d of %d grids are refused", err, refused, maxGrids)
	}
}

// Coordinates alone are no result.
func TestAFileWithoutAReadableFieldIsAnError(t *testing.T) {
	_, skipped, err := indextest.Run(t, Index, gaussian(t, 1))
	if err == nil || len(skipped) == 0 {
		t.Errorf("%v %q", err, skipped)
	}
}

func FuzzIndex(f *testing.F) {
	for name := range seeds {
		f.Add(seed(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) { _, _, _ = indextest.Run(t, Index, b) })
}
