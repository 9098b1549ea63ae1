package anndata

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printedSection is a line of what an object prints: a name, and the names of what it has; nil where nothing tells them.
type printedSection struct {
	name  string
	names []string
}

func frameSection(name string, f *DataFrame) printedSection {
	return printedSection{name, append([]string{}, f.Columns...)}
}

func mappingSection(name string, m *Mapping) printedSection {
	if !m.Listed {
		return printedSection{name, nil}
	}
	return printedSection{name, append([]string{}, m.Names...)}
}

// printed is a title, and lines for the sections that have anything.
func printed(title string, sections ...printedSection) string {
	lines := []string{title}
	for _, s := range sections {
		switch {
		case s.names == nil:
			lines = append(lines, "    "+s.name+": ?")
		case len(s.names) > 0:
			lines = append(lines, "    "+s.name+": "+listed(s.names))
		}
	}
	return strings.Join(lines, "\n")
}

// listed is names as Python's lists of them print.
func listed(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = quoted(name)
	}
	return strings.Join(all, ", ")
}

// quoted is a text as Python prints it, but for what is not printed at all.
func quoted(text string) string {
	mark := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		mark = `"`
	}
	return mark + strings.NewReplacer(`\`, `\\`, "\n", `\n`, mark, `\`+mark).Replace(text) + mark
}

// What a table prints of itself: so many rows and columns, each of so many characters.
const (
	mostRows    = 10
	mostColumns = 12
	widest      = 24
)

// String is the head of the table.
func (t *Table) String() string {
	rows := min(t.Len(), mostRows)
	cells := func(name string, c *Column, left bool) []string {
		all := []string{cut(name)}
		for i := range rows {
			all = append(all, cut(cell(c.Value(i))))
		}
		width := 0
		for _, s := range all {
			width = max(width, utf8.RuneCountInString(s))
		}
		for i, s := range all {
			pad := strings.Repeat(" ", width-utf8.RuneCountInString(s))
			if all[i] = pad + s; left {
				all[i] = s + pad
			}
		}
		return all
	}
	name := t.IndexName
	if name == "_index" {
		name = ""
	}
	parts := [][]string{cells(name, t.Index, true)}
	for i, c := range t.Columns[:min(len(t.Columns), mostColumns)] {
		parts = append(parts, cells(t.Names[i], c, false))
	}
	if len(t.Columns) > mostColumns {
		parts = append(parts, slices.Repeat([]string{"…"}, rows+1))
	}
	var lines []string
	for i := range rows + 1 {
		var line []string
		for _, part := range parts {
			line = append(line, part[i])
		}
		lines = append(lines, strings.TrimRight(strings.Join(line, "  "), " "))
	}
	if t.Len() > rows {
		lines = append(lines, "…")
	}
	of := ""
	if int64(t.Len()) < t.of {
		of = strconv.Itoa(t.Len()) + " of "
	}
	return fmt.Sprintf("%s\n[%s%d rows × %d columns]", strings.Join(lines, "\n"), of, t.of, len(t.Columns))
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "<NA>"
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return fmt.Sprint(v)
}

func cut(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > widest {
		return string(runes[:widest-1]) + "…"
	}
	return text
}
