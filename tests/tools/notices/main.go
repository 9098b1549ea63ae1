// Command notices prints the notices of everything in the package. It covers the Go runtime and
// standard library, each third-party module linked into the wasm, and each npm package bundled in a
// script. The command has its own file, which -write writes as well.
//
//	go run ./tests/tools/notices [-list | -write]
//
// -list prints names, versions and licences as JSON.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

const head = `THIRD-PARTY NOTICES

zarr.wasm contains, in compiled form, the Go runtime and standard library, and
zarr-write.wasm all of the software listed here; wasm_exec.js of the Go
distribution is part of the JavaScript, and fzstd of inline.js. The coastlines in view-coast.js
are made with Natural Earth, which is in the public domain. Of the colour maps in
view.js, viridis, magma, inferno and plasma are measured of maps by Nathaniel J.
Smith, Stefan van der Walt and Eric Firing (CC0), cividis of one by J. R. Nunez,
C. R. Anderton and R. S. Renslow, turbo of one by Anton Mikhailov, Google LLC
(Apache License 2.0). Written by go run ./tests/tools/notices -write.
`

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// command prints the notices. With -list it prints the modules as JSON; with -write it writes
// THIRD_PARTY_NOTICES.
func command(args []string) error {
	if slices.Contains(args, "-list") {
		return list(os.Stdout)
	}
	if !slices.Contains(args, "-write") {
		return run(os.Stdout)
	}
	var text bytes.Buffer
	if err := run(&text); err != nil {
		return err
	}
	if err := os.WriteFile("THIRD_PARTY_NOTICES", text.Bytes(), 0o644); err != nil {
		return err
	}
	text.Reset()
	if err := runCommand(&text); err != nil {
		return err
	}
	return os.WriteFile("cmd/zarr/THIRD_PARTY_NOTICES", text.Bytes(), 0o644)
}

const headCommand = `THIRD-PARTY NOTICES

The program zarr contains, in compiled form, the Go runtime and standard library, and the modules
listed here. Modules with the same text share a section. Written by
go run ./tests/tools/notices -write.
`

// runCommand writes the notices of the command. Most of its modules have the same licence, so each
// text is written once.
func runCommand(w io.Writer) error {
	modules, err := linkedCommand()
	if err != nil {
		return err
	}
	root, err := goTool("env", "GOROOT")
	if err != nil {
		return err
	}
	std := &module{path: "Go runtime and standard library", dir: strings.TrimSpace(string(root))}
	titles := map[string][]string{}
	var texts []string
	for _, m := range append([]*module{std}, modules...) {
		files, err := m.licenses()
		if err != nil {
			return err
		}
		for _, f := range files {
			raw, err := os.ReadFile(filepath.Join(m.dir, f))
			if err != nil {
				return err
			}
			text := string(plain(raw))
			if titles[text] == nil {
				texts = append(texts, text)
			}
			if title := strings.TrimSpace(m.path + " " + m.version); !slices.Contains(titles[text], title) {
				titles[text] = append(titles[text], title)
			}
		}
	}
	fmt.Fprint(w, headCommand)
	for _, text := range texts {
		section(w, strings.Join(titles[text], "\n"), []byte(text))
	}
	return nil
}

// linkedCommand returns the third-party modules of the command on Linux, sorted.
func linkedCommand() ([]*module, error) {
	byPath := map[string]*module{}
	err := linkedTo(byPath, []string{"GOOS=linux", "GOARCH=amd64"}, "./cmd/zarr")
	return sorted(byPath), err
}

type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

func run(w io.Writer) error {
	root, err := goTool("env", "GOROOT")
	if err != nil {
		return err
	}
	modules, err := linked()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprint(out, head)
	license, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		return err
	}
	section(out, "Go runtime, standard library and wasm_exec.js", license)
	scripts, err := bundled()
	if err != nil {
		return err
	}
	for _, m := range append(modules, scripts...) {
		files, err := m.licenses()
		if err != nil {
			return err
		}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(m.dir, f))
			if err != nil {
				return err
			}
			title := m.path
			if d := filepath.ToSlash(filepath.Dir(f)); d != "." {
				title += "/" + d
			}
			section(out, title+" "+m.version, text)
		}
	}
	return out.Flush()
}

// listed is a module's entry in a bill of materials.
type listed struct {
	Kind     string   `json:"kind"` // the type of its package URL: golang or npm
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Licenses []string `json:"licenses"` // by their names in SPDX
}

