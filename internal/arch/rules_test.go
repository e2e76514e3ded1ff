package arch

import (
	"path"
	"slices"
	"strings"
)

// Rules are the tables that a tree is checked against.
type Rules struct {
	Module   string // the module's path
	Levels   []Level
	Families []Family
	Sideways []Pair // imports allowed although both ends are on one level
	Confined []Confinement
	Machines int    // levels from this number on hold machines
	Machine  []Ban  // what machines do without, tests left out
	Test     []Ban  // what tests do without
	File     []Ban  // what every file does without
	Allowed  []Pair // packages let off one ban
}

// Level is one row of packages that may import the rows with higher numbers. The
// top is 1.
type Level struct {
	N        int
	What     string
	Packages []string // patterns
}

// Family is a folder (a pattern) whose packages may import each other inside one
// level.
type Family struct{ Folder, Why string }

// Pair permits To in packages that match From. Both are patterns.
type Pair struct{ From, To, Why string }

// Confinement lists all that packages may import of the module.
type Confinement struct {
	Packages string   // pattern
	May      []string // patterns
	Why      string
}

// Ban lists what files may not do, by patterns as in the package comment.
type Ban struct {
	Rule     string
	What     []string
	Why, Fix string
}

// LevelOf returns the level of a package, 0 when it has none.
func (r Rules) LevelOf(pkg string) int {
	level, best := 0, 0
	for _, l := range r.Levels {
		for _, p := range l.Packages {
			if matches(p, pkg) && (level == 0 || rank(p) > best) {
				level, best = l.N, rank(p)
			}
		}
	}
	return level
}

// rank orders the patterns that match one package: the longest fixed part first,
// then "x" before "x/*" before "x/**".
func rank(pattern string) int {
	return 5*len(strings.TrimRight(pattern, "/*")) - len(pattern)
}

func (r Rules) isMachine(pkg string) bool { return r.Machines > 0 && r.LevelOf(pkg) >= r.Machines }

// matches reports whether a name fits a pattern.
func matches(pattern, name string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/**"); ok {
		return name == folder || inside(folder, name)
	}
	if folder, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(name) == folder
	}
	return pattern == name || pattern == "**"
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

func inside(folder, name string) bool { return strings.HasPrefix(name, folder+"/") }

// isOpen reports whether a pattern can match what nobody has named.
func isOpen(pattern string) bool { return strings.HasSuffix(pattern, "*") }

// permits reports whether both ends of an import lie inside one such folder.
func (f Family) permits(u use) bool {
	for dir := path.Dir(u.pkg); dir != "."; dir = path.Dir(dir) {
		if matches(f.Folder, dir) && inside(dir, u.what) {
			return true
		}
	}
	return false
}

func (p Pair) permits(u use) bool { return matches(p.From, u.pkg) && matches(p.To, u.what) }

func permitted[R interface{ permits(use) bool }](rows []R, u use) bool {
	return slices.ContainsFunc(rows, func(r R) bool { return r.permits(u) })
}
