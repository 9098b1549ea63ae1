package modules

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

const (
	library = "github.com/zarr-wasm/zarr-wasm"
	command = library + "/cmd/zarr"
)

func root(t *testing.T) string {
	t.Helper()
	return must.Get(fixtures.Root())(t)
}

// golang runs the go command in a directory without go.work, as outside of the repository.
func golang(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &errs)
	}
	return string(out)
}

type file struct {
	Require []struct {
		Path, Version string
		Indirect      bool
	}
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

// parse reads a go.mod or a go.work.
func parse(t *testing.T, name string) (f file) {
	t.Helper()
	subject := "mod"
	if path.Ext(name) == ".work" {
		subject = "work"
	}
	must.Do(t, json.Unmarshal([]byte(golang(t, ".", subject, "edit", "-json", name)), &f))
	return f
}

// requires returns the paths of the modules that a go.mod requires, sorted.
func requires(f file) (paths []string) {
	for _, r := range f.Require {
		paths = append(paths, r.Path)
	}
	slices.Sort(paths)
	return paths
}

// version returns the version of this tree in the form of modules.
func version(t *testing.T) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(root(t), "package.json")))(t)
	var npm struct{ Version string }
	must.Do(t, json.Unmarshal(text, &npm))
	return "v" + npm.Version
}

// With a replacement in go.mod, go install would refuse the command, so it is in go.work.
func TestTheCommandRequiresTheVersionOfThisTree(t *testing.T) {
	dir, want := root(t), version(t)
	mod := parse(t, filepath.Join(dir, "cmd", "zarr", "go.mod"))
	for _, r := range mod.Require {
		if r.Path == library && r.Version != want {
			t.Errorf("cmd/zarr/go.mod requires %s, not %s", r.Version, want)
		}
	}
	if replaced := append(mod.Replace, parse(t, filepath.Join(dir, "go.mod")).Replace...); len(replaced) > 0 {
		t.Errorf("a go.mod has replacements: %v", replaced)
	}
	work := parse(t, filepath.Join(dir, "go.work"))
	if len(work.Replace) != 1 || work.Replace[0].Old.Path != library || work.Replace[0].Old.Version != want {
		t.Errorf("go.work replaces %v, want %s %s", work.Replace, library, want)
	}
}

// outside creates an empty module that requires the repository's modules, and returns its
// directory.
func outside(t *testing.T, modules map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	golang(t, dir, "mod", "init", "example.org/program")
	for module, at := range modules {
		golang(t, dir, "mod", "edit", "-require="+module+"@"+version(t), "-replace="+module+"="+at)
	}
	// The tested checksums avoid requests to a database.
	sums := must.Get(os.ReadFile(filepath.Join(root(t), "cmd", "zarr", "go.sum")))(t)
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must.Do(t, os.WriteFile(name, []byte(text), 0o644))
}

const program = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

func main() {
	ctx := context.Background()
	h := zarr.New(filestore.New(os.DirFS(os.Args[1])), writing.Codecs(), zarr.Options{})
	array, err := h.OpenArray(ctx, "temperature")
	if err != nil {
		log.Fatal(err)
	}
	row, err := array.Read(ctx, []grid.Item{grid.At(1)}, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(row.Shape, row.Data)
}
`

// data writes a hierarchy with one array, of two rows of three bytes.
func data(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "temperature", "zarr.json"), `{"zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "uint8",
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}, "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
		"codecs": [{"name": "bytes"}]}`)
	write(t, filepath.Join(dir, "temperature", "c", "0", "0"), "\x01\x02\x03\x04\x05\x06")
	return dir
}

func TestAProgramOutsideReadsAnArrayAndRequiresOnlyTheCodecsLibraries(t *testing.T) {
	dir := outside(t, map[string]string{library: root(t)})
	write(t, filepath.Join(dir, "main.go"), program)
	if out := golang(t, dir, "run", ".", data(t)); out != "[3] [4 5 6]\n" {
		t.Errorf("it printed %q", out)
	}
	want := append(requires(parse(t, filepath.Join(root(t), "go.mod"))), library)
	slices.Sort(want)
	if got := requires(parse(t, filepath.Join(dir, "go.mod"))); !slices.Equal(got, want) {
		t.Errorf("it requires %q, want %q", got, want)
	}
	for _, module := range want {
		if module != library && !slices.Contains(codecs, module) {
			t.Errorf("%s is no library of a codec", module)
		}
	}
}

// codecs lists the modules that codecs use.
var codecs = []string{"github.com/andybalholm/brotli", "github.com/klauspost/compress", "github.com/pierrec/lz4/v4", "github.com/ulikunitz/xz"}

func TestTheCommandIsBuiltOutside(t *testing.T) {
	dir := outside(t, map[string]string{library: root(t), command: filepath.Join(root(t), "cmd", "zarr")})
	zarr := filepath.Join(dir, "zarr")
	golang(t, dir, "build", "-o", zarr, command)
	out, err := exec.Command(zarr, "cat", data(t), "temperature", "--at", "1").CombinedOutput()
	if err != nil || strings.Join(strings.Fields(string(out)), " ") != "4 5 6" {
		t.Errorf("%v: %q", err, out)
	}
	// The go command records the version in the program.
	if out, err := exec.Command(zarr, "version").CombinedOutput(); err != nil || "v"+string(out) != version(t)+"\n" {
		t.Errorf("zarr version: %v: %q", err, out)
	}
	// A build of the repository sets both.
	golang(t, dir, "build", "-o", zarr, "-ldflags=-X main.version=9.8.7 -X main.commit=0123456789ab", command)
	if out, err := exec.Command(zarr, "version").CombinedOutput(); err != nil || string(out) != "9.8.7 (0123456789ab)\n" {
		t.Errorf("zarr version: %v: %q", err, out)
	}
}

// Each module must build by its own go.mod alone, as after a download.
func TestModulesRequireWhatTheirPackagesImport(t *testing.T) {
	dir := root(t)
	for module, at := range map[string]string{library: dir, command: filepath.Join(dir, "cmd", "zarr")} {
		// go.work replaces the library; here a copy of go.mod does.
		mod := filepath.Join(t.TempDir(), "go.mod")
		for _, suffix := range []string{"mod", "sum"} {
			text := must.Get(os.ReadFile(filepath.Join(at, "go."+suffix)))(t)
			write(t, strings.TrimSuffix(mod, "mod")+suffix, string(text))
		}
		if module != library {
			golang(t, at, "mod", "edit", "-replace="+library+"="+dir, mod)
		}
		var want []string
		for _, r := range parse(t, mod).Require {
			if !r.Indirect {
				want = append(want, r.Path)
			}
		}
		slices.Sort(want)
		imports := golang(t, at, "list", "-modfile="+mod, "-f", `{{join .Imports "\n"}}{{"\n"}}{{join .TestImports "\n"}}{{"\n"}}{{join .XTestImports "\n"}}`, "./...")
		var got []string
		for _, imported := range strings.Fields(imports) {
			if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") || strings.HasPrefix(imported+"/", module+"/") {
				continue
			}
			of := "" // the longest, because modules nest
			for _, w := range want {
				if strings.HasPrefix(imported+"/", w+"/") && len(w) > len(of) {
					of = w
				}
			}
			if of == "" {
				t.Errorf("%s imports %s, of no module that it requires", module, imported)
				continue
			}
			got = append(got, of)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s imports packages of %q, and requires %q", module, got, want)
		}
	}
}
