package sansio

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/wire/inet"
)

// lent is a body with its bytes as they were written.
type lent struct {
	body []byte
	want []byte
}

func lend(e *Effects, n int, tag byte) lent {
	b := e.Body(n)
	for i := range b {
		b[i] = tag + byte(i)
	}
	return lent{b, bytes.Clone(b)}
}

func (l lent) changed() bool { return !bytes.Equal(l.body, l.want) }

func TestKeptMemoryStays(t *testing.T) {
	e := Effects{Keeping: true}
	first := lend(&e, 1000, 1)
	m := e.Owner(first.body)
	if m == nil {
		t.Fatal("a body of the batch has no owner")
	}
	m.Keep()
	e.Reset()
	for range 2 * memoryBytes / 1000 { // more than a memory holds
		lend(&e, 1000, 2)
		e.Reset()
	}
	if first.changed() {
		t.Error("what somebody keeps was overwritten")
	}
	m.Drop()
	last := e.Body(1000)
	if m == e.Owner(last) {
		t.Error("memory that was given back is in use before the next is full")
	}
}

func TestMemoryIsReusedWhenNobodyKeepsIt(t *testing.T) {
	e := Effects{Keeping: true}
	at := &e.Body(10)[0]
	e.Reset()
	if again := &e.Body(10)[0]; again != at {
		t.Error("a batch that nobody keeps anything of was not followed by one in the same place")
	}
	e.Reset()
	batch := func() {
		for range 3 {
			e.Body(memoryBytes * 2 / 3)
		}
		e.Reset()
	}
	batch()
	if n := testing.AllocsPerRun(10, batch); n != 0 {
		t.Errorf("%v allocations for a batch like the one before", n)
	}
	if n := len(e.kept.free) + len(e.kept.lent); n != 3 {
		t.Errorf("%d memories for batches that need three", n)
	}
}

func TestBatchOverSeveralMemories(t *testing.T) {
	e := Effects{Keeping: true}
	var all []lent
	owners := map[*Memory]bool{}
	for i := range 5 {
		all = append(all, lend(&e, memoryBytes/2+1, byte(i)))
		owners[e.Owner(all[i].body)] = true
	}
	all = append(all, lend(&e, 3*memoryBytes, 9)) // larger than any
	owners[e.Owner(all[5].body)] = true
	if len(owners) != 6 || owners[nil] {
		t.Errorf("%d owners of six bodies that do not fit with one another", len(owners))
	}
	for i, l := range all {
		if l.changed() {
			t.Errorf("body %d was overwritten in its own batch", i)
		}
	}
	m := e.Owner(all[0].body)
	m.Keep()
	e.Reset()
	if m.keepers != 1 {
		t.Errorf("%d keepers of what one keeps, when its batch is over", m.keepers)
	}
	if m.Drop(); len(e.kept.free) != 5 {
		t.Errorf("%d memories are free, want all but the newest", len(e.kept.free))
	}
}

func TestOwner(t *testing.T) {
	e := Effects{Keeping: true}
	b := e.Body(100)
	m := e.Owner(b)
	for name, c := range map[string]struct {
		b    []byte
		want *Memory
	}{
		"its beginning": {b[:10], m}, "its end": {b[90:], m}, "another body": {e.Body(5), m}, "nothing of it": {e.Body(0), m},
		"foreign": {make([]byte, 100), nil}, "nil": {nil, nil}, "a limited slice": {b[:10:10], nil},
	} {
		if got := e.Owner(c.b); got != c.want {
			t.Errorf("%s: owner %p, want %p", name, got, c.want)
		}
	}
	var borrowing Effects
	if borrowing.Owner(borrowing.Body(10)) != nil {
		t.Error("a batch that does not keep lends out memory with an owner")
	}
}

func TestDropWaitsForReset(t *testing.T) {
	e, other := Effects{Keeping: true}, Effects{}
	m := e.Owner(e.Body(10))
	m.Keep()
	other.Drop(m)
	if m.keepers != 2 {
		t.Errorf("%d keepers before the effects are carried out", m.keepers)
	}
	if other.Reset(); m.keepers != 1 {
		t.Errorf("%d keepers after", m.keepers)
	}
	if other.Reset(); m.keepers != 1 {
		t.Error("dropped again")
	}
}

// Whoever keeps a body finds it as it was until he drops it, in any order.
func TestNothingKeptIsOverwritten(t *testing.T) {
	type kept struct {
		lent
		of *Memory
	}
	rapid.Check(t, func(t *rapid.T) {
		e := Effects{Keeping: true}
		var batch []lent
		var all []kept
		for i := range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				e.Reset()
				batch = batch[:0]
			case 1:
				if len(all) > 0 {
					k := rapid.IntRange(0, len(all)-1).Draw(t, "dropped")
					all[k].of.Drop()
					all = append(all[:k], all[k+1:]...)
				}
			default:
				l := lend(&e, rapid.SampledFrom([]int{0, 1, 1500, memoryBytes / 3, memoryBytes, memoryBytes + 1}).Draw(t, "n"), byte(i))
				batch = append(batch, l)
				if m := e.Owner(l.body); m != nil && rapid.Bool().Draw(t, "keep") {
					m.Keep()
					all = append(all, kept{l, m})
				}
			}
			for k, l := range batch {
				if l.changed() {
					t.Fatalf("body %d of the batch at hand was overwritten", k)
				}
			}
			for k, l := range all {
				if l.changed() {
					t.Fatalf("kept body %d was overwritten", k)
				}
			}
		}
	})
}

// What is sent does not depend on who keeps the memory.
func TestKeepingGivesTheSameFrames(t *testing.T) {
	to, templates := []Port{1}, [][]byte{inet.UDPHeader(testFlow()), inet.UDPHeader(testFlow().Reverse())}
	rapid.Check(t, func(t *rapid.T) {
		keeping, borrowing := Effects{Keeping: true}, Effects{}
		for range rapid.IntRange(1, 5).Draw(t, "batches") {
			for range rapid.IntRange(0, 80).Draw(t, "frames") {
				template := rapid.SampledFrom(templates).Draw(t, "template")
				n := rapid.SampledFrom([]int{0, 5, 5, 5, 6, 9000}).Draw(t, "n")
				unstored := rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "unstored")
				for _, e := range []*Effects{&keeping, &borrowing} {
					b := e.Body(n)
					copy(b, pattern(n))
					e.EmitUnstored(to, template, b, unstored)
				}
			}
			got, want := sent(&keeping), sent(&borrowing)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("keeping sends\n%v\nborrowing\n%v", got, want)
			}
			for _, s := range keeping.Sends {
				if (s.Train.Memory == nil) != (cap(s.Train.Body) == 0) {
					t.Fatalf("a train of %d bytes has memory %p", len(s.Train.Body), s.Train.Memory)
				}
			}
			keeping.Reset()
			borrowing.Reset()
		}
	})
}

// sent returns all frames of a batch.
func sent(e *Effects) (out []string) {
	for _, s := range e.Sends {
		for _, f := range flat(s.Train) {
			out = append(out, fmt.Sprint(s.To, f))
		}
	}
	return out
}
