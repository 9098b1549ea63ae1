package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/hdf5"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/netcdf3"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/tiff"
)

func indexCommand() *cli.Command {
	return &cli.Command{
		Name: "index", Usage: "write references, which present existing files as Zarr without conversion", ArgsUsage: "FILE…",
		Description: "FILE is a path or a URL of an HDF5, NetCDF, TIFF or GRIB2 file. Only its structures are read, by ranges. The output is kerchunk references, in JSON or in a folder of Parquet files: put it beside the files on a host, and open its address. Several files become groups with their names. Objects that references cannot express are listed on standard error and left out.",
		Flags: accessFlags(
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`; the default is standard output. References name local files relative to it"},
			&cli.StringFlag{Name: "format", Usage: "write `FORMAT` json, or parquet for millions of chunks; the default is parquet if FILE ends in .parq, .parquet or a slash"},
			&cli.StringFlag{Name: "base", Usage: "name local files below this `URL`, where they will be served"},
		),
		Action: index,
	}
}

// indexers are the formats, each with its test and its function.
var indexers = []struct {
	name  string
	is    func(io.ReaderAt, int64) bool
	index func(io.ReaderAt, int64, *references.Writer) error
}{
	{"HDF5 (NetCDF-4)", hdf5.Is, hdf5.Index},
	{"NetCDF-3", netcdf3.Is, netcdf3.Index},
	{"TIFF", tiff.Is, tiff.Index},
	{"GRIB", grib.Is, grib.Index},
}

func index(ctx context.Context, c *cli.Command) error {
	files := c.Args().Slice()
	if len(files) == 0 || files[0] == "" {
		return usageError{errors.New("expected FILE…")}
	}
	how, err := accessOf(c, "")
	if err != nil {
		return err
	}
	inParquet, err := parquetOf(c)
	if err != nil {
		return err
	}
	doc := &references.Document{}
	if len(files) > 1 {
		if err := doc.File("", "", nil).Group("", nil); err != nil {
			return err
		}
	}
	names := map[string]int{}
	for _, file := range files {
		group := ""
		if len(files) > 1 {
			group = path.Base(filepath.ToSlash(strings.SplitN(file, "?", 2)[0]))
			group = strings.TrimSuffix(group, path.Ext(group))
			if names[group]++; names[group] > 1 {
				group += "_" + strconv.Itoa(names[group])
			}
		}
		if err := indexFile(ctx, c, doc, file, group, how); err != nil {
			return fmt.Errorf("%s: %w", weburl.Redact(file), err)
		}
	}
	out := c.String("output")
	if out == "" {
		_, err := doc.WriteTo(c.Root().Writer)
		return err
	}
	address := filepath.ToSlash(out)
	if inParquet {
		err = writeParquet(ctx, doc, out)
	} else if err = writeDocument(ctx, doc, out); !strings.EqualFold(path.Ext(address), ".json") {
		address += "|reference:"
	}
	if err == nil {
		_, err = fmt.Fprintln(c.Root().Writer, "zarr info", shellWord(address))
	}
	return err
}

// shellWord quotes a path for a shell, if need be.
func shellWord(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if !strings.ContainsFunc(path, func(c rune) bool {
		return c < 0x80 && !strings.ContainsRune("+,-./:=@_", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// writeDocument writes a document into a file, which is complete or absent.
func writeDocument(ctx context.Context, doc *references.Document, out string) error {
	f, err := filestore.NewReplacement(ctx, out)
	if err != nil {
		return err
	}
	if _, err := doc.WriteTo(f); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// parquetOf reports whether the output is a folder of Parquet files.
func parquetOf(c *cli.Command) (bool, error) {
	out := c.String("output")
	switch format := c.String("format"); {
	case format == "json":
		return false, nil
	case format != "" && format != "parquet":
		return false, usageError{errors.New("--format is json or parquet")}
	case format == "parquet" && out == "":
		return false, usageError{errors.New("--format parquet needs a folder: set -o")}
	case format == "":
		if e := filepath.Ext(out); e != ".parq" && e != ".parquet" && !strings.HasSuffix(filepath.ToSlash(out), "/") {
			return false, nil
		}
	}
	if there, err := os.ReadDir(out); err == nil && len(there) > 0 {
		return false, usageError{errors.New("the folder of the output is not empty")}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}

// writeParquet writes a document into a new folder.
func writeParquet(ctx context.Context, doc *references.Document, out string) error {
	dir, err := filestore.MakeDir(out, filestore.DirOptions{})
	if err != nil {
		return err
	}
	err = doc.WriteParquet(func(name string, data []byte) error { return dir.Set(ctx, name, data) })
	return errors.Join(err, dir.Close())
}

// indexFile adds the objects of one file to a document, below a group.
func indexFile(ctx context.Context, c *cli.Command, doc *references.Document, file, group string, how access) error {
	r, size, url, end, err := openFile(ctx, c, file, how)
	if err != nil {
		return err
	}
	defer end()
	if strings.Contains(url, "?") {
		fmt.Fprintf(c.Root().ErrWriter, "zarr: %s: the references contain the address with its query, which may be a secret signature\n", weburl.Redact(file))
	}
	before, skipped := doc.Arrays(), 0
	w := doc.File(url, group, func(_ string, err error) {
		skipped++
		fmt.Fprintf(c.Root().ErrWriter, "zarr: %s: left out: %v\n", weburl.Redact(file), err)
	})
	for _, format := range indexers {
		if !format.is(r, size) {
			continue
		}
		if err := format.index(r, size, w); err != nil {
			return invalidFile(err)
		}
		if doc.Arrays() == before && skipped > 0 {
			return errors.New("nothing in the file can be expressed by references")
		}
		return nil
	}
	names := make([]string, len(indexers))
	for i, format := range indexers {
		names[i] = format.name
	}
	return invalidError{errors.New("the format is not one of: " + strings.Join(names, ", "))}
}

// invalidFile marks errors of a file's contents, for the exit status.
func invalidFile(err error) error {
	var damaged *references.Damaged
	if errors.As(err, &damaged) {
		return invalidError{err}
	}
	return err
}

// openFile opens a path or a URL. It returns the URL that references name.
func openFile(ctx context.Context, c *cli.Command, file string, how access) (r io.ReaderAt, size int64, url string, end func(), err error) {
	if strings.Contains(file, "://") {
		source, err := how.source(ctx, file, true)
		if err != nil {
			return nil, 0, "", nil, err
		}
		f, err := references.OpenFile(ctx, source, "object")
		if err != nil {
			return nil, 0, "", nil, err
		}
		return f, f.Size(), file, func() {}, nil
	}
	if url, err = relative(c, file); err != nil {
		return nil, 0, "", nil, usageError{err}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, "", nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = usageError{errors.New("not a regular file")}
	}
	if err != nil {
		return nil, 0, "", nil, errors.Join(err, f.Close())
	}
	return f, info.Size(), url, func() { _ = f.Close() }, nil
}

// relative returns the URL of a local file: below a base URL, or relative to the output.
func relative(c *cli.Command, file string) (string, error) {
	base, out := c.String("base"), c.String("output")
	folder, err := folderOf(c.Args().Slice())
	if err != nil {
		return "", err
	}
	above := folder
	if out != "" {
		if above, err = filepath.Abs(filepath.Dir(filepath.Clean(out))); err != nil {
			return "", err
		}
	}
	name, err := pathBelow(above, file)
	if err != nil {
		return "", err
	}
	if name == "" {
		if base == "" {
			return "", fmt.Errorf("references name files below their own folder, but %s is elsewhere: run\n  %s\nor set --base to the URL where the file will be", out, indexInto(c, folder))
		}
		name = filepath.Base(file)
	}
	name = filepath.ToSlash(name)
	if strings.ContainsAny(name, "?#%:{}") {
		return "", errors.New("a reference cannot name a file with ?, #, %, :, { or } in its path")
	}
	if base != "" {
		return strings.TrimSuffix(base, "/") + "/" + name, nil
	}
	return name, nil
}

// pathBelow returns the path of a file relative to a folder, or "" if the file is not below it.
func pathBelow(folder, file string) (string, error) {
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if name, err := filepath.Rel(folder, to); err == nil && filepath.IsLocal(name) {
		return name, nil
	}
	return "", nil
}

// folderOf returns the absolute path of the innermost folder above all local files.
func folderOf(files []string) (folder string, err error) {
	for _, file := range files {
		if strings.Contains(file, "://") {
			continue
		}
		if folder == "" {
			if folder, err = filepath.Abs(filepath.Dir(file)); err != nil {
				return "", err
			}
		}
		for {
			name, err := pathBelow(folder, file)
			if above := filepath.Dir(folder); err != nil || name != "" || above == folder {
				break
			}
			folder = filepath.Dir(folder)
		}
	}
	return folder, nil
}

// indexInto returns the command with its output in a folder.
func indexInto(c *cli.Command, folder string) string {
	out := filepath.Join(folder, filepath.Base(c.String("output")))
	if strings.HasSuffix(filepath.ToSlash(c.String("output")), "/") {
		out += "/" // a folder of Parquet files
	}
	words := []string{"zarr", "index"}
	if c.IsSet("format") {
		words = append(words, "--format", c.String("format"))
	}
	words = append(words, "-o", shellWord(filepath.ToSlash(out)))
	for _, file := range c.Args().Slice() {
		words = append(words, shellWord(file))
	}
	return strings.Join(words, " ")
}
