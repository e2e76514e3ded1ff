package switchml

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
)

// DiceBits is the width of the dice of a drop simulator, since a gateway of a Tofino compares
// no more than two such fields.
const DiceBits = 22

// DropBelow returns of how many faces of the dice a packet is lost with a probability: it is
// rounded to 1/2^DiceBits, but not to 0.
func DropBelow(probability float64) uint64 {
	if probability == 0 {
		return 0
	}
	return max(1, uint64(math.Round(probability*(1<<DiceBits))))
}

// DropSimulator loses packets of a program that is no chip, as the chip's does. The zero value
// loses none. Its programs embed it for the methods of dataplane.Lossy.
type DropSimulator struct {
	node string
	seed rng.Root
	dice map[lossyPort]*Dice // looked up, never ranged but to be sorted
}

// lossyPort is a port and a direction.
type lossyPort struct {
	port    sansio.Port
	leaving bool
}

func (a lossyPort) compare(b lossyPort) int {
	if a.port == b.port && a.leaving != b.leaving {
		if a.leaving {
			return 1
		}
		return -1
	}
	return cmp.Compare(a.port, b.port)
}

// Dice are those of one port and direction; nil ones lose nothing.
type Dice struct {
	probability float64
	below       uint64
	stream      *rng.Stream
}

// NewDropSimulator returns one that loses nothing yet.
func NewDropSimulator(node string, seed rng.Root) DropSimulator {
	return DropSimulator{node, seed, map[lossyPort]*Dice{}}
}

// Dice returns those of a port and direction, nil if nothing is lost there.
func (s *DropSimulator) Dice(port sansio.Port, leaving bool) *Dice {
	if len(s.dice) == 0 {
		return nil
	}
	if d := s.dice[lossyPort{port, leaving}]; d != nil && d.below > 0 {
		return d
	}
	return nil
}

// Lost throws the dice for a packet.
func (d *Dice) Lost() bool {
	return d != nil && (d.below == 1<<DiceBits || d.stream.Uint64()&(1<<DiceBits-1) < d.below)
}

// Pass throws the dice for packets that are dropped for what they are.
func (d *Dice) Pass(packets int) {
	for range packets {
		d.Lost()
	}
}

// Lose sets the probability of a port and direction.
func (s *DropSimulator) Lose(l dataplane.Loss) error {
	if r := s.check(l.Port); r != nil {
		return r
	}
	if !(l.Probability >= 0 && l.Probability <= 1) {
		return dataplane.Refuse(dataplane.RefusedDrop, "use 0 to 1", "losing packets at port %d of %s with probability %v", l.Port, s.node, l.Probability)
	}
	d := s.thrown(lossyPort{l.Port, l.Leaving})
	d.probability, d.below = l.Probability, DropBelow(l.Probability)
	return nil
}

// Losses returns what is set, by port, arrivals first.
func (s *DropSimulator) Losses() (out []dataplane.Loss) {
	for _, at := range slices.SortedFunc(maps.Keys(s.dice), lossyPort.compare) {
		if d := s.dice[at]; d.below > 0 {
			out = append(out, dataplane.Loss{Port: at.port, Leaving: at.leaving, Probability: d.probability})
		}
	}
	return out
}

// ReseedLosses begins the dice of a port and direction anew.
func (s *DropSimulator) ReseedLosses(port sansio.Port, leaving bool, seed uint64) error {
	if r := s.check(port); r != nil {
		return r
	}
	at := lossyPort{port, leaving}
	s.thrown(at).stream = s.stream(at, rng.Root(seed))
	return nil
}

// check refuses a port that is none of the front panel.
func (s *DropSimulator) check(port sansio.Port) *dataplane.Refusal {
	if port < 0 || port >= dataplane.Fabric(0) {
		return dataplane.Refuse(dataplane.RefusedDrop, "name a port of the front panel", "losing packets at port %d of %s", port, s.node)
	}
	return nil
}

// thrown returns the dice of a port and direction, which run on once they are there.
func (s *DropSimulator) thrown(at lossyPort) *Dice {
	d := s.dice[at]
	if d == nil {
		d = &Dice{stream: s.stream(at, s.seed)}
		s.dice[at] = d
	}
	return d
}

// stream returns the random numbers that the chip has at a port, which it counts by channels:
// so one seed loses the same packets with either engine.
func (s *DropSimulator) stream(at lossyPort, seed rng.Root) *rng.Stream {
	const channels = 4
	side := "ingress"
	if at.leaving {
		side = "egress"
	}
	return seed.Stream(fmt.Sprintf("%s/port%d/%s/random", s.node, channels*at.port, side))
}
