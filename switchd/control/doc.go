// Package control is the control plane of a running switch: requests and answers over a
// Unix socket in the state directory of its lab.
//
//	inalab switch ...          process of the switch
//	┌────────┐  request   ┌──────────┐  between two   ┌────────────┐
//	│ Client │ ─────────► │ Listener │ ─ batches of ► │ Dispatcher │──► chassis,
//	│        │ ◄───────── │          │ ◄─ packets ─── │            │    engines
//	└────────┘  response  └──────────┘                └────────────┘
//
// Both directions are lines of JSON, one response to each request, in order (docs/switch.md
// has the requests). Unknown keys, operations and versions are errors, and every error is a
// text. A connection that is silent for [IdleTimeout] is closed.
//
// The socket has mode 0600 from its birth: its owner and root may connect. It goes with
// the directory of the lab. It is named relative to that directory, so that the path fits an
// address (sun_path, 108 bytes, unix(7)).
//
// A request for a job is for the whole switch. The system of the switch lays the job over
// the engines ([Layouter]). A job is set up on all of them or on none, from the top down,
// and removed from the bottom up. A job of another protocol is refused by name.
//
// Left out: services for clients of a system (package daemon), jobs over several switches,
// and telling hosts of a job.
package control
