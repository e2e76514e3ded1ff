package datagram

// Reasons of the kernel under which trains that a device drops are counted.
const (
	DropTxFull       = "tx-full"       // sent: the socket's send buffer stayed full
	DropNoBuffers    = "no-buffers"    // sent: the kernel had no memory
	DropMessageSize  = "message-size"  // sent: longer than the MTU or than the protocol allows
	DropUnreachable  = "unreachable"   // sent: no route, or the interface is down
	DropRefused      = "refused"       // sent: an ICMP error that the kernel reports
	DropNotPermitted = "not-permitted" // sent: a packet filter of this host
	DropGSORefused   = "gso-refused"   // sent: the interface cannot finish checksums; sends go on without segmentation offload
)

// Reasons of devices.
const (
	DropWrongPort     = "wrong-port"           // sent: by a port other than 0
	DropBadHeader     = "bad-header"           // sent: not the headers that the device's sockets write
	DropSourceAddress = "wrong-source-address" // sent: not the socket's address
	DropTruncated     = "truncated"            // received: a packet beyond the receive buffer
	DropDestination   = "wrong-destination"    // received: not for this socket's address or groups
)
