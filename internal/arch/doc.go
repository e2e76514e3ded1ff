// Package arch holds the Go files of this module to tables of rules: which
// package may import which, and what a file may not do. All of it is tests.
//
//	architecture.yaml --+
//	                    +--> findings
//	the files --------+
//
// A package imports lower levels only. It may import a package of its own level in
// three cases:
//
//  1. One of the two folders lies inside the other. The compiler refuses circles.
//  2. Both lie inside one folder of Families.
//  3. Sideways lists the pair.
//
// Tables name packages by pattern: "x" is the package x alone, "x/*" its direct
// children, "x/**" x and all below it, "**" every package. Where several match, the
// longest name counts, and "x/*" before "x/**".
//
// Bans name what a file does: "import PATH", "dot import", "use PATH.NAME" (but for
// what is sorted at once: slices.Sorted(maps.Keys(m))), "go statement", "select
// statement", "channel type", "func init", "package NAME" and "range over a map"
// (but for a loop with its reason on the line above: "// ordered: REASON").
//
// A row that permits what nothing needs is a finding. So is a level for a package
// that does not exist, but a pattern may wait for folders to come. Left out: the
// imports of tests, which may be any.
package arch
