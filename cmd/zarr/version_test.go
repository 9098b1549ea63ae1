package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionOf(t *testing.T) {
	info := func(version string, settings ...string) *debug.BuildInfo {
		i := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for at := 0; at < len(settings); at += 2 {
			i.Settings = append(i.Settings, debug.BuildSetting{Key: settings[at], Value: settings[at+1]})
		}
		return i
	}
	const revision = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		version, commit string
		info            *debug.BuildInfo
		want            string
	}{
		{"1.2.3", "abc", info("v9.9.9", "vcs.revision", revision), "1.2.3 (abc)"},
		{"", "", info("v1.2.3"), "1.2.3"},
		{"", "", info("(devel)"), "(devel)"},
		{"", "", info(""), "(devel)"},
		{"", "", info("(devel)", "vcs.revision", revision, "vcs.modified", "false"), "(devel) (0123456789ab)"},
		{"1.2.3", "", info("(devel)", "vcs.revision", revision, "vcs.modified", "true"), "1.2.3 (0123456789ab+changes)"},
	} {
		if got := versionOf(c.version, c.commit, c.info); got != c.want {
			t.Errorf("%q, %q, %+v: %q, want %q", c.version, c.commit, c.info, got, c.want)
		}
	}
}

func TestVersionIsPrinted(t *testing.T) {
	if got := output(t, "version"); got != versionText()+"\n" {
		t.Errorf("version: %q", got)
	}
	if got := output(t, "--version"); !strings.Contains(got, versionText()) {
		t.Errorf("--version: %q", got)
	}
}
