package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/doctor"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "find out why data are slow in a browser", ArgsUsage: "ADDRESS [NODE]",
		Description: "Reads metadata and one byte of a few chunks, and sends a host the requests of a page. Prints what is wrong, commands that mend it, and the predicted cost of a first picture and of a series at a point on a line of 20 Mbit/s.",
		Flags: accessFlags(
			asJSON(),
			&cli.IntFlag{Name: "arrays", Value: 50, Usage: "examine at most `N` arrays"},
		),
		Action: examine,
	}
}

func examine(ctx context.Context, c *cli.Command) error {
	args := c.Args().Slice()
	_, n, err := open(ctx, c, args, small)
	if err != nil {
		return err
	}
	opt := doctor.Options{Arrays: int(c.Int("arrays")), Address: weburl.Redact(args[0]), Remote: remote(args[0])}
	if opt.Remote {
		address, err := documentOf(args[0], n)
		if err != nil {
			return err
		}
		how, err := accessOf(c, "")
		if err != nil {
			return err
		}
		page, why := how.web(address) // which a browser would read
		if why != "" {
			return usageError{errors.New(why)}
		}
		opt.Host = doctor.Probe(ctx, fetch(how.headers), page)
	}
	report, err := doctor.Examine(ctx, func(ctx context.Context) (zarr.Node, error) {
		_, n, err := open(ctx, c, args, small)
		return n, err
	}, opt)
	if err != nil {
		return err
	}
	for i := range report.Findings {
		report.Findings[i].Text = shown(errors.New(report.Findings[i].Text), args)
	}
	if c.Bool("json") {
		return writeJSON(c.Root().Writer, report)
	}
	writeReport(c.Root().Writer, report)
	return nil
}

// documentOf returns the address of an object of the data: a metadata document, or a container.
func documentOf(text string, n zarr.Node) (string, error) {
	a, err := locate(text, "")
	if err != nil || len(a.Layers) > 0 || len(n.Metadata().Documents) == 0 {
		return a.Place, err
	}
	place, query, found := strings.Cut(a.Place, "?")
	address := strings.TrimSuffix(place, "/") + "/" + store.Join(n.Path(), n.Metadata().Documents[0].Name)
	if found {
		address += "?" + query
	}
	return address, nil
}

// fetch returns the function that sends the requests of a page. Only the address's own host
// receives the headers of the command line.
func fetch(headers map[string]string) doctor.Fetch {
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != via[0].URL.Host {
			for name := range headers {
				r.Header.Del(name)
			}
		}
		if len(via) > 10 {
			return errors.New("more than 10 redirects")
		}
		return nil
	}}
	return func(ctx context.Context, method, address string, header map[string]string) doctor.Answer {
		r, err := http.NewRequestWithContext(ctx, method, address, nil)
		if err != nil {
			return doctor.Answer{Error: err.Error()}
		}
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		for name, value := range header {
			r.Header.Set(name, value)
		}
		answer, err := client.Do(r)
		if err != nil {
			return doctor.Answer{Error: err.Error()}
		}
		defer answer.Body.Close()
		a := doctor.Answer{Status: answer.StatusCode, Protocol: answer.Proto, Header: map[string]string{}, Address: answer.Request.URL.String()}
		for name := range answer.Header {
			a.Header[strings.ToLower(name)] = answer.Header.Get(name)
		}
		const most = 16 << 20 // a host that ignores ranges may send a large object
		body, err := io.ReadAll(io.LimitReader(answer.Body, most))
		if a.Bytes = int64(len(body)); err != nil {
			a.Error = err.Error()
		}
		a.Begins = string(body[:min(len(body), 256)])
		return a
	}
}

func writeReport(out io.Writer, r *doctor.Report) {
	for _, f := range r.Findings {
		where := ""
		if f.Path != "" {
			where = f.Path + ": "
		}
		fmt.Fprintf(out, "%-6s  %s%s. %s\n", f.Verdict, where, f.Title, f.Text)
		if f.Cure != "" {
			fmt.Fprintf(out, "        %s\n", f.Cure)
		}
	}
	if len(r.Findings) == 0 {
		fmt.Fprintln(out, "nothing to mend")
	}
	for _, one := range []struct {
		what string
		cost *doctor.Cost
	}{{"a first picture of " + r.Shown, r.Picture}, {"a series at a point", r.Series}} {
		if one.cost != nil {
			fmt.Fprintf(out, "%s: %d requests, %s, %.1f s at 20 Mbit/s\n", one.what, one.cost.Requests, sizeText(one.cost.Bytes), one.cost.Seconds)
		}
	}
}
