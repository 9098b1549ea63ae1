package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v3"
)

// version and commit are set by -ldflags "-X main.version=… -X main.commit=…". Otherwise they come
// from the build information in the program.
var version, commit string

func versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version and the commit of the program",
		Action: func(_ context.Context, c *cli.Command) error {
			_, err := fmt.Fprintln(c.Root().Writer, versionText())
			return err
		},
	}
}

// versionText returns the version and, in parentheses, the commit if known.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(version, commit, info)
}

func versionOf(version, commit string, info *debug.BuildInfo) string {
	if version == "" {
		version = strings.TrimPrefix(info.Main.Version, "v")
	}
	if version == "" {
		version = "(devel)" // the go command's name for a program without a version
	}
	if commit == "" {
		noted := map[string]string{}
		for _, setting := range info.Settings {
			noted[setting.Key] = setting.Value
		}
		commit = noted["vcs.revision"]
		commit = commit[:min(12, len(commit))]
		if commit != "" && noted["vcs.modified"] == "true" {
			commit += "+changes"
		}
	}
	if commit == "" {
		return version
	}
	return version + " (" + commit + ")"
}
