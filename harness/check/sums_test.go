package check

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/trace"
)

// tensors is what two workers recorded of one generation.
type tensors struct{ sent, delivered [][]int32 }

func (t tensors) Sent(w, _ int) ([]int32, error)      { return t.sent[w], nil }
func (t tensors) Delivered(w, _ int) ([]int32, error) { return t.delivered[w], nil }

func example() tensors {
	return tensors{
		sent:      [][]int32{{1, 2, 3, 1 << 30}, {10, 20, 30, 1 << 30}},
		delivered: [][]int32{{11, 22, 33, -1 << 31}, {11, 22, 33, -1 << 31}}, // the last sum wraps
	}
}

var shape = Job{Workers: 2, Generations: 1, Elements: 4, Block: 3}

func TestRightSumsAreRight(t *testing.T) {
	got, err := Sums(shape, example(), Everybody(2))
	if err != nil || got != (Result{Checked: 8}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A checker that cannot fail checks nothing.
func TestWrongSumsAreFound(t *testing.T) {
	only := masks{0: 1} // block 0 holds worker 0 alone, block 1 is unknown
	for _, c := range []struct {
		name  string
		spoil func(*tensors)
		who   Contributors
		wrong uint64
		first string
	}{
		{"one element off by one", func(x *tensors) { x.delivered[1][2]++ }, Everybody(2), 1, "worker 1, generation 0, block 0, element 2: delivered 34, the contributors' sum is 33"},
		{"nothing delivered", func(x *tensors) { x.delivered[0] = nil }, Everybody(2), 4, "worker 0, generation 0, block 0, element 0: nothing was delivered"},
		{"cut short", func(x *tensors) { x.delivered[0] = x.delivered[0][:3] }, Everybody(2), 1, "element 3: nothing was delivered"},
		{"a contributor sent nothing", func(x *tensors) { x.sent[1] = nil }, Everybody(2), 8, "the trace names no contributors, or one that sent nothing"},
		{"fewer contributors than were added", func(*tensors) {}, only, 8, "delivered 11, the contributors' sum is 1"},
	} {
		x := example()
		c.spoil(&x)
		got, err := Sums(shape, x, c.who)
		if err != nil || got.Checked != 8 || got.Wrong != c.wrong || !strings.Contains(got.First, c.first) {
			t.Errorf("%s: got %+v, %v: want %d wrong, first %q", c.name, got, err, c.wrong, c.first)
		}
	}
}

// masks maps blocks to the low word of their mask.
type masks map[int]uint64

func (m masks) Contributors(_, block int) (trace.Mask, bool) {
	low, ok := m[block]
	return trace.Mask{low}, ok
}

func TestStreamAgreesWithSums(t *testing.T) {
	x := example()
	x.delivered[1][0] = 0
	s := NewStream(shape, Everybody(2))
	for w := range 2 {
		r := s.Recorder(w)
		r.Sent(0, x.sent[w])
		r.Delivered(0, x.delivered[w])
	}
	want, _ := Sums(shape, x, Everybody(2))
	if got, err := s.Result(); err != nil || got != want || got.Wrong != 1 {
		t.Errorf("got %+v, %v: want %+v", got, err, want)
	}
	if len(s.open) != 0 {
		t.Errorf("%d generations are kept after their check", len(s.open))
	}
}

func TestStreamMissesNoGeneration(t *testing.T) {
	s := NewStream(shape, Everybody(2))
	s.Recorder(0).Delivered(0, example().delivered[0])
	if _, err := s.Result(); err == nil || !strings.Contains(err.Error(), "0 of 1 generations") {
		t.Errorf("got %v", err)
	}
}

// With two levels the mask of the top names PFEs; the workers are behind them,
// and only the first block that a PFE sent was added.
func TestMasksThroughTwoLevels(t *testing.T) {
	m := NewMasks("top", map[string]map[uint8]string{"top": {200: "leaf0", 201: "leaf1"}})
	mask := func(sources ...uint8) (out trace.Mask) {
		for _, s := range sources {
			out.Set(s)
		}
		return out
	}
	send := func(node string, block uint32, sources trace.Mask) {
		m.Event(&trace.Event{Kind: trace.BlockSent, Node: node, Block: block, Mask: sources})
	}
	send("leaf0", 0, mask(0, 1))
	send("leaf0", 0, mask(2)) // a late packet's record: the top dropped it
	send("leaf1", 0, mask(3, 4))
	send("top", 0, mask(200, 201, 7)) // 7 is a worker on the top PFE itself
	send("top", 1, mask(200))
	m.Event(&trace.Event{Kind: trace.BlockAged, Node: "top", Block: 2, Mask: mask(0)})
	if got, ok := m.Contributors(0, 0); !ok || got != mask(0, 1, 3, 4, 7) {
		t.Errorf("block 0: %v, %v", got, ok)
	}
	if _, ok := m.Contributors(0, 1); ok {
		t.Error("block 1: a PFE contributed that sent nothing, and nobody noticed")
	}
	if _, ok := m.Contributors(0, 2); ok {
		t.Error("block 2: it was never sent")
	}
}
