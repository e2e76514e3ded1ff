// Package ps is the system all-reduce by sharded parameter servers: its knobs, how it lies over a
// job, and how its machines are made. The protocol itself is in nodes/ps.
package ps
