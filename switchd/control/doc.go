// Package control is the control plane of a running switch: what it is asked over
// a Unix socket in the state directory of its lab, and what it answers.
//
//	inalab switch ...          process of the switch
//	┌────────┐  request   ┌──────────┐  between two   ┌────────────┐
//	│ Client │ ─────────► │ Listener │ ─ batches of ► │ Dispatcher │──► chassis,
//	│        │ ◄───────── │          │ ◄─ packets ─── │            │    engines
//	└────────┘  response  └──────────┘                └────────────┘
//
// # Protocol
//
// Both directions are lines of JSON, one response to each request, in order.
//
//	{"version":1,"op":"show","view":"jobs","pfe":"pfe1","limit":100}
//	{"version":1,"op":"add-job","job":{"id":2,"sources":[0,1,2],"block_cnt_max":512}}
//	{"version":1,"op":"remove-job","id":2}
//	{"version":1,"op":"drop","drop":{"port":"p0","direction":"in","probability":0.01,"seed":7}}
//	{"version":1,"op":"clear-drop"}
//
// Unknown keys, an unknown operation and another version are errors, and every
// error is a text. A connection may carry many requests; one that is silent for
// [IdleTimeout] is closed. The limits are constants of this package.
//
// # Who may ask
//
// The socket has mode 0600 from its birth: its owner and root may connect. It lies
// in the directory of the lab, so that it goes with the lab, be that by its own
// end or by "inalab gc". The directory is opened first and the socket named
// relative to it, so that the path never exceeds what an address holds
// (sun_path, 108 bytes, unix(7)).
//
// # Jobs
//
// A job is asked for once for the whole switch. The system whose programs the switch
// runs reads the request and lays the job over the engines ([Layouter]). The job is set
// up on all of them or on none, from the top down; it is removed from the bottom up. A
// job of another protocol is refused by name.
//
// Left out: services that clients of a system speak to (package daemon has them), jobs
// over several switches, and telling hosts of a job.
package control
