// Command inalab is the one binary of the testbed: the command line, and, inside
// a lab's namespaces, every node.
//
//	inalab run straggler           main ──► command ──► scenarios, harness, reports
//	inalab node worker h1          main ──► harness/node, before anything else
//
// Data goes to stdout, logs and errors to stderr. Each flag has a default in the
// environment, INALAB_<COMMAND>_<FLAG>; what the command line says beats it. An
// error is one message that names the thing and the fix, and the exit code says
// what kind it was (exit.go).
//
// One file holds one command; main.go lists them. What is left out: everything
// that does the work.
package main
