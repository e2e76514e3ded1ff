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

	// Levels are those of its packets' headers: 3 to wire.MaxLevels (appendix A.2). Up to 2 it is the base
	// header, which is what zero means.
	Levels int `json:",omitempty"`
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

	// Upper are those of a job of more than two levels, from the third on. Its levels are counted so
	// that the server's switch has the last of them. A switch has one part.
	Upper []Level `json:",omitempty"`
}

// Parts returns the parts by level.
func (s *Server) Parts() []Level { return append(s.Levels[:len(s.Levels):len(s.Levels)], s.Upper...) }

// base is how many levels the base header has.
const base = 2

// levels returns how many levels there are, two at least.
func (j *Job) levels() int { return max(base, j.Levels) }

// Deep reports whether packets of the job have the larger header.
func (j *Job) Deep() bool { return j.Levels > base }

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

	// Workers are those behind it, for masks of events: one, or from the second level on those of a switch.
	Workers []uint8
}
