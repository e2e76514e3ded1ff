package pipeline

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// drawJobs returns jobs of one or two sizes, whose workers are at ports of their own.
func drawJobs(t *rapid.T, most int) (out []switchml.Job) {
	first := 0
	for id := range rapid.IntRange(1, most).Draw(t, "jobs") {
		n := rapid.IntRange(1, 4).Draw(t, "workers")
		elements := rapid.SampledFrom([]int{64, 256}).Draw(t, "elements")
		j := jobOf(uint8(id+1), elements, rapid.IntRange(1, 3).Draw(t, "slots"), first, n)
		j.FirstByte = rapid.SampledFrom([]uint8{0, 3, 0x7f, 0xfe}).Draw(t, "first job byte")
		out = append(out, j)
		first += n
	}
	return out
}

// misfit is a worker's packet with lengths that are not those of its frame, or of
// another type or size than it should have.
func (x *traffic) misfit() sansio.Arrival {
	v := x.clients[rapid.IntRange(0, len(x.clients)-1).Draw(x.t, "worker of a bad frame")].packet(0)
	a := x.wrongLengths(v)
	if rapid.IntRange(0, 3).Draw(x.t, "first byte") == 0 {
		a.Train.Body[0] = rapid.SampledFrom([]byte{0x10, 0x11, 0x12, 0x13, 0x14, 0x21}).Draw(x.t, "type and size")
	}
	if good := arrivalOfVector(v); bytes.Equal(a.Train.Header, good.Train.Header) && bytes.Equal(a.Train.Body, good.Train.Body) {
		a.Train.Body[0] = 0x21 // drawn as it should be
	}
	return a
}

func (x *traffic) wrongLengths(v vector) sansio.Arrival {
	good := inet.IPv4Len + len(v.payload()) + inet.UDPLen
	if rapid.Bool().Draw(x.t, "other bytes") {
		more := rapid.SampledFrom([]int{-40, -1, 1, 8}).Draw(x.t, "more")
		return misfit(v, more, good+max(0, more)*rapid.IntRange(0, 1).Draw(x.t, "IP knows"), max(0, more)*rapid.IntRange(0, 1).Draw(x.t, "UDP knows"))
	}
	lengths := rapid.SampledFrom([]int{-30, -1, 0, 1, 200})
	return misfit(v, 0, good+lengths.Draw(x.t, "IP length"), lengths.Draw(x.t, "UDP length"))
}

// Packet by packet, the chip does what the reference program does: the same frames,
// byte by byte, the same counters, events and open slots. Packets are lost, doubled
// and overtaken.
func TestChipDoesWhatTheReferenceProgramDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs = drawJobs(t, 3)
		w := newTwin(t, cfg, Options{OneByOne: rapid.IntRange(0, 9).Draw(t, "one by one") == 0})
		x := newTraffic(t, cfg.Jobs, rapid.Bool().Draw(t, "fifo"))
		give := func(a sansio.Arrival) []sent { return w.give(a) }
		for range rapid.IntRange(0, 150).Draw(t, "steps") {
			x.step(give)
			if rapid.IntRange(0, 19).Draw(t, "length") == 0 {
				give(x.misfit())
			}
		}
		w.agree()
		x.heal(give)
		w.agree()
	})
}

// Packet by packet, the faithful chip does what the faithful reference program does, on
// wires that lose and double packets and keep their order, which is where Algorithm 3 as
// printed is right. They differ by design in one thing: of a result of 256 values the
// public program reads one half by port 448, of another pipe, so that values 128 to 159 are those of
// 192 to 223. Nothing else does, on any such packet: headers, counters, events, open slots.
func TestFaithfulChipDoesWhatTheFaithfulProgramDoes(t *testing.T) {
	swapped := 0
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs, cfg.Faithful = drawJobs(t, 3), true
		w := newTwin(t, cfg, Options{OneByOne: rapid.IntRange(0, 9).Draw(t, "one by one") == 0})
		w.public = true
		x := newTraffic(t, cfg.Jobs, true)
		give := func(a sansio.Arrival) []sent { return w.give(a) }
		for range rapid.IntRange(0, 150).Draw(t, "steps") {
			x.step(give)
		}
		w.agree()
		x.heal(give)
		w.agree()
		swapped += w.swapped
	})
	if swapped == 0 {
		t.Error("no result of 256 values was seen")
	}
}
