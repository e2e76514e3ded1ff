// Package proc starts the processes of a lab inside their namespaces, talks to
// them, and sees to it that each one ends and is reaped.
//
//	       harness                          "inalab node <kind> <name>"
//	┌──────────────────┐  fd 3: config, commands  ┌─────────────────────┐
//	│ Supervisor       ├─────────────────────────►│ Child               │
//	│   Process h1     │◄─────────────────────────┤  in namespace of h1 │
//	│   Process s1 ... │  fd 4: reports           │  stderr: <name>.log │
//	└──────────────────┘                          └─────────────────────┘
//
// # Protocol
//
// The binary starts itself again with the arguments "node <kind> <name>". Both
// directions are lines of JSON of at most [MaxLine] bytes.
//
//	parent, fd 3: {"version":1,"node":"h1","kind":"worker","config":{...}}   once
//	              {"cmd":"start","epoch_ns":4380123456789}
//	              {"cmd":"snapshot"}
//	              {"cmd":"stop"}
//	              end of file: the parent has gone, the child exits
//	child, fd 4:  {"kind":"ready"}                                           once
//	              {"kind":"progress","data":...}  {"kind":"sample","data":...}
//	              {"kind":"snapshot","data":...}                 for each that was asked for
//	              {"kind":"done","result":...} or {"kind":"error","message":"..."}
//	              end of file with its exit
//
// A run of a child: read the config, set up, ready; wait for start; work and
// report; done; exit 0.
//
// # No process outlives the harness
//
// The kernel kills a child when the thread that started it ends, so one locked
// thread per Supervisor starts them all and stays. A child also exits at the end
// of its commands. Each child is journaled by pid and start time as soon as it
// runs. One that starts programs of others is contained in a PID namespace, which
// the kernel empties when it ends. Nothing is ever killed by name.
//
// What is left out: what the processes do (package node), and making the
// namespaces (package netns).
package proc
