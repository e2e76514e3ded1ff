package atpps

import (
	"testing"

	"pgregory.net/rapid"

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
	for range 5 { // checks may be few
		rapid.Check(t, func(rt *rapid.T) {
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
	}
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

// contest is jobs with a window each of places, whose packets come to a table in turn, again and again. Who
// comes to an index that another has collides, and is moved behind the window.
type contest struct {
	jobs  []indexes
	at    [][]uint16 // by job and place
	table []int      // whose each aggregator is in this window; free: none
}

const free = -1

func newContest(kind Rehash, jobs, places, aggregators int) *contest {
	c := &contest{table: make([]int, aggregators)}
	for j := range jobs {
		x := newTestIndexes(kind, uint8(j+1), aggregators)
		at := wire.Positions(uint8(j+1), places, aggregators)
		for _, i := range at {
			x.see(i)
		}
		c.jobs, c.at = append(c.jobs, x), append(c.at, at)
	}
	return c
}

// window returns how many packets of a window collide. Jobs are in step, so that each wins as often.
func (c *contest) window(number int) (collided int) {
	for i := range c.table {
		c.table[i] = free
	}
	var losers []*uint16
	var of []int
	for place := range c.at[0] {
		for k := range c.jobs {
			j := (k + number) % len(c.jobs)
			at := &c.at[j][place]
			if c.table[*at] != free {
				losers, of = append(losers, at), append(of, j)
				continue
			}
			c.table[*at] = j
		}
	}
	for i, at := range losers {
		if to, ok := c.jobs[of[i]].move(*at); ok {
			*at = to
		}
	}
	return len(losers)
}

// run returns the collisions of the first window, and of the last of so many.
func (c *contest) run(windows int) (first, last int) {
	first = c.window(0)
	for n := 1; n < windows; n++ {
		last = c.window(n)
	}
	return first, last
}

// Three jobs of 660 places each: where places fill the table, hashing indexes stays with
// collisions for ever, since places of a job meet, and taking unused ones comes to none. With room in
// the table hashing comes near that, too. (A model of the table and the moves alone, with no times.)
func TestRehashingConverges(t *testing.T) {
	const jobs, places = 3, 660
	for name, c := range map[string]struct {
		kind        Rehash
		aggregators int
		windows     int
		least, most int // collisions of the last window
	}{
		"unused, full":      {ToFree, 1980, 1500, 0, 0},
		"by index, full":    {ByIndex, 1980, 1500, 100, 593},
		"unused, 60 % full": {ToFree, 3300, 40, 0, 0},
		"by index, 60 %":    {ByIndex, 3300, 400, 0, 60},
	} {
		first, last := newContest(c.kind, jobs, places, c.aggregators).run(c.windows)
		if first < 300 || last < c.least || last > c.most {
			t.Errorf("%s: %d collide at first, %d at last; want at least 300, and %d to %d", name, first, last, c.least, c.most)
		}
		t.Logf("%s: %d collide at first, %d at last", name, first, last)
	}
}
