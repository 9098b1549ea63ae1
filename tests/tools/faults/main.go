// Command faults prints docs/reports/http.md: the outcomes of reads from faulty servers.
//
//	go run ./tests/tools/faults [-data DIR]
//
// With -data it writes the arrays, and the outcome of each trial, for the same test in a browser.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const head = `# Faulty servers

Written by ` + "`go run ./tests/tools/faults >docs/reports/http.md`" + `: do not edit it. A test fails when it is not current.

Each row is a server with one fault, and the result of reading an array from it: the right values, or an error. Wrong
values would fail the test. The arrays have no checksums, so only the rules of HTTP protect them. *In a browser* is the
result of the npm package in Chromium, where it differs; ` + "`tests/browser/faults.mjs`" + ` tests it by the engine's own
requests and by a ` + "`fetch`" + ` function of the page.

| the server | outcome | in a browser |
| --- | --- | --- |
`

func main() {
	dir := flag.String("data", "", "write the arrays to this `directory`")
	flag.Parse()
	err := func() error {
		if *dir != "" {
			return write(context.Background(), *dir)
		}
		out := bufio.NewWriter(os.Stdout)
		if err := page(context.Background(), out); err != nil {
			return err
		}
		return out.Flush()
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, dir string) error {
	list, err := trials()
	if err != nil {
		return err
	}
	s := newSite()
	defer s.close()
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = s.run(ctx, t).word()
	}
	objects := data()
	if objects["words.json"], err = json.Marshal(words); err != nil {
		return err
	}
	for key, b := range objects {
		name := filepath.Join(dir, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// page writes the whole page.
func page(ctx context.Context, w io.Writer) error {
	list, err := trials()
	if err != nil {
		return err
	}
	s := newSite()
	defer s.close()
	fmt.Fprint(w, head)
	for _, t := range list {
		o := s.run(ctx, t)
		if o.word() == "WRONG" {
			return fmt.Errorf("%s: wrong values", t.Fault)
		}
		browser := ""
		switch word := cmp.Or(t.Chromium, t.Browser); word {
		case "":
		case "right":
			browser = "the right values"
		default:
			name, status, _ := cut(word)
			browser = "`" + name + "`" + status
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", t.Fault, s.text(o), browser)
	}
	return nil
}

// cut splits "HttpError 0".
func cut(word string) (name, status string, ok bool) {
	var n int
	if _, err := fmt.Sscanf(word, "%s %d", &name, &n); err == nil {
		return name, fmt.Sprintf(", status %d", n), true
	}
	return word, "", false
}
