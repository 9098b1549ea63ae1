package store

import (
	"strconv"
	"strings"
)

// HTTPDate reads a date as HTTP writes it (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT". It is in seconds since 1970.
// The parser of package time would be fourteen kilobytes of every download, and its time zones two more.
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
	// Years that begin with March end with the day that not all have, and its months are of 31 and 30 days by turns of five.
	year, since := n[1], int64(month/3+10)%12
	if since >= 10 {
		year--
	}
	days := 365*year + year/4 - year/100 + year/400 + (153*since+2)/5 + n[0] - 719_469
	return 86_400*days + 3600*n[2] + 60*n[3] + n[4], true
}
