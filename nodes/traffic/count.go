package traffic

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Sent is what the sending end of a flow did.
type Sent struct {
	Packets uint64        `json:"packets"` // of UDP; segments of TCP with data, those sent again included
	Bytes   units.Bytes   `json:"bytes"`   // of IP packets of UDP; written to TCP
	Resent  result.Resent `json:"resent"`  // by TCP
	Echoes  uint64        `json:"echoes"`  // live, segments of TCP whose receiver told of a mark
}

// Received is what came to the receiving end of a flow.
type Received struct {
	Packets   uint64         `json:"packets"`   // of UDP; segments of TCP with data
	Bytes     units.Bytes    `json:"bytes"`     // of IP packets of UDP; of the byte stream of TCP, in order
	Lost      uint64         `json:"lost"`      // packets of UDP that did not come, and a later one did
	Reordered uint64         `json:"reordered"` // packets of UDP that came behind a later one
	Marks     uint64         `json:"marks"`     // packets that had met congestion
	Last      units.Time     `json:"last"`      // when bytes came last; zero: never
	DelaySum  units.Duration `json:"delay_sum"` // of all packets of UDP, from the instant at which they were sent
	DelayMax  units.Duration `json:"delay_max"`
}
