package pipeline

import (
	"fmt"

	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// state is the registers as the control plane reads and writes them.
type state struct {
	pipe                      *vm.Pipe
	aggregators               int
	own, bitmap, ecn, counter vm.Register
}

func stateOf(c *tofino.Chip, aggregators int) (s state, err error) {
	s.aggregators = aggregators
	if s.pipe, err = c.Pipe(0); err != nil {
		return s, err
	}
	for _, r := range []struct {
		name string
		at   *vm.Register
	}{{"own", &s.own}, {"bitmap", &s.bitmap}, {"ecn", &s.ecn}, {"counter", &s.counter}} {
		if *r.at, err = c.Register(r.name); err != nil {
			return s, err
		}
	}
	return s, nil
}

// halves is how many entries are in use: first all first halves, then all second.
func (s *state) halves() int { return 2 * s.aggregators }

// read returns an entry that is there; of a pair the lower word.
func (s *state) read(r vm.Register, entry int) uint32 {
	v, _, err := s.pipe.Read(r, entry)
	if err != nil {
		panic(fmt.Sprintf("reading a register: %v", err)) // the program has so many
	}
	return v
}

// id returns what a half is reserved for; 0: it is free.
func (s *state) id(entry int) uint32 { return s.read(s.own, entry) }

func jobOf(id uint32) uint8 { return uint8(id >> wire.SequenceBits) }

// clear frees a half.
func (s *state) clear(entry int) {
	for _, r := range []vm.Register{s.own, s.bitmap, s.ecn, s.counter} {
		if err := s.pipe.Write(r, entry, 0, 0); err != nil {
			panic(fmt.Sprintf("writing a register: %v", err)) // likewise
		}
	}
}

// describe returns what a half is reserved for, as all programs have it.
func (s *state) describe(entry int) atp.Aggregator {
	id := s.id(entry)
	return atp.Aggregator{
		Index: entry % s.aggregators, Job: jobOf(id), Sequence: id & (1<<wire.SequenceBits - 1),
		Bitmap: s.read(s.bitmap, entry), Count: int(s.read(s.counter, entry)), ECN: s.read(s.ecn, entry) != 0,
	}
}

// held yields the aggregators of which a half is not free, by index: as the first is, if that is
// one of them.
func (e *Engine) held(yield func(atp.Aggregator) bool) {
	n := e.state.aggregators
	for i := 0; i < n && e.watch.halves > 0; i++ {
		entry := i
		if e.state.id(i) == 0 {
			if entry = n + i; e.state.id(entry) == 0 {
				continue
			}
		}
		a := e.state.describe(entry)
		a.Part, a.Since = e.watch.notes[entry].part, e.watch.notes[entry].since
		if !yield(a) {
			return
		}
	}
}
