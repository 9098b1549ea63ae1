package ome

import (
	"math"
	"strconv"
	"strings"
)

// Acquisition is a run of a plate through the microscope (section "plate", "acquisitions").
// Unstated fields are "" or nil.
type Acquisition struct {
	// ID identifies the acquisition in wells.
	ID                int64
	Name, Description string
	// MaximumFieldCount is the largest number of its fields of view in a well.
	MaximumFieldCount *int64
	// StartTime and EndTime are in seconds since 1970.
	StartTime, EndTime *int64
}

// PlateWell locates a well (section "plate", "wells").
type PlateWell struct {
	// Path is the path of its group, relative to the plate.
	Path string
	// RowIndex and ColumnIndex are the indices of its row and column.
	RowIndex, ColumnIndex int64
}

// plateDocument is a plate, as in the document.
type plateDocument struct {
	name          string
	fieldCount    *int64
	rows, columns []string
	acquisitions  []Acquisition
	wells         []PlateWell
}

// Field is an image of a well (section "well", "images").
type Field struct {
	// Path is the path of its group, relative to the well.
	Path string
	// Acquisition is the ID of the field's acquisition, or nil.
	Acquisition *int64
}

func countOf(p member, least int64) *int64 {
	if !p.Exists() {
		return nil
	}
	if n, ok := p.index(least); ok {
		return &n
	}
	return nil
}

func optionalText(p member) string {
	p.optional(p.isText(), "a string")
	return p.text()
}

// plateOf reads "plate".
func plateOf(p member, d document) plateDocument {
	v := d.version
	var plate plateDocument
	if !p.object() {
		return plate
	}
	name, fieldCount := p.get("name"), p.get("field_count")
	if v >= "0.4" {
		if !name.Exists() {
			name.should("a plate SHOULD have a `name`")
		}
		if !fieldCount.Exists() {
			fieldCount.should("a plate SHOULD have a `field_count`")
		}
	}
	// The text of 0.5 requires a plate's version, but its schema and examples do not: there "ome"
	// has it.
	checkVersion(p, d, "a plate")
	plate.name = optionalText(name)
	plate.fieldCount = countOf(fieldCount, 1)
	plate.rows = namesOf(p.get("rows"), v)
	plate.columns = namesOf(p.get("columns"), v)
	plate.acquisitions = acquisitionsOf(p.get("acquisitions"), v)
	rows, columns := placesOf(plate.rows), placesOf(plate.columns)
	paths := map[string]bool{}
	given := v >= "0.4"
	for _, item := range p.get("wells").list() {
		if !item.isObject() {
			item.must("a well MUST be an object")
			continue
		}
		at := item.get("path")
		path := at.needed()
		rowIndex, columnIndex := indexOf(item.get("rowIndex"), given), indexOf(item.get("columnIndex"), given)
		if path == "" {
			continue
		}
		if paths[path] {
			at.report(Warning, "another well has this path")
		}
		paths[path] = true
		names := strings.Split(path, "/")
		row, knownRow := rows[names[0]]
		column, knownColumn := int64(0), false
		if len(names) > 1 {
			column, knownColumn = columns[names[1]]
		}
		if len(names) != 2 || len(rows) > 0 && !knownRow || len(columns) > 0 && !knownColumn {
			level := Must
			if !given {
				level = Warning
			}
			at.report(level, "the path MUST be the name of a row, a slash, and the name of a column")
		} else {
			if knownRow && rowIndex != nil && *rowIndex != row {
				item.get("rowIndex").must("`rowIndex` MUST be that of the path, " + strconv.FormatInt(row, 10))
			}
			if knownColumn && columnIndex != nil && *columnIndex != column {
				item.get("columnIndex").must("`columnIndex` MUST be that of the path, " + strconv.FormatInt(column, 10))
			}
		}
		// The path locates the well's images, and gives the row and column if the indices are
		// absent.
		well := PlateWell{Path: path, RowIndex: -1, ColumnIndex: -1}
		if rowIndex != nil {
			well.RowIndex = *rowIndex
		} else if knownRow {
			well.RowIndex = row
		}
		if columnIndex != nil {
			well.ColumnIndex = *columnIndex
		} else if knownColumn {
			well.ColumnIndex = column
		}
		plate.wells = append(plate.wells, well)
	}
	return plate
}

