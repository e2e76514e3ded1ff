package dataplane

import "strings"

// placed stands between a fault and its place.
const placed = " at "

// FaultAt is the name of the counter of threads that an engine ended for a fault at a place of its program's source, as in
// "pfe-instruction-limit at loop.mc:2:8".
func FaultAt(fault, place string) string { return fault + placed + place }

// IsFault reports whether a counter is one of FaultAt, also behind the names of engines: no other has spaces.
func IsFault(counter string) bool { return strings.Contains(counter, placed) }
