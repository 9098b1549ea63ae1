// Command serve runs the server of package replaced with a seed, and prints its address.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/tests/chaos/replaced"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	seed := uint64(1)
	if len(args) > 0 {
		var err error
		if seed, err = strconv.ParseUint(args[0], 10, 64); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, replaced.New(seed))
}
