// Package proc starts the processes of a lab inside their namespaces, talks to them, and
// ends and reaps each of them.
//
//	       harness                          "inalab node <kind> <name>"
//	┌──────────────────┐  fd 3: config, commands  ┌─────────────────────┐
//	│ Supervisor       ├─────────────────────────►│ Child               │
//	│   Process h1     │◄─────────────────────────┤  in namespace of h1 │
//	│   Process s1 ... │  fd 4: reports           │  stderr: <name>.log │
//	└──────────────────┘                          └─────────────────────┘
//
// A child is the same binary with the arguments "node <kind> <name>". Both directions are
// lines of JSON of at most [MaxLine] bytes:
//
//	parent, fd 3: {"version":1,"node":"h1","kind":"worker","config":{...}}   once
//	              {"cmd":"start","epoch_ns":4380123456789}
//	              {"cmd":"start","epoch_ns":4380123456789,"path":"...","generation":12}  joins a run
//	              {"cmd":"snapshot"}
//	              {"cmd":"checkpoint","path":"...","generation":12}
//	              {"cmd":"stop"}
//	              end of file: the parent has gone, the child exits
//	child, fd 4:  {"kind":"ready"}                                           once
//	              {"kind":"progress","data":...}  {"kind":"sample","data":...}
//	              {"kind":"snapshot","data":...}                 for each that was asked for
//	              {"kind":"checkpoint","data":...}               likewise
//	              {"kind":"done","result":...} or {"kind":"error","message":"..."}
//	              end of file with its exit
//
// No process outlives the harness. The kernel kills a child when the thread that started
// it ends, so one locked thread per Supervisor starts all of them and stays. A child also
// exits at the end of its commands. Each is journaled by pid and start time as soon as it
// runs. A child that starts programs of others is the first of a PID namespace, which the
// kernel empties when it ends. Nothing is killed by name.
//
// Left out: the processes' work (package node), and namespaces (package netns).
package proc
