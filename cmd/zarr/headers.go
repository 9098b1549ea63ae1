package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// headerFlag is the flag of the commands that read addresses.
func headerFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "header", Usage: "send a header, `NAME: VALUE`, with requests to the address; may be repeated"}
}

// headersOf parses the headers that a flag sets.
func headersOf(c *cli.Command, flag string) (map[string]string, error) {
	headers := map[string]string{}
	for _, text := range c.StringSlice(flag) {
		name, value, ok := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			// without its text, which may be a secret
			return nil, usageError{fmt.Errorf("--%s: a header is NAME: VALUE", flag)}
		}
		headers[name] = strings.TrimSpace(value)
	}
	return headers, nil
}