// indexOf returns the index of a row or column, which is required since 0.4.
func indexOf(p member, given bool) *int64 {
	if !given {
		return countOf(p, 0)
	}
	if n, ok := p.index(0); ok {
		return &n
	}
	return nil
}

// placesOf returns the first position of each name.
func placesOf(names []string) map[string]int64 {
	places := map[string]int64{}
	for i := len(names) - 1; i >= 0; i-- {
		places[names[i]] = int64(i)
	}
	return places
}

// namesOf returns the names of rows or columns in order, or "" for one without a name.
func namesOf(p member, v Version) []string {
	names := []string{}
	seen, folded := map[string]bool{}, map[string]bool{}
	for _, item := range p.list() {
		at := item.get("name")
		name := ""
		if item.isObject() {
			name = at.needed()
		} else {
			item.must("this MUST be an object")
		}
		names = append(names, name)
		if name == "" {
			continue
		}
		if v >= "0.4" && !isAlphanumeric(name) {
			at.must("a name MUST have letters and digits only")
		}
		same := strings.ToLower(name)
		if seen[name] {
			at.must("names MUST be unique")
		} else if folded[same] {
			at.should("names SHOULD differ by more than upper and lower case")
		}
		seen[name], folded[same] = true, true
	}
	return names
}

func isAlphanumeric(name string) bool {
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != ""
}

func acquisitionsOf(p member, v Version) []Acquisition {
	acquisitions := []Acquisition{}
	if p.Exists() && !p.isList() {
		p.must("`acquisitions` MUST be a list")
	}
	seen := map[int64]bool{}
	for _, item := range p.items() {
		if !item.isObject() {
			item.must("an acquisition MUST be an object")
			continue
		}
		name, most := item.get("name"), item.get("maximumfieldcount")
		if !name.Exists() {
			name.should("an acquisition SHOULD have a `name`")
		}
		if v >= "0.4" && !most.Exists() {
			most.should("an acquisition SHOULD have a `maximumfieldcount`")
		}
		id, ok := item.get("id").index(0)
		a := Acquisition{ID: id, Name: optionalText(name), Description: optionalText(item.get("description")), MaximumFieldCount: countOf(most, 1)}
		a.StartTime, a.EndTime = countOf(item.get("starttime"), 0), countOf(item.get("endtime"), 0)
		if !ok {
			continue
		}
		if seen[id] {
			item.get("id").must("the ids of acquisitions MUST be unique")
		}
		seen[id] = true
		acquisitions = append(acquisitions, a)
	}
	return acquisitions
}

// wellOf reads "well".
func wellOf(p member, d document) []Field {
	v := d.version
	fields := []Field{}
	if !p.object() {
		return fields
	}
	checkVersion(p, d, "a well")
	seen := map[string]bool{}
	for _, item := range p.get("images").list() {
		if !item.isObject() {
			item.must("an image MUST be an object")
			continue
		}
		at := item.get("path")
		path := at.needed()
		acquisition := countOf(item.get("acquisition"), math.MinInt64)
		if path == "" {
			continue
		}
		if v >= "0.6" && !isNodeName(path) {
			at.must("the path MUST be a name of letters, digits, -, _ and .")
		} else if v >= "0.4" && v < "0.6" && !isAlphanumeric(path) {
			at.must("the path MUST have letters and digits only")
		}
		if seen[path] {
			at.must("paths MUST be unique")
		}
		seen[path] = true
		fields = append(fields, Field{path, acquisition})
	}
	return fields
}

// isNodeName reports whether Zarr recommends a name for nodes.
func isNodeName(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) {
			return -1
		}
		return r
	}, name)
	return (plain == "" || isAlphanumeric(plain)) && strings.Trim(name, ".") != "" && !strings.HasPrefix(name, "__")
}
