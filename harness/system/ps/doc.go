// Package ps is the system all-reduce by sharded parameter servers: its knobs, its layout
// over a job, and its machines. The protocol is in nodes/ps.
package ps
