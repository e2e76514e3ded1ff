package atp

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
)

// Protocol is what these jobs speak.
const Protocol = "ATP"

// Job is what a switch is for a job. The directions that it follows are in the packets; by this
// it tells which of them are for it (§3.2).
type Job struct {
	ID      uint8
	Servers []Server
}

// Protocol names what the job speaks.
func (*Job) Protocol() string { return Protocol }

// Server is a parameter server of a job as a switch sees it. A server has packets of its own, so
// a switch may be the first edge switch towards one, the second towards another.
type Server struct {
	Addr  netip.Addr
	Ports []sansio.Port // by which its parameter packets come here

	// Levels are the switch's two parts: the first edge switch, that of workers, and the second, that of
	// the server. A part without sources is none. A switch that has all the workers of the job and
	// the server is the first.
	Levels [2]Level
}

// Level is a switch's part in the aggregation for a server.
type Level struct {
	Sources []Source // fan-in of them
}

// FanIn is how many packets a sum is made of.
func (l *Level) FanIn() int { return len(l.Sources) }

// Source is who a bit of a bitmap stands for.
type Source struct {
	Bit   uint8         // its number in the bitmap of the level, below 32
	Ports []sansio.Port // by which its packets come: several where a rack's workers take different paths
	Name  string        // of the worker, or of the switch that it is behind

	// Workers are those behind it, for masks of events: one, or at the second level those of a rack.
	Workers []uint8
}
