package static

import (
	"strconv"
	"strings"
)

// maxPosition is what positions in a Range header are clamped to.
const maxPosition = 1<<53 - 1

// singleRange returns a Range header that [http.ServeContent] reads in place of a client's,
// following RFC 9110, section 14. A last position may lie beyond the end, and a suffix of no bytes
// is not satisfiable. It returns "" for invalid headers and other units. Like object stores, it
// also returns "" for several ranges.
func singleRange(header string, size int64) string {
	unit, set, ok := strings.Cut(header, "=")
	if !ok || !strings.EqualFold(unit, "bytes") || size == 0 {
		return ""
	}
	var spec string
	for item := range strings.SplitSeq(set, ",") {
		switch item = strings.Trim(item, " \t"); {
		case item == "":
		case spec != "":
			return ""
		default:
			spec = item
		}
	}
	from, to, ok := strings.Cut(spec, "-")
	first, last := position(from), position(to)
	unsatisfiable := "bytes=" + strconv.FormatInt(size, 10) + "-"
	switch {
	case !ok || first < 0 && from != "" || last < 0 && to != "" || from == "" && to == "":
		return ""
	case from == "" && last == 0:
		return unsatisfiable
	case from == "":
		return "bytes=-" + strconv.FormatInt(last, 10)
	case to != "" && last < first:
		return ""
	case first >= size:
		return unsatisfiable
	case to == "" || last >= size:
		last = size - 1
	}
	return "bytes=" + strconv.FormatInt(first, 10) + "-" + strconv.FormatInt(last, 10)
}

// position parses a position. It returns -1 unless the text consists of digits.
func position(digits string) int64 {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return -1
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil { // more than 64 bits
		return maxPosition
	}
	return min(n, maxPosition)
}
