package weburl

import (
	"strings"
	"syscall/js"
)

// otherOrigin returns an address's origin by the platform's URL class. It returns false for an
// address that URL rejects or whose host it rewrites, as for a host that ends with a number.
func otherOrigin(s string) (string, bool) {
	for _, c := range []byte(s) {
		if c >= 0x80 {
			return "", false
		}
	}
	class := js.Global().Get("URL")
	if !class.Call("canParse", s).Bool() {
		return "", false
	}
	u := class.New(s)
	host := strings.TrimRight(u.Get("hostname").String(), ".]")
	last := host[strings.LastIndexAny(host, ".:")+1:]
	return u.Get("origin").String(), u.Get("username").String() == "" && strings.Trim(last, "0123456789") != ""
}
