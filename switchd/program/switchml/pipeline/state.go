package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// state is the registers as the control plane reads and writes them.
type state struct {
	pipes           []*vm.Pipe
	bitmap, counter vm.Register
	tagged          bool           // of a program that tells late packets
	stamps          [2]vm.Register // of that, by set
	quarters        vm.Register    // likewise, by job
	bySet           []vm.Register  // others with an entry for set and slot
	rdma            bool           // of the program for RoCE
	queues          [2]vm.Register // of that: of queue pairs, on the way in and out
}

func stateOf(c *tofino.Chip, p *fit.Program) (s state, err error) {
	for i := range tofino.MaxPipes {
		p, err := c.Pipe(i)
		if err != nil {
			return s, err
		}
		s.pipes = append(s.pipes, p)
	}
	find := func(name string) (r vm.Register) {
		if err == nil {
			r, err = c.Register(name)
		}
		return r
	}
	s.bitmap, s.counter = find("bitmap"), find("counter")
	s.bySet = []vm.Register{s.counter, find("exponent0"), find("exponent1")}
	for i := range p.Registers {
		if r := &p.Registers[i]; r.Vector { // values
			for k := range r.Copies {
				s.bySet = append(s.bySet, find(fmt.Sprintf("%s[%d]", r.Name, k)))
			}
		}
	}
	if _, s.tagged = p.FindRegister("quarters"); s.tagged {
		s.quarters, s.stamps = find("quarters"), [2]vm.Register{find("stamp0"), find("stamp1")}
	}
	if _, s.rdma = p.FindRegister("assembly"); s.rdma {
		s.queues = [2]vm.Register{find("assembly"), find("sequence")}
	}
	return s, err
}

// entry is where a slot of a set is in registers by set and slot.
func (s *state) entry(set uint8, slot int) int {
	if s.rdma {
		return 2*slot + int(set)
	}
	return int(set)<<slotBits | slot
}

// clear makes the entries of slots zero in a register by set and slot.
func (s *state) clear(p *vm.Pipe, r vm.Register, base, slots int) error {
	if s.rdma {
		return p.Fill(r, s.entry(0, base), 2*slots, 0, 0)
	}
	for set := range uint8(2) {
		if err := p.Fill(r, s.entry(set, base), slots, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// reset makes slots as they are at power up, in all pipes.
func (s *state) reset(base, slots int) error {
	for _, p := range s.pipes {
		if err := p.Fill(s.bitmap, base, slots, 0, 0); err != nil {
			return err
		}
		for _, r := range s.bySet {
			if err := s.clear(p, r, base, slots); err != nil {
				return err
			}
		}
	}
	if !s.tagged {
		return nil
	}
	for _, r := range s.stamps { // those of the pipe that packets come to first are in use
		if err := s.pipes[0].Fill(r, base, slots, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// prime sets the count of quarters of a job whose first packets have a byte.
func (s *state) prime(group uint16, first uint8) error {
	if !s.tagged {
		return nil
	}
	at := uint32(first / quarter)
	return s.pipes[0].Write(s.quarters, int(group), (at+1)*quarter, firstQuarters+at)
}

// seen returns the bitmap of a slot of the pool in a pipe.
func (s *state) seen(pipe, slot int) (sets [2]uint32) {
	sets[0], sets[1], _ = s.pipes[pipe].Read(s.bitmap, slot)
	return sets
}

// left returns how many workers a slot lacks in a pipe, 0 of one that waits for none.
func (s *state) left(pipe int, set uint8, slot int) uint32 {
	n, _, _ := s.pipes[pipe].Read(s.counter, s.entry(set, slot))
	return n
}
