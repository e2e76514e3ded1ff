package udp

// Reasons under which trains that a device drops are counted.
const (
	DropWrongPort     = "wrong-port"           // sent: by a port other than 0
	DropBadHeader     = "bad-header"           // sent: not the headers of a UDP packet without options
	DropSourceAddress = "wrong-source-address" // sent: not the socket's address
	DropSourcePort    = "wrong-source-port"    // sent: not the socket's port
	DropTxFull        = "tx-full"              // sent: the socket's send buffer stayed full
	DropNoBuffers     = "no-buffers"           // sent: the kernel had no memory
	DropMessageSize   = "message-size"         // sent: longer than the MTU or than UDP allows
	DropUnreachable   = "unreachable"          // sent: no route, or the interface is down
	DropRefused       = "refused"              // sent: an ICMP error that the kernel reports
	DropNotPermitted  = "not-permitted"        // sent: a packet filter of this host
	DropGSORefused    = "gso-refused"          // sent: the interface cannot finish UDP checksums; sends go on without UDP_SEGMENT
	DropTruncated     = "truncated"            // received: a datagram beyond the receive buffer
	DropDestination   = "wrong-destination"    // received: not for this socket's address or groups
)
