package atpps

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

func newTestIndexes(kind Rehash, job uint8, aggregators int) indexes {
	cfg := twoRacks()
	cfg.Job, cfg.Rehash, cfg.Aggregators = job, kind, aggregators
	return newIndexes(&cfg)
}

// Wherever collisions come, an index is moved to one place for ever, and nobody who follows moves
// goes in a circle.
func TestMovesAreFinalAndEnd(t *testing.T) {
	moves, kept := 0, 0
	proptest.Until(t, func() bool { return moves > 0 && kept > 0 }, func(rt *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(rt, "aggregators")
		kind := Rehash(rapid.IntRange(0, 2).Draw(rt, "kind"))
		x := newTestIndexes(kind, uint8(rapid.IntRange(0, 255).Draw(rt, "job")), n)
		told := map[uint16]uint16{}
		for range rapid.IntRange(0, 120).Draw(rt, "collisions") {
			at := uint16(rapid.IntRange(0, 41).Draw(rt, "index"))
			x.see(at)
			to, ok := x.move(at)
			if !ok {
				kept++
				continue
			}
			if kind == Never || n <= 1 || int(at) >= n || int(to) >= n || to == at {
				rt.Fatalf("%d of %d moved to %d by kind %d", at, n, to, kind)
			}
			if before, known := told[at]; known && before != to {
				rt.Fatalf("%d moved to %d, and then to %d", at, before, to)
			}
			told[at] = to
			moves++
			follow(rt, told, at)
		}
	})
	if moves == 0 || kept == 0 {
		t.Errorf("%d moved, %d stayed: a case never came", moves, kept)
	}
}

// follow goes from an index on to the end.
func follow(rt *rapid.T, told map[uint16]uint16, at uint16) {
	for range len(told) {
		to, ok := told[at]
		if !ok {
			return
		}
		at = to
	}
	if _, ok := told[at]; ok {
		rt.Fatalf("moves from %d go in a circle: %v", at, told)
	}
}

// An unused index is one that no packet of the job has named; where there is none, packets stay.
func TestUnusedIndexes(t *testing.T) {
	x := newTestIndexes(ToFree, 1, 5)
	for _, i := range []uint16{0, 1, 3} {
		x.see(i)
	}
	taken := map[uint16]bool{}
	for _, old := range []uint16{0, 1} {
		to, ok := x.move(old)
		if !ok || taken[to] || to != 2 && to != 4 {
			t.Errorf("%d moved to %d, %v", old, to, ok)
		}
		taken[to] = true
	}
	if to, ok := x.move(3); ok {
		t.Errorf("3 moved to %d, though the job uses all", to)
	}
	if _, ok := x.move(1); !ok {
		t.Error("1 was moved, and the next is told that it was not")
	}
}

// An index of a place is none that others may move to, though no packet has named it: windows begin
// smaller than spans.
func TestIndexesOfPlacesAreUsed(t *testing.T) {
	const places, aggregators = 12, 20
	cfg := twoRacks()
	cfg.Rehash, cfg.Aggregators, cfg.Places = ToFree, aggregators, places
	x := newIndexes(&cfg)
	taken := map[uint16]bool{}
	at := wire.Positions(cfg.Job, places, aggregators)
	for _, i := range at {
		taken[i] = true
	}
	moved := 0
	for _, old := range at {
		to, ok := x.move(old)
		if !ok {
			continue
		}
		if taken[to] {
			t.Fatalf("%d moved to %d, which another place has", old, to)
		}
		taken[to] = true
		moved++
	}
	if moved != aggregators-places {
		t.Errorf("%d of %d places moved, and %d indexes are unused", moved, places, aggregators-places)
	}
}

// Jobs that leave one index do not meet at the next.
func TestJobsTakeUnusedOnesInOrdersOfTheirOwn(t *testing.T) {
	same := 0
	for i := range 50 {
		a, b := newTestIndexes(ToFree, uint8(2*i), 1000), newTestIndexes(ToFree, uint8(2*i+1), 1000)
		to, _ := a.move(7)
		if other, _ := b.move(7); other == to {
			same++
		}
	}
	if same > 2 {
		t.Errorf("of 50 pairs of jobs %d met again", same)
	}
}

