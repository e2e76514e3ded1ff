package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// page returns the levels that the table of docs/ARCHITECTURE.md has.
func page(t *testing.T) (levels []Level) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	row, span := regexp.MustCompile(`^\| (\d?) *\| (.*?) \| `), regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(text)) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil {
			levels = append(levels, Level{N: n})
		}
		for _, p := range span.FindAllStringSubmatch(m[2], -1) {
			last := &levels[len(levels)-1]
			last.Packages = append(last.Packages, p[1])
		}
	}
	return levels
}

// The table of levels in the tour lists every package on the level that the rules give
// it, and no other.
func TestLevelsOfThePage(t *testing.T) {
	tree, err := ReadTree(root)
	if err != nil {
		t.Fatal(err)
	}
	rules := module(t)
	shown := rules
	shown.Levels = page(t)
	for _, pkg := range tree.pkgs {
		if got, want := shown.LevelOf(pkg), rules.LevelOf(pkg); got != want && pkg != "." {
			t.Errorf("docs/ARCHITECTURE.md has %s on level %d (0: no row), the rules on %d", pkg, got, want)
		}
	}
	for _, l := range shown.Levels {
		for _, p := range l.Packages {
			if !slices.ContainsFunc(tree.pkgs, func(pkg string) bool { return matches(p, pkg) }) {
				t.Errorf("docs/ARCHITECTURE.md, level %d: there is no package %s", l.N, p)
			}
		}
	}
}
