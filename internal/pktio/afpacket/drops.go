package afpacket

// Reasons under which trains that a device drops are counted.
const (
	DropTruncated  = "truncated-gso"   // received: longer than the buffer, or a super-packet on the plain path
	DropGSO        = "gso-unsupported" // received: a super-packet that has no form as a train
	DropVnetHeader = "bad-vnet-header" // received: the virtio-net header points outside the frame
	DropTxFull     = "tx-full"         // sent: the port's queue is full
	DropPortDown   = "port-down"       // sent: the interface is down
	DropPortGone   = "port-gone"       // sent: the interface is deleted
	DropTooLong    = "too-long"        // sent: a frame exceeds the MTU of the interface
	DropRefused    = "refused"         // sent: the kernel refuses the packet
	DropNoPort     = "no-port"         // sent: there is no such port
	DropBadTrain   = "bad-train"       // sent: of several frames or partial, but neither UDP nor TCP over IPv4; or empty
)
