//go:build !js

package weburl

import (
	"net/url"
	"strings"
)

// otherOrigin returns an address's origin by net/url, if that parses it.
func otherOrigin(s string) (string, bool) {
	u, err := url.Parse(strings.ReplaceAll(s, `\`, "%5C"))
	if err != nil || u.User != nil {
		return "", false
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if zeros := strings.TrimLeft(port, "0"); port != "" && zeros == "" {
		port = "0"
	} else {
		port = zeros
	}
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return u.Scheme + "://" + host, true
}
