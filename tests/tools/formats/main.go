// Command formats prints docs/reports/formats.md: the supported parts of Zarr, compared with other
// readers.
//
//	go run ./tests/tools/formats
//
// This project's column comes from the codec registry and from opening small arrays. The others'
// are data in this package, with "?" for unknown answers.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
)

const head = `# Formats

Written by ` + "`go run ./tests/tools/formats >docs/reports/formats.md`" + `: do not edit it. A test fails when it is not current.

The column *zarr-wasm* comes from the registry of codecs and from opening and reading a small array of each kind.
The other columns come from the sources and issues of zarrita 0.7.5, zarr-python 3.4, zarrs, neuroglancer (August 2026)
and GDAL, and from runs over this project's fixtures.

| | |
|---|---|
| yes | read correctly |
| partly | read with the exceptions in the note |
| no | rejected with an error |
| wrong | silently wrong values, or a misleading error |
| ? | unknown |
`

func main() {
	root, err := fixtures.Root()
	if err == nil {
		out := bufio.NewWriter(os.Stdout)
		if err = page(out, root); err == nil {
			err = out.Flush()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "formats:", err)
		os.Exit(1)
	}
}

// page writes the whole page; root is the repository.
func page(w io.Writer, root string) error {
	fmt.Fprint(w, head)
	for _, section := range []func(io.Writer, string) error{
		metadataSection, codecSection, writingSection, typeSection, layoutSection, containerSection, refusalSection,
	} {
		if err := section(w, root); err != nil {
			return err
		}
	}
	return nil
}

// others holds the peers' answers in the order of the columns, a letter each: y, p, n, w or ?.
type others string

const unknown others = "?????"

var peers = [...]string{"zarrita", "zarr-python", "zarrs", "neuroglancer", "GDAL"}

var words = map[rune]string{'y': "yes", 'p': "partly", 'n': "no", 'w': "wrong", '?': "?"}

// cells formats the answers for a table.
func (o others) cells() ([]string, error) {
	if len(o) != len(peers) {
		return nil, fmt.Errorf("%q has not an answer for each of %d peers", o, len(peers))
	}
	var cells []string
	for _, r := range o {
		word, ok := words[r]
		if !ok {
			return nil, fmt.Errorf("%q: no answer %q", o, r)
		}
		cells = append(cells, word)
	}
	return cells, nil
}

// table is one table of the page.
type table struct {
	first []string // the headings before the answers
	rows  []row
}

// row is one line: its subject, this project's answer, the others', and a note.
type row struct {
	first  []string
	own    string
	others others
	note   string
}

func (t table) write(w io.Writer) error {
	heads := append(append(append([]string{}, t.first...), "zarr-wasm"), peers[:]...)
	heads = append(heads, "note")
	line(w, heads)
	rule := make([]string, len(heads))
	for i := range rule {
		rule[i] = "---"
	}
	line(w, rule)
	for _, r := range t.rows {
		cells, err := r.others.cells()
		if err != nil {
			return fmt.Errorf("%v: %w", r.first, err)
		}
		all := append(append([]string{}, r.first...), "**"+r.own+"**")
		line(w, append(append(all, cells...), r.note))
	}
	return nil
}

func line(w io.Writer, cells []string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// title writes a section's heading and the text below it.
func title(w io.Writer, heading, text string) {
	fmt.Fprintf(w, "\n%s\n\n", heading)
	if text != "" {
		fmt.Fprintf(w, "%s\n\n", text)
	}
}

// code lists names as code, separated by commas.
func code(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + strings.ReplaceAll(n, "|", `\|`) + "`"
	}
	return strings.Join(quoted, ", ")
}

// notes joins non-empty notes.
func notes(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "; ")
}
