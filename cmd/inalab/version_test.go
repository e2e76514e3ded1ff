package main

import (
	"runtime/debug"
	"testing"
)

// The commit is the one that the go command wrote down, and says whether the tree was changed.
func TestStampedCommit(t *testing.T) {
	revision, dirty := debug.BuildSetting{Key: "vcs.revision", Value: "0123abc"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{dirty}, ""},
		{[]debug.BuildSetting{revision}, "0123abc"},
		{[]debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}, "0123abc"},
		{[]debug.BuildSetting{dirty, revision}, "0123abc-dirty"},
	} {
		if got := stamped(c.settings); got != c.want {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}

// A name that the linker gave counts before the module's version.
func TestBuildVersion(t *testing.T) {
	defer func(v, r string) { version, revision = v, r }(version, revision)
	version, revision = "v1.2.3", "0123abc"
	if b := thisBuild(); b.Version != "v1.2.3" || b.Commit != "0123abc" {
		t.Errorf("version %s of commit %s", b.Version, b.Commit)
	}
}
