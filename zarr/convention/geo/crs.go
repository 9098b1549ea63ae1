package geo

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// CRS is a coordinate reference system as written, with the names found in it. The package looks
// nothing up and derives nothing.
type CRS struct {
	// Code is an authority's code as written, like "EPSG:32633" (proj:code).
	Code string
	// WKT2 is WKT2 as written (proj:wkt2).
	WKT2 string
	// WKT is WKT of any version as written (crs_wkt, spatial_ref).
	WKT string
	// PROJJSON is PROJJSON as written (proj:projjson), or the zero Value.
	PROJJSON json.Value
	// EPSG is the code in the EPSG registry that Code, the WKT's own identifier or the PROJJSON
	// states, or 0.
	EPSG int
	// Name is the name in the WKT or the PROJJSON.
	Name string
}

// named completes a system with its EPSG code and name. It returns nil for an empty one.
func (c CRS) named() *CRS {
	if c.Code == "" && c.WKT2 == "" && c.WKT == "" && !c.PROJJSON.Exists() {
		return nil
	}
	if codes := c.codes(); len(codes) > 0 {
		c.EPSG = codes[0]
	}
	wkt := c.WKT2
	if wkt == "" {
		wkt = c.WKT
	}
	root := wktRoot(wkt)
	c.Name = root.name
	if !root.named {
		c.Name = textOf(c.PROJJSON.Get("name"))
	}
	return &c
}

// codes returns the EPSG codes that a system's texts state. If they differ, that of the WKT2
// "takes precedence" (proj, "For readers").
func (c CRS) codes() (codes []int) {
	id := c.PROJJSON.Get("id")
	code, ok := id.Get("code").Text()
	if !ok {
		code = string(id.Get("code").Raw())
	}
	wkt2, wkt := wktRoot(c.WKT2), wktRoot(c.WKT)
	for _, stated := range []string{
		wkt2.authority + ":" + wkt2.code, c.Code, wkt.authority + ":" + wkt.code, textOf(id.Get("authority")) + ":" + code,
	} {
		if n, ok := epsgOfCode(stated); ok && !slices.Contains(codes, n) {
			codes = append(codes, n)
		}
	}
	return codes
}

// epsgOfCode returns the EPSG code of a text such as "EPSG:4326", or of an OGC URL or URN.
func epsgOfCode(code string) (int, bool) {
	lower := strings.ToLower(code)
	digits, ok := strings.CutPrefix(lower, "epsg:")
	for _, form := range [][2]string{
		{"http://www.opengis.net/def/crs/epsg/", "/"}, {"https://www.opengis.net/def/crs/epsg/", "/"}, {"urn:ogc:def:crs:epsg:", ":"},
	} {
		if rest, is := strings.CutPrefix(lower, form[0]); is && !ok {
			_, digits, ok = strings.Cut(rest, form[1])
		}
	}
	if !ok || len(digits) > 9 || !isDigits(digits) {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// root holds a WKT's outermost name and identifier: AUTHORITY (WKT1) or ID (WKT2).
type root struct {
	name            string
	named           bool
	authority, code string
}

func wktRoot(wkt string) root {
	var r root
	var depth int
	var word, child string
	var values []string
	identified := false
	value := func(found string) {
		switch {
		case depth == 1 && !r.named:
			r.name, r.named = found, true
		case depth == 2:
			values = append(values, found)
		}
	}
	const space = " \t\r\n\f\v"
	for i := 0; i < len(wkt); {
		end := i + 1
		switch c := wkt[i]; {
		case c == '"':
			// A quotation mark inside a text is doubled.
			for end < len(wkt) && (wkt[end] != '"' || end+1 < len(wkt) && wkt[end+1] == '"') {
				if wkt[end] == '"' {
					end++
				}
				end++
			}
			value(strings.ReplaceAll(wkt[i+1:min(end, len(wkt))], `""`, `"`))
			end++
		case c == '[' || c == '(':
			depth++
			if depth == 2 {
				child, values = strings.ToUpper(word), nil
			}
		case c == ']' || c == ')':
			if depth == 2 && (child == "AUTHORITY" || child == "ID") && len(values) >= 2 && !identified {
				r.authority, r.code, identified = values[0], values[1], true
			}
			depth--
		case !strings.ContainsRune(space+",", rune(c)):
			for end < len(wkt) && !strings.ContainsRune(space+`,"[]()`, rune(wkt[end])) {
				end++
			}
			word = wkt[i:end]
			// A word before a bracket is the node's keyword.
			if next := strings.TrimLeft(wkt[end:], space); !strings.HasPrefix(next, "[") && !strings.HasPrefix(next, "(") {
				value(word)
			}
		}
		i = end
	}
	return r
}

// crsOfGDAL reads the _CRS of GDAL's Zarr driver: an object with url, wkt or projjson.
func crsOfGDAL(v json.Value) *CRS {
	var c CRS
	if code, ok := epsgOfCode(textOf(v.Get("url"))); ok {
		c.Code = "EPSG:" + strconv.Itoa(code)
	}
	c.WKT = textOf(v.Get("wkt"))
	if p := v.Get("projjson"); p.Kind() == json.Object {
		c.PROJJSON = p
	}
	return c.named()
}

// crsOfGridMapping returns the system that a grid mapping variable states in addition to its CF
// parameters, and the attribute that states it.
func crsOfGridMapping(attributes json.Value) (crs *CRS, attribute string) {
	for _, attribute := range []string{"crs_wkt", "spatial_ref"} {
		written := textOf(attributes.Get(attribute))
		if written == "" {
			continue
		}
		// Some writers put a code in place of WKT.
		if authority, code, ok := strings.Cut(written, ":"); ok && isName(authority) && isName(code) {
			return CRS{Code: written}.named(), attribute
		}
		return CRS{WKT: written}.named(), attribute
	}
	v := attributes.Get("epsg_code")
	code, ok := v.Text()
	if n, is := v.Int64(); !ok && is {
		code = strconv.FormatInt(n, 10)
	}
	if isDigits(code) {
		code = "EPSG:" + code
	}
	return CRS{Code: code}.named(), "epsg_code"
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}
