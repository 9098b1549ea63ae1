// Command zarr inspects and copies Zarr hierarchies in directories, archives and at URLs.
//
//	zarr info ADDRESS [NODE]
//	zarr tree ADDRESS [NODE]
//	zarr cat ADDRESS [NODE] [--at SELECTION]
//	zarr validate ADDRESS [NODE] [--data]
//	zarr doctor ADDRESS [NODE]
//	zarr serve [DIRECTORY or archive]
//	zarr view [DIRECTORY or archive]
//	zarr copy FROM TO [--chunks SHAPE] [--codecs JSON] [--format VERSION]
//	zarr rechunk FROM TO --chunks SHAPE [--plan]
//	zarr pyramid FROM [TO] [--method RULE] [--plan]
//	zarr index FILE… [-o OUT]
//	zarr consolidate ADDRESS [NODE]
//	zarr migrate ADDRESS [NODE] [--to VERSION]
//	zarr sweep DIRECTORY or archive [NODE]
//	zarr version
//
// An address is a directory, a .zip or .ozx file, a reference document, or a URL of one of these,
// as package store/address reads it. URLs of s3, gs and az are buckets, read and written with the
// credentials of the environment (package cmd/zarr/blobstore). A container and the path in it
// follow a bar, as in "https://example.org/a.zip|zip:inside". NODE is the path of a group or an array in it.
//
// The exit status is 0 for success, 1 for failures, and 2 for an invalid command line. It is 3 if
// nothing is at the address, 4 for invalid data, and 130 after an interrupt.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	done = iota
	failed
	misused
	absent
	wrong

	interrupted = 130 // the shells' status of a program that SIGINT ends
)

// usageError is an error of the command line.
type usageError struct{ error }

// invalidError reports that the examined data is invalid.
type invalidError struct{ error }

// run runs the command without a process, and returns the exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	app := &cli.Command{
		Name: "zarr", Usage: "inspect and copy Zarr hierarchies in directories, archives and at URLs",
		Version: versionText(), Writer: out, ErrWriter: errs, EnableShellCompletion: true,
		Commands:       []*cli.Command{infoCommand(), treeCommand(), catCommand(), validateCommand(), doctorCommand(), serveCommand(), viewCommand(), copyCommand(), rechunkCommand(), pyramidCommand(), indexCommand(), consolidateCommand(), migrateCommand(), sweepCommand(), versionCommand()},
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		OnUsageError:   usage,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageError{fmt.Errorf("unknown command %q", c.Args().First())}
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range app.Commands {
		c.OnUsageError = usage
		c.DisableSliceFlagSeparator = true // headers have commas
	}
	err := app.Run(ctx, args)
	if err != nil {
		fmt.Fprintln(errs, "zarr:", shown(err, args))
	}
	return status(err)
}

// shown returns the message of an error without user names, passwords and queries of addresses: of
// those that the arguments hold, and of others.
func shown(err error, args []string) string {
	text := err.Error()
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			_, arg, _ = strings.Cut(arg, "=")
		}
		place, _, _ := strings.Cut(arg, "|")
		for _, address := range []string{arg, place} {
			if weburl.Secret(address) {
				quoted := strconv.Quote(address)
				text = strings.ReplaceAll(text, address, weburl.Redact(address))
				text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], weburl.Redact(address))
			}
		}
	}
	return weburl.Scrub(text)
}

func usage(_ context.Context, _ *cli.Command, err error, _ bool) error { return usageError{err} }

func status(err error) int {
	var misuse usageError
	var selection *zarr.InvalidSelectionError
	var found invalidError
	var document *zarr.InvalidMetadataError
	var chunk *zarr.CodecPipelineError
	switch {
	case err == nil:
		return done
	case errors.Is(err, context.Canceled):
		return interrupted
	case errors.As(err, &misuse), errors.As(err, &selection):
		return misused
	case errors.As(err, &found), errors.As(err, &document), errors.As(err, &chunk):
		return wrong
	case errors.Is(err, fs.ErrNotExist):
		return absent
	}
	return failed
}
