// Package keeper is the process that runs programs of the user's own in the namespaces of
// a lab that is up.
//
//	inalab exec h0 -- ping h1            keeper, first of a PID namespace
//	┌───────────────┐  request, stdin, stdout, stderr  ┌──────────────────────────────┐
//	│ Client        │ ───────────────────────────────► │ network namespace of h0      │
//	│               │ ───────── signals ─────────────► │ host name h0, /etc/hosts of  │
//	│               │ ◄──────── how it ended ───────── │ the lab, /proc of the lab    │
//	└───────────────┘                                  └──────────────────────────────┘
//
// The program gets the client's own files (SCM_RIGHTS, unix(7)), so nothing is copied, and a
// lab in a user namespace needs no way in for the client. It leads a session of its own. A
// client that goes away takes its program with it; what the program has put into the
// background stays until the lab goes. The keeper is the first process of its PID namespace,
// so it reaps what others leave, and when it ends the kernel ends all the rest: nothing is
// killed by name.
//
// Both directions are lines of JSON. The socket is for its owner and root.
//
// Left out: terminals, which are the client's; limits of any kind.
package keeper
