// Package ring is the system ring all-reduce: its knobs, its layout over a job, and its
// machines. The protocol is in nodes/ring.
package ring
