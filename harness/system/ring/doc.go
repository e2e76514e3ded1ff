// Package ring is the system ring all-reduce: its knobs, how it lies over a
// job, and how its machines are made. The protocol itself is in nodes/ring.
package ring
