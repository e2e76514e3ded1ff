package atp

import (
	"slices"
	"testing"

	wire "github.com/inalab/inalab/internal/wire/atp"
)

// linear returns indexes that are the number modulo a table of 16, and number 1 for packet 0.
func linear(t *testing.T) *indexes {
	t.Helper()
	c := testConfig(0, 2, 1)
	c.Indexing = Linear
	c.resolve()
	return &newIndexes(&c)[0]
}

// Moves are followed to the end of their chain, whatever the order in which they came (§3.6). One
// that closes a circle ends, and all workers that know the same moves end alike.
func TestMovesAreChained(t *testing.T) {
	for _, test := range []struct {
		moves [][2]uint16
		first uint16
		want  []uint16 // any of them
	}{
		{nil, 3, []uint16{3}},
		{[][2]uint16{{3, 7}}, 3, []uint16{7}},
		{[][2]uint16{{3, 7}}, 7, []uint16{7}},
		{[][2]uint16{{3, 7}, {7, 9}, {9, 1}}, 3, []uint16{1}},
		{[][2]uint16{{9, 1}, {7, 9}, {3, 7}}, 3, []uint16{1}},
		{[][2]uint16{{3, 7}, {7, 3}}, 3, []uint16{3, 7}},
		{[][2]uint16{{3, 7}, {7, 8}, {8, 7}}, 3, []uint16{7, 8}},
		{[][2]uint16{{3, 3}}, 3, []uint16{3}},
	} {
		ends := map[uint16]bool{}
		for _, order := range [][][2]uint16{test.moves, reversed(test.moves)} {
			x := linear(t)
			for _, m := range order {
				if _, ok := x.moved(m[0], uint32(m[1]), 0); !ok {
					t.Errorf("move %v is refused", m)
				}
			}
			end := x.of(uint64(test.first - 1))
			ends[end] = true
			if !slices.Contains(test.want, end) {
				t.Errorf("%v: index %d moved to %d, want %v", test.moves, test.first, end, test.want)
			}
		}
		if len(ends) != 1 {
			t.Errorf("%v: the end depends on the order", test.moves)
		}
	}
}

func reversed(list [][2]uint16) [][2]uint16 {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

func TestMovesBeyondTheTable(t *testing.T) {
	x := linear(t)
	for _, m := range [][2]uint32{{3, 16}, {16, 3}, {3, 1 << 16}, {3, 1<<16 + 5}} {
		if news, ok := x.moved(uint16(m[0]), m[1], 0); news || ok {
			t.Errorf("move %v is taken: %v, %v", m, news, ok)
		}
	}
	if news, ok := x.moved(3, 4, 0); !news || !ok {
		t.Error("a move is no news")
	}
	if news, ok := x.moved(3, 4, 0); news || !ok {
		t.Error("a move that was told before is news")
	}
}

// An aligned move counts from a packet on, the first that any parameter packet named.
func TestAlignedMoves(t *testing.T) {
	x := linear(t)
	x.moved(3, 7, 40)
	x.moved(3, 7, 30)
	x.moved(3, 7, 60)
	x.moved(7, 9, 50)
	for packet, want := range map[uint64]uint16{18: 3, 34: 7, 50: 9} { // number 3 modulo 16 each
		if got := x.of(packet); got != want {
			t.Errorf("packet %d has index %d, want %d", packet, got, want)
		}
	}
}

// Where places move, the packets of one have the new index from the next turn of the window on, and no
// other place has.
func TestPlacesMove(t *testing.T) {
	c := testConfig(0, 2, 1)
	c.ByPlace, c.Aggregators = true, 40
	core, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	x := &core.streams[0].indexes
	span := uint64(core.cfg.span())
	before := slices.Clone(x.places)
	to := uint16(0)
	for slices.Contains(before, to) {
		to++
	}
	for bitmap, want := range map[uint32][2]bool{uint32(to): {true, true}, 40: {}, 1 << 16: {}} {
		if news, ok := x.placed(3+span, bitmap); news != want[0] || ok != want[1] {
			t.Errorf("a move to %d is news %v, taken %v", bitmap, news, ok)
		}
	}
	if news, ok := x.placed(3+5*span, uint32(to)); news || !ok {
		t.Error("a move that was told before is news, or refused")
	}
	for packet := range 3 * span {
		want := before[packet%span]
		if packet%span == 3 {
			want = to
		}
		if got := x.of(packet); got != want {
			t.Errorf("packet %d has index %d, want %d", packet, got, want)
		}
	}
}

// Each kind of indexing, of two threads and two servers.
func TestIndexing(t *testing.T) {
	for kind, want := range map[Indexing]func(stream int, packet uint64, number uint32) uint16{
		ByNumber: func(_ int, _ uint64, number uint32) uint16 { return wire.Index(1, number, 0, 40) },
		Linear:   func(_ int, _ uint64, number uint32) uint16 { return uint16(number % 40) },
		Static:   func(stream int, packet uint64, _ uint32) uint16 { return uint16(8 + 7*uint64(stream) + packet%7) },
		ByPosition: func(stream int, packet uint64, _ uint32) uint16 {
			return wire.Positions(1, 4*8, 40)[uint64(stream)*8+packet%8]
		},
	} {
		c := testConfig(0, 2, 2)
		c.Threads, c.SequenceBits, c.Indexing, c.Aggregators = 2, 10, kind, 40
		if kind == Static {
			c.Base, c.Part = 8, 30 // 7 for each of four
		}
		core, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range core.streams {
			s := &core.streams[i]
			for packet := range uint64(600) {
				if got, want := s.indexes.of(packet), want(i, packet, s.numbers.Of(packet)); got != want {
					t.Fatalf("indexing %d, stream %d, packet %d: index %d, want %d", kind, i, packet, got, want)
				}
			}
		}
	}
}

// Packets of one window never meet each other, where a table is large enough for all of them.
func TestWindowsDoNotMeetThemselves(t *testing.T) {
	for _, kind := range []Indexing{ByPosition, Static} {
		c := testConfig(0, 2, 2)
		c.Threads, c.SequenceBits, c.Indexing, c.Aggregators = 2, 10, kind, 40
		if kind == Static {
			c.Part = 40
		}
		core, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		for start := range uint64(100) {
			seen := map[uint16]bool{}
			for i := range core.streams {
				for packet := start; packet < start+uint64(core.cfg.span()); packet++ {
					index := core.streams[i].indexes.of(packet)
					if seen[index] {
						t.Fatalf("indexing %d: index %d twice in the windows from packet %d on", kind, index, start)
					}
					seen[index] = true
				}
			}
		}
	}
}
