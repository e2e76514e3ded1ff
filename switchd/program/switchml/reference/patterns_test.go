package reference

import (
	"maps"
	"slices"
	"testing"

	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// lateRule tells late packets. mark notes its state, back returns to the latest that was
// noted, and forgets it.
type lateRule interface {
	late(h *wire.Header) bool
	mark()
	back()
}

// patterns is every pattern of idle slots and job wraps that can make a difference to a
// rule that looks at bytes and ids of packets.
//
// Uses of a slot are of alternate sets, and one begins when the one before is complete. So what
// a rule can hold against a first packet is the uses before it, and what the other threads of
// the job have sent meanwhile. Of both it knows bytes and ids. A first packet and a use before
// it are apart by some tensors: 0 to most are more than two wraps of the byte. That use came
// at some byte: it is that of the tensor, again 0 to most, so that these are also the tensors
// in front of a first use. The ids of both are 0 to 2M, M being the packets of the slot's thread
// on their way, as only their order counts. The other threads are busy, or send in one of so
// many tensors only, before the slot or after it. Further uses are between two that are looked
// at: they replace what is known of them.
type patterns struct {
	rule  lateRule
	m     uint32
	every int   // another thread sends in one of so many tensors
	after bool  // behind the slot's packet
	again bool  // a worker sends a packet of the slot again, as the public client does as that of id + 1, and then a peer sends its own
	set   uint8 // of the second use that is looked at: 1, or 0 where there is one between
	alarm func(p pattern)
}

// pattern is where a first packet was late.
type pattern struct {
	before  int // tensors before the first use
	between int // that begin from there on; -1: it is the first use
	ids     [2]uint32
}

// most is how many tensors use a slot not, at most.
const most = 520

// Slots of a pattern.
const (
	slotUsed = iota
	slotOther
)

func (p *patterns) run() {
	for before := range most + 1 {
		for id := range 2*p.m + 1 {
			p.rule.mark()
			p.other(before, false)
			late := p.use(before, 0, id)
			p.other(before, true)
			if late { // and nothing is right after that
				p.alarm(pattern{before, -1, [2]uint32{id}})
			} else {
				p.second(before, id)
			}
			p.rule.back()
		}
		p.other(before, p.after)
	}
}

// second walks all uses behind one.
func (p *patterns) second(before int, id uint32) {
	p.try(pattern{before, 0, [2]uint32{id, id + p.m}})
	for between := 1; between <= most; between++ {
		p.other(before+between, false)
		for next := range 2*p.m + 1 {
			p.try(pattern{before, between, [2]uint32{id, next}})
		}
		p.other(before+between, true)
	}
}

// try sends the first packets of a second use, and forgets it.
func (p *patterns) try(at pattern) {
	p.rule.mark()
	if p.use(at.before+at.between, 1, at.ids[1]) {
		p.alarm(at)
	}
	p.rule.back()
}

// use sends the first packets of two workers.
func (p *patterns) use(tensor int, set uint8, id uint32) (late bool) {
	h := wire.Header{Job: uint8(tensor), PacketID: id, Set: set, Slot: slotUsed}
	late = p.rule.late(&h)
	if p.again {
		next := h
		next.PacketID++
		p.rule.late(&next)
	}
	return p.rule.late(&h) || late
}

// other has the other thread send what it has in a tensor, if its place is there.
func (p *patterns) other(tensor int, after bool) {
	if tensor%p.every == 0 && after == p.after {
		p.rule.late(&wire.Header{Job: uint8(tensor), Set: uint8(tensor / p.every & 1), Slot: slotOther})
	}
}

// mark and back of the old rule.
func (o *oldTags) mark() { o.marks = append(o.marks, [2]oldSlot(o.slots)) }

func (o *oldTags) back() {
	copy(o.slots, o.marks[len(o.marks)-1][:])
	o.marks = o.marks[:len(o.marks)-1]
}

// The old rule drops first packets of slots that were idle for 252 to 255 tensors, modulo 256,
// or came back to a byte with a lower id.
func TestOldTagsInEveryPattern(t *testing.T) {
	first, between := map[int]bool{}, map[int]bool{}
	for _, after := range []bool{false, true} {
		p := patterns{rule: &oldTags{slots: make([]oldSlot, 2)}, m: 2, every: 1, after: after, alarm: func(p pattern) {
			if p.between < 0 {
				first[p.before%256] = true
			} else {
				between[p.between%256] = true
			}
		}}
		p.run()
	}
	want := []int{252, 253, 254, 255}
	if got := keysOf(first); !slices.Equal(got, want) {
		t.Errorf("first uses after %v tensors are late, want %v", got, want)
	}
	if got, want := keysOf(between), append([]int{0}, want...); !slices.Equal(got, want) {
		t.Errorf("uses %v tensors later are late, want %v", got, want)
	}
}

func keysOf(set map[int]bool) []int { return slices.Sorted(maps.Keys(set)) }
