package references

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store/refstore/parquet"
)

// WriteParquet writes the document as a directory of Parquet files, in the layout of fsspec's
// LazyReferenceMapper. The function put receives the files with their names, the metadata last. The
// URLs of files may be relative to the directory's parent.
func (d *Document) WriteParquet(put func(name string, data []byte) error) error {
	metadata := []byte(`{"metadata":{`)
	more := false
	for _, one := range d.parts {
		if one.chunks != nil {
			if err := d.writeChunks(one.chunks, put); err != nil {
				return err
			}
			continue
		}
		if more {
			metadata = append(metadata, ",\n"...)
		}
		more = true
		metadata = append(json.AppendString(metadata, one.key), ':')
		metadata = append(metadata, one.data...)
	}
	metadata = append(metadata, `},"record_size":`...)
	metadata = append(strconv.AppendInt(metadata, parquet.RecordSize, 10), "}\n"...)
	return put(document.Consolidated, metadata)
}

// writeChunks writes the files of an array that have references.
func (d *Document) writeChunks(c *Chunks, put func(name string, data []byte) error) error {
	url := d.files[c.w.file]
	if !strings.Contains(url, "://") {
		// It is relative to the Parquet file.
		depth := 1
		if c.path != "" {
			depth += 1 + strings.Count(c.path, "/")
		}
		url = strings.Repeat("../", depth) + url
	}
	rows := slices.SortedStableFunc(slices.Values(c.rows), func(a, b row) int { return cmp.Compare(a.n, b.n) })
	for len(rows) > 0 {
		file := rows[0].n / parquet.RecordSize
		from := file * parquet.RecordSize
		records := make([]parquet.Reference, min(c.total-from, parquet.RecordSize))
		for len(rows) > 0 && rows[0].n-from < parquet.RecordSize {
			one := parquet.Reference{URL: url, Offset: rows[0].offset, Size: rows[0].length}
			if one.Size < 0 {
				one = parquet.Reference{Raw: c.inline[one.Offset]}
			}
			records[rows[0].n-from] = one
			rows = rows[1:]
		}
		data, err := parquet.Append(nil, records, compressed)
		if err != nil {
			return err
		}
		if err := put(parquet.FileName(c.path, uint64(file)), data); err != nil {
			return err
		}
	}
	return nil
}

// compressed compresses a page with gzip.
func compressed(page []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(page); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
