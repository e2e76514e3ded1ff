package pktio

import (
	"time"

	"github.com/inalab/inalab/internal/sansio"
)

// Device is a set of ports. One goroutine owns it; only Wake may be called
// from another.
type Device interface {
	// Recv returns the trains that arrived, in order, waiting at most wait for
	// the first (0: do not wait; negative: without limit). It returns none when
	// the time has passed or Wake was called. The arrivals and their memory are
	// valid until the next Recv. A port that is gone for good is an error.
	Recv(wait time.Duration) ([]sansio.Arrival, error)
	// Send sends trains in order. A train that cannot be taken now is dropped
	// and counted, as a full queue drops it; only a broken device is an error.
	// Nothing of sends is used after it returns.
	Send(sends []sansio.Send) error
	// Wake makes a Recv that waits return.
	Wake()
	// Stats returns what the device counted so far.
	Stats() Stats
	// Close gives everything back.
	Close() error
}

// Stats is what a device counted. Offload names the path that is in use, for
// the run's report, as in "udp-gso+gro" or "afpacket-v2+vnethdr" or "plain".
type Stats struct {
	Offload   string         `json:"offload"`
	RxTrains  uint64         `json:"rx_trains"`
	RxFrames  uint64         `json:"rx_frames"`
	RxBytes   uint64         `json:"rx_bytes"`
	TxTrains  uint64         `json:"tx_trains"`
	TxFrames  uint64         `json:"tx_frames"`
	TxBytes   uint64         `json:"tx_bytes"`
	RingDrops uint64         `json:"ring_drops"` // frames the kernel dropped for want of room here
	Drops     []sansio.Count `json:"drops"`      // trains dropped by the device, by reason
}
