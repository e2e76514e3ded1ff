package testbed

import "github.com/inalab/inalab/internal/units"

// Links of the SwitchML testbed.
const (
	// MTU is that of Ethernet, with which both SwitchML-256 and RoCE carry 1024
	// bytes a packet (SwitchML §5: 1024-byte payload).
	MTU = 1500

	Gigabit10  = 10 * units.GbitPerSecond
	Gigabit100 = 100 * units.GbitPerSecond
)

// LinkRates are those of SwitchML Table 1, as claims call them.
var LinkRates = []struct {
	Name string
	Rate units.Rate
}{{"10g", Gigabit10}, {"100g", Gigabit100}}

// Goodput is the payload that packets of 256 values carry: 1024 of 1100 bytes on
// the line (SwitchML §4.4, §5).
func Goodput(r units.Rate) units.Rate { return r * 1024 / PacketOf256 }

// PacketOf256 is the bytes that a packet of 256 values takes on the line.
const PacketOf256 = 1100

// LossRates are the loss rates of SwitchML Fig 6, of each link each way.
var LossRates = []float64{0, 0.0001, 0.001, 0.01}
