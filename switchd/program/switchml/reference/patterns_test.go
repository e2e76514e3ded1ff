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
	isLate(h *wire.Header) bool
	taken(h *wire.Header) bool // whether that is what it knows of a slot and set
	mark()
	back()
}

// patterns is every pattern of idle slots and job wraps that can make a difference to a
// rule that looks at bytes and ids of packets.
//
// Uses of a slot are of alternate sets, and one begins when the one before is complete. So what
// a rule can hold against a first packet is the uses before it, of which it knows byte and id, and
// the bytes that other slots have had meanwhile.
//
//   - The use before was in a tensor: 0 to most before it are all bytes, twice. They are also the
//     tensors in front of a first use.
//   - The first packet comes 0 to most tensors later: again all differences of bytes, twice.
//   - The ids of both are 0 to 2M, M being the packets of the thread on their way: a rule can tell
//     the same from the next, M and 2M further, and a lower one.
//   - Other threads are busy, or have a packet in one of so many tensors only, before the slot or
//     after it.
//   - What came before the use before is of its own set: three uses are another test.
type patterns struct {
	rule  lateRule
	m     uint32
	every int  // another thread sends in one of so many tensors
	after bool // behind the slot's packet
	again bool // a worker sends a packet of the slot again, as the public client does as that of id + 1, and then a peer sends its own
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
	late = p.rule.isLate(&h) || !p.rule.taken(&h)
	if p.again {
		next := h
		next.PacketID++
		p.rule.isLate(&next)
	}
	return p.rule.isLate(&h) || late
}

// other has the other thread send what it has in a tensor, if its place is there.
func (p *patterns) other(tensor int, after bool) {
	if tensor%p.every == 0 && after == p.after {
		p.rule.isLate(&wire.Header{Job: uint8(tensor), Set: uint8(tensor / p.every & 1), Slot: slotOther})
	}
}

// stampRule is the rule of the program, with what it knows.
type stampRule struct {
	*job
	marks []stamps
}

// stamps is what is known of the slots of patterns.
type stamps struct {
	of       [2][2]stamp // by set and slot
	quarters uint32
}

func newStampRule(t testing.TB) *stampRule {
	return &stampRule{job: newBench(t, testConfig(2, 2)).job()}
}

func (r *stampRule) isLate(h *wire.Header) bool {
	late, _ := r.job.late(h)
	return late
}

func (r *stampRule) taken(h *wire.Header) bool {
	return r.pool[h.Set][h.Slot].stamp == stamp{r.quarters, tagOf(h)}
}

func (r *stampRule) mark() {
	m := stamps{quarters: r.quarters}
	for set := range r.pool {
		for slot := range r.pool[set] {
			m.of[set][slot] = r.pool[set][slot].stamp
		}
	}
	r.marks = append(r.marks, m)
}

func (r *stampRule) back() {
	m := r.marks[len(r.marks)-1]
	r.marks = r.marks[:len(r.marks)-1]
	r.quarters = m.quarters
	for set := range r.pool {
		for slot := range r.pool[set] {
			r.pool[set][slot].stamp = m.of[set][slot]
		}
	}
}

// No first packet is late in any pattern, where no more than 63 tensors in a row are empty.
func TestEveryPatternOfTwoUses(t *testing.T) {
	for _, p := range []patterns{
		{m: 1, every: 1}, {m: 1, every: 1, after: true, again: true}, {m: 2, every: 1, again: true}, {m: 2, every: 1, after: true},
		{m: 2, every: quarter}, {m: 1, every: quarter, after: true, again: true}, {m: 1, every: quarter - 1}, {m: 1, every: 2},
	} {
		p.rule = newStampRule(t)
		p.alarm = func(at pattern) {
			t.Fatalf("m %d, every %d, after %v, again %v: a first packet is late, %+v", p.m, p.every, p.after, p.again, at)
		}
		p.run()
	}
}

// Nor is it in a third use: the rule knows of its own set what came two uses before. It does the
// same wherever a quarter begins, so that 0 to 63 tensors before the first use are all.
func TestEveryPatternOfThreeUses(t *testing.T) {
	for first := range quarter {
		p := patterns{rule: newStampRule(t), every: 1}
		for tensor := range first {
			p.other(tensor, false)
		}
		p.use(first, 0, 0)
		for second := first; second <= first+most; second++ {
			p.other(second, false)
			p.rule.mark()
			p.use(second, 1, 1)
			for third := second; third <= second+most; third++ {
				if third > second {
					p.other(third, false)
				}
				p.rule.mark()
				if p.use(third, 0, 2) {
					t.Fatalf("a first packet is late in the third use, in tensor %d; others were in %d and %d", third, first, second)
				}
				p.rule.back()
			}
			p.rule.back()
		}
	}
}

// Where many tensors in a row are empty, a slot that was idle may be taken for one in a later
// phase: nothing in the packets tells.
func TestManyEmptyTensorsLookLate(t *testing.T) {
	late := false
	p := patterns{rule: newStampRule(t), m: 1, every: 2 * quarter, alarm: func(pattern) { late = true }}
	if p.run(); !late {
		t.Error("no first packet is late")
	}
}

func (o *oldTags) isLate(h *wire.Header) bool { return o.late(h) }

func (o *oldTags) taken(h *wire.Header) bool { return o.slots[h.Slot].tag[h.Set] == uint32(tagOf(h)) }

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
