package arch

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Finding is one broken rule.
type Finding struct {
	At                   string // file:line, a package, or the file of the tables
	Rule, What, Why, Fix string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s\n\twhy: %s\n\tfix: %s", f.At, f.Rule, f.What, f.Why, f.Fix)
}

const tables = "architecture.yaml" // the file that holds the rules

// check is one pass over a tree.
type check struct {
	Rules
	Tree
	excused []use // by Allowed
	found   []Finding
}

// Check returns what breaks the rules, in a stable order. The loops over maps take
// types: they are left to CheckMaps.
func (r Rules) Check(t Tree) []Finding {
	c := check{Rules: r, Tree: t}
	c.checkPackages()
	c.checkLevels()
	imports := t.imports(r.Module)
	for _, u := range imports {
		c.checkImport(u)
	}
	for _, f := range t.files {
		c.checkFile(f)
	}
	c.checkPermissions(imports)
	return c.found
}

func (c *check) report(at, rule, what, why, fix string) {
	c.found = append(c.found, Finding{at, rule, what, why, fix})
}

// checkPackages wants a level and a comment for every package.
func (c *check) checkPackages() {
	for _, pkg := range c.pkgs {
		if c.LevelOf(pkg) == 0 {
			c.report(pkg, "level", fmt.Sprintf("package %s is on no level", pkg),
				"the direction of imports can only be checked for packages that have a level",
				"add it to the levels in "+tables+", beside the packages it is like")
		}
		documented := func(f source) bool { return f.pkg == pkg && !f.test && strings.TrimSpace(f.file.Doc.Text()) != "" }
		if !slices.ContainsFunc(c.files, documented) {
			c.report(pkg, "doc", "no package comment",
				"a reader must learn what a package models, and what it leaves out, before its code", "write "+path.Join(pkg, "doc.go"))
		}
	}
}

// checkLevels wants every entry once, and a package for it unless it is a pattern.
func (c *check) checkLevels() {
	seen := map[string]int{}
	for _, l := range c.Levels {
		for _, p := range l.Packages {
			if n := seen[p]; n > 0 {
				c.report(tables, "level", fmt.Sprintf("%s is on levels %d and %d", p, n, l.N),
					"a package has one level", "delete one of the two entries")
			}
			seen[p] = l.N
			if !isOpen(p) && !slices.Contains(c.pkgs, p) {
				c.report(tables, "stale", fmt.Sprintf("level %d lists %s, which does not exist", l.N, p),
					"a table that names what is not there misleads its reader", "delete the entry")
			}
		}
	}
}

// checkImport wants an import to point downwards, or sideways where permitted, and
// to be granted where its package is confined.
func (c *check) checkImport(u use) {
	from, to := c.LevelOf(u.pkg), c.LevelOf(u.what)
	sideways := from == to && (u.related() || permitted(c.Families, u) || permitted(c.Sideways, u))
	if from > 0 && to > 0 && from >= to && !sideways {
		fix := "move what both need down, or let the upper package pass it in"
		if from == to {
			fix += "; if the two belong together, add the pair with its reason to the sideways table in " + tables
		}
		c.report(u.at, "level", fmt.Sprintf("%s (level %d) imports %s (level %d)", u.pkg, from, u.what, to),
			"a package imports lower levels only, so that the core never depends on what runs it", fix)
	}
	for _, x := range c.Confined {
		if matches(x.Packages, u.pkg) && !matchesAny(x.May, u.what) {
			c.report(u.at, "confined", fmt.Sprintf("%s imports %s", u.pkg, u.what), x.Why, "import only "+strings.Join(x.May, ", "))
		}
	}
}

// checkFile holds a file to the bans on its kind.
func (c *check) checkFile(f source) {
	bans := c.File
	switch {
	case f.test:
		bans = slices.Concat(bans, c.Test)
	case c.isMachine(f.pkg):
		bans = slices.Concat(bans, c.Machine)
	}
	for _, u := range c.usesOf(f) {
		c.checkUse(u, bans)
	}
}

func (c *check) checkUse(u use, bans []Ban) {
	for _, b := range bans {
		switch {
		case !matchesAny(b.What, u.what):
		case permitted(c.Allowed, u):
			c.excused = append(c.excused, u)
		default:
			c.report(u.at, b.Rule, u.pkg+": "+u.what, b.Why, b.Fix)
		}
	}
}

// checkPermissions wants every row that permits something to be needed.
func (c *check) checkPermissions(imports []use) {
	sideways := slices.DeleteFunc(imports, func(u use) bool { return u.related() || c.LevelOf(u.pkg) != c.LevelOf(u.what) })
	for _, f := range c.Families {
		if !isOpen(f.Folder) {
			c.want(sideways, f.permits, "packages of "+f.Folder+" may import each other")
		}
	}
	sideways = slices.DeleteFunc(sideways, func(u use) bool { return permitted(c.Families, u) })
	for _, p := range c.Sideways {
		if !c.waits(p.From) && !c.waits(p.To) {
			c.want(sideways, p.permits, p.From+" may import "+p.To)
		}
	}
	for _, p := range c.Allowed {
		c.want(c.excused, p.permits, p.From+" may "+p.To)
	}
}

func (c *check) want(uses []use, permits func(use) bool, what string) {
	if !slices.ContainsFunc(uses, permits) {
		c.report(tables, "stale", what+", but nothing needs that", "a permission that nobody needs hides the next mistake", "delete the row")
	}
}

// waits reports whether a pattern stands for folders that do not exist yet.
func (c *check) waits(pattern string) bool {
	return isOpen(pattern) && !slices.ContainsFunc(c.pkgs, func(p string) bool { return matches(pattern, p) })
}
