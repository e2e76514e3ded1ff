// Package program is the process of a real program on a host: it starts a command
// of the user's own, such as iperf3, in the network namespace that it is in
// itself, and sees it to its end.
//
//	run starts ──► command ──► ends by itself: how is reported at the end of the run
//	                      └──► or the run ends: SIGTERM, and SIGKILL after a grace
//
// The process stays until the run ends. It is the first of a PID namespace of its
// own (harness/proc), so that whatever the command leaves behind, daemons too,
// ends with it.
//
// What is left out: what the command prints, which goes to the log that is this
// process's output, and any limit on what it does.
package program
