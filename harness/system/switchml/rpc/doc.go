// Package rpc is the control plane that SwitchML's public client expects
// of a switch: gRPC over HTTP/2 without TLS, on TCP port 50099 of its management
// address (package switchmlproto).
//
//	client ──gRPC──► Server ──► switchmlsession.Machine ──► Switch
//	                 sockets,    who waits for whom,        engine, between two
//	                 clock       which job is whose         batches of packets
//
// Everything with a rule is in the machine; here are a mutex, a timer for each call
// that waits, and the translation of messages and faults:
//
//	bad request         INVALID_ARGUMENT      not in time        DEADLINE_EXCEEDED
//	unknown host        NOT_FOUND             others are gone    ABORTED
//	taken               ALREADY_EXISTS        switch is busy     UNAVAILABLE
//	not its turn        FAILED_PRECONDITION
//	no room             RESOURCE_EXHAUSTED
//
// Every status has a text that names the thing and the fix. The public client ends
// at any of them.
//
// A client is its connection: it keeps one from its Broadcast to its last Barrier.
// One whose host has crashed is noticed after [KeepaliveTime] and
// [KeepaliveTimeout].
//
// Left out: TLS and any proof of identity, as in the protocol.
package rpc
