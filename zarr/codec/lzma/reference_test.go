package lzma

import (
	"bytes"
	"errors"
	"io"

	"github.com/ulikunitz/xz"
	ref "github.com/ulikunitz/xz/lzma"
)

// refDecode decodes with ulikunitz/xz as much as dst takes; which is the format.
func refDecode(which int, dst, src []byte) (n int, err error) {
	var r io.Reader
	switch which {
	case 1:
		r, err = xz.NewReader(bytes.NewReader(src))
	case 2:
		r, err = ref.ReaderConfig{DictCap: 1 << 16}.NewReader(bytes.NewReader(src))
	case 3:
		r, err = ref.Reader2Config{DictCap: 1 << 20}.NewReader2(bytes.NewReader(src))
	default:
		return 0, errors.ErrUnsupported
	}
	if err != nil {
		return 0, err
	}
	n, err = io.ReadFull(r, dst)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		// ReadFull says ErrUnexpectedEOF for short data as well.
		_, err = r.Read(make([]byte, 1))
		if err == io.EOF {
			err = nil
		}
	}
	return n, err
}
