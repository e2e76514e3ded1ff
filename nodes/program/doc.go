// Package program is the process of a real program on a host. It starts a command of the
// user's own, such as iperf3, in its own network namespace.
//
//	run starts ──► command ──► ends by itself: how is reported at the end of the run
//	                      └──► or the run ends: SIGTERM, and SIGKILL after a grace
//
// The process stays until the run ends. It is the first of a PID namespace
// (harness/proc), so that daemons that the command leaves behind end with it.
//
// Left out: the command's output, which goes to this process's log, and any limit on it.
package program