// list writes the modules whose notices run writes.
func list(w io.Writer) error {
	version, err := goTool("env", "GOVERSION")
	if err != nil {
		return err
	}
	root, err := goTool("env", "GOROOT")
	if err != nil {
		return err
	}
	std := &module{kind: "golang", path: "std", version: strings.TrimPrefix(strings.TrimSpace(string(version)), "go"), dir: strings.TrimSpace(string(root))}
	modules, err := linked()
	if err != nil {
		return err
	}
	scripts, err := bundled()
	if err != nil {
		return err
	}
	var all []listed
	for _, m := range slices.Concat([]*module{std}, modules, scripts) {
		files, err := m.licenses()
		if err != nil {
			return err
		}
		l := listed{Kind: m.kind, Name: m.path, Version: m.version}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(m.dir, f))
			if err != nil {
				return err
			}
			if id := spdx(string(text)); id != "" && !slices.Contains(l.Licenses, id) {
				l.Licenses = append(l.Licenses, id)
			}
		}
		if len(l.Licenses) == 0 {
			return errors.New("the licence of " + m.path + " is not known: name it in spdx")
		}
		all = append(all, l)
	}
	return json.NewEncoder(w).Encode(all)
}

// spdx identifies a licence by a unique sentence, and returns its SPDX name.
func spdx(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case strings.Contains(text, "Apache License Version 2.0"):
		return "Apache-2.0"
	case strings.Contains(text, "Permission is hereby granted, free of charge"):
		return "MIT"
	case strings.Contains(text, "Redistribution and use in source and binary forms") && strings.Contains(text, "Neither the name"):
		return "BSD-3-Clause"
	case strings.Contains(text, "Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	}
	return ""
}

func section(w io.Writer, title string, text []byte) {
	fmt.Fprintf(w, "\n%s\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), title, strings.Repeat("=", 80), plain(text))
}

// plain returns a text with plain line ends and no space around it.
func plain(text []byte) []byte {
	return bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

// module is a third-party module in the published package: a Go module with linked packages, or an
// npm package.
type module struct {
	kind, path, version, dir string
	packages                 []string // directories relative to dir
}

// bundled returns the npm packages that js/build.mjs bundles in the package's scripts.
func bundled() ([]*module, error) {
	dir := filepath.Join("node_modules", "fzstd")
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ Name, Version string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	m := &module{kind: "npm", path: manifest.Name, version: manifest.Version, dir: dir}
	return []*module{m}, nil
}

// linked returns the third-party modules of the wasm, sorted.
func linked() ([]*module, error) {
	byPath := map[string]*module{}
	// The complete build contains the default one; the writing build also links encoders.
	for _, tag := range []string{"full", "write"} {
		if err := linkedTo(byPath, []string{"GOOS=js", "GOARCH=wasm"}, "-tags="+tag, "./wasm"); err != nil {
			return nil, err
		}
	}
	return sorted(byPath), nil
}

func sorted(byPath map[string]*module) (all []*module) {
	for _, m := range byPath {
		slices.Sort(m.packages)
		m.packages = slices.Compact(m.packages)
		all = append(all, m)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].path < all[j].path })
	return all
}

// linkedTo adds the modules that a program links on a platform.
func linkedTo(byPath map[string]*module, platform []string, args ...string) error {
	out, err := goToolOn(platform, append([]string{"list", "-deps", "-json=ImportPath,Dir,Standard,Module"}, args...)...)
	if err != nil {
		return err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := byPath[p.Module.Path]
		if m == nil {
			m = &module{kind: "golang", path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir}
			byPath[m.path] = m
		}
		rel, err := filepath.Rel(m.dir, p.Dir)
		if err != nil {
			return err
		}
		m.packages = append(m.packages, rel)
	}
}

// licenses returns the licence files of the linked packages and of the
// directories above them, relative to the module.
func (m *module) licenses() ([]string, error) {
	dirs := []string{"."}
	for _, p := range m.packages {
		for d := p; d != "."; d = filepath.Dir(d) {
			if !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
	}
	slices.Sort(dirs)
	var files []string
	for _, d := range dirs {
		entries, err := os.ReadDir(filepath.Join(m.dir, d))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if name := strings.ToUpper(e.Name()); !e.IsDir() && (strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "NOTICE") || strings.HasPrefix(name, "COPYING")) {
				files = append(files, filepath.Join(d, e.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no licence in " + m.path)
	}
	return files, nil
}

func goTool(args ...string) ([]byte, error) {
	return goToolOn([]string{"GOOS=js", "GOARCH=wasm"}, args...)
}

func goToolOn(platform []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), platform...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}
