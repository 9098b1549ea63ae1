package store

import (
	"strconv"
	"strings"
)

// HTTPDate parses an HTTP date (RFC 9110, 5.6.7), such as "Sun, 06 Nov 1994 08:49:37 GMT". It
// returns seconds since 1970. The parser of package time would add 14 KB to every download, and its
// time zones 2 KB more.
func HTTPDate(s string) (at int64, ok bool) {
	const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
	if len(s) != 29 || s[3:5] != ", " || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' || s[19] != ':' || s[22] != ':' || s[25:] != " GMT" {
		return 0, false
	}
	month := strings.Index(months, s[8:11])
	if month < 0 || month%3 != 0 {
		return 0, false
	}
	var n [5]int64
	for i, part := range [5]string{s[5:7], s[12:16], s[17:19], s[20:22], s[23:25]} {
		v, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return 0, false
		}
		n[i] = int64(v)
	}
	if n[0] < 1 || n[0] > 31 || n[2] > 23 || n[3] > 59 || n[4] > 60 {
		return 0, false
	}
	// The year starts in March here, so that a leap day is its last day. Month lengths then follow
	// a pattern of five months with 153 days.
	year, since := n[1], int64(month/3+10)%12
	if since >= 10 {
		year--
	}
	days := 365*year + year/4 - year/100 + year/400 + (153*since+2)/5 + n[0] - 719_469
	return 86_400*days + 3600*n[2] + 60*n[3] + n[4], true
}
