// Package rpc is the control plane for SwitchML's public client: gRPC over HTTP/2 without
// TLS, on TCP port 50099 of the switch's management address (package switchmlproto).
//
//	client ──gRPC──► Server ──► session.Machine ──► Switch
//	                 sockets,    who waits for whom, engine, between two
//	                 clock       which job is whose  batches of packets
//
// All rules are in the machine. This package has a mutex, a timer for each waiting call,
// and the translation of messages and faults:
//
//	bad request         INVALID_ARGUMENT      not in time        DEADLINE_EXCEEDED
//	unknown host        NOT_FOUND             others are gone    ABORTED
//	taken               ALREADY_EXISTS        switch is busy     UNAVAILABLE
//	not its turn        FAILED_PRECONDITION
//	no room             RESOURCE_EXHAUSTED
//
// Every status has a text that names the thing and the fix. The public client ends at any
// of them.
//
// A client is its connection, which it keeps from its Broadcast to its last Barrier. A
// crashed host is noticed after [KeepaliveTime] and [KeepaliveTimeout].
//
// Left out, as in the protocol: TLS and any proof of identity.
package rpc