// Where places move, an index that one left is given out again, behind all that nobody had; no two places
// of a job ever have one.
func TestIndexesComeAgain(t *testing.T) {
	const places, aggregators = 4, 9
	cfg := twoRacks()
	cfg.Rehash, cfg.ByPlace, cfg.Aggregators, cfg.Places = Recycle, true, aggregators, places
	x := newIndexes(&cfg)
	at := wire.Positions(cfg.Job, places, aggregators)
	given := map[uint16]int{}
	for n := range 10 * aggregators {
		old := at[n%places]
		to, ok := x.move(old)
		if !ok || to == old {
			t.Fatalf("move %d: %d moved to %d, %v", n, old, to, ok)
		}
		if k := slices.Index(at, to); k >= 0 {
			t.Fatalf("move %d: place %d moved to %d, which place %d has", n, n%places, to, k)
		}
		if last, again := given[to]; again && n-last < aggregators-places {
			t.Errorf("%d is given out by moves %d and %d, and others wait", to, last, n)
		}
		given[to], at[n%places] = n, to
	}
	if len(given) != aggregators {
		t.Errorf("%d of %d indexes were given out", len(given), aggregators)
	}
}

// contest is jobs with a window each of places, whose packets come to a table in turn, again and again. Who
// comes to an index that another has collides, and is moved behind the window.
type contest struct {
	jobs  []indexes
	at    [][]uint16 // by job and place
	table []int      // whose each aggregator is in this window; free: none
}

const free = -1

// bout is a kind of contest.
type bout struct {
	kind        Rehash
	byPlace     bool
	aggregators int
}

func newContest(b bout, jobs, places int) *contest {
	c := &contest{table: make([]int, b.aggregators)}
	for j := range jobs {
		cfg := twoRacks()
		cfg.Job, cfg.Rehash, cfg.ByPlace, cfg.Aggregators, cfg.Places = uint8(j+1), b.kind, b.byPlace, b.aggregators, places
		c.jobs, c.at = append(c.jobs, newIndexes(&cfg)), append(c.at, wire.Positions(cfg.Job, places, b.aggregators))
	}
	return c
}

// index is that of a place, at the end of the moves of what it had.
func (c *contest) index(job, place int) uint16 {
	at := &c.at[job][place]
	for c.jobs[job].to[*at] != stays {
		*at = uint16(c.jobs[job].to[*at])
	}
	return *at
}

// window returns how many packets of a window collide, and how many of them with one of their own job. Jobs are
// in step, so that each wins as often.
func (c *contest) window(number int) (collided, own int) {
	for i := range c.table {
		c.table[i] = free
	}
	type loser struct{ job, place int }
	var losers []loser
	for place := range c.at[0] {
		for k := range c.jobs {
			j := (k + number) % len(c.jobs)
			at := &c.table[c.index(j, place)]
			if *at == free {
				*at = j
				continue
			}
			if *at == j {
				own++
			}
			losers = append(losers, loser{j, place})
		}
	}
	for _, l := range losers {
		if to, ok := c.jobs[l.job].move(c.at[l.job][l.place]); ok {
			c.at[l.job][l.place] = to
		}
	}
	return len(losers), own
}

// Three jobs of 660 places each. What an unused index is taken for comes to no collisions, on a table that
// places fill, too. Hashing the index does not where all that name it move (§3.6): a move comes to an index
// that another place of the job has by 660 in 1980, and in 3300, and those two are never apart again. So what
// collides is more than at first, and most of it is one job's. Where places move, a table with room comes
// near none, and a full one does not. (A model of the table and the moves alone, with no times.)
func TestRehashingConverges(t *testing.T) {
	const jobs, places, windows = 3, 660, 1500
	for name, c := range map[string]struct {
		bout
		least, most int // collisions of the last window
	}{
		"unused, full":             {bout{ToFree, false, 1980}, 0, 0},
		"unused, full, by place":   {bout{ToFree, true, 1980}, 0, 0},
		"recycled, full, by place": {bout{Recycle, true, 1980}, 0, 0},
		"by index, full":           {bout{ByIndex, false, 1980}, 700, 1980},
		"by index, full, by place": {bout{ByIndex, true, 1980}, 200, 400},
		"unused, 60 %":             {bout{ToFree, false, 3300}, 0, 0},
		"by index, 60 %":           {bout{ByIndex, false, 3300}, 400, 1980},
		"by index, 60 %, by place": {bout{ByIndex, true, 3300}, 0, 60},
	} {
		contest := newContest(c.bout, jobs, places)
		first, own := contest.window(0)
		if first < 300 || own > 0 {
			t.Errorf("%s: %d collide at first, %d of them with their own job", name, first, own)
		}
		last := 0
		for n := 1; n < windows; n++ {
			last, own = contest.window(n)
		}
		if last < c.least || last > c.most {
			t.Errorf("%s: %d collide at first, %d at last; want %d to %d", name, first, last, c.least, c.most)
		}
		if c.kind == ByIndex && !c.byPlace && 2*own < last {
			t.Errorf("%s: of %d collisions %d are of one job", name, last, own)
		}
		t.Logf("%s: %d collide at first, %d at last, %d of them with their own job", name, first, last, own)
	}
}
