package reference

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/units"
)

// Packets live no longer than this; hosts count on it when they use numbers again.
const networkLife = 2 * units.Millisecond

// drawRounds draws a network whose jobs use their numbers again and again.
func drawRounds(t *rapid.T, rash bool) *network {
	n := newNetwork(t, rapid.IntRange(1, 3).Draw(t, "racks"), rapid.IntRange(1, 3).Draw(t, "aggregators"))
	n.life = networkLife
	for id := range rapid.IntRange(1, 2).Draw(t, "jobs") {
		j := drawTenant(t, uint8(id), len(n.switches), len(n.switches[0].table))
		j.window = rapid.Uint64Range(1, 2).Draw(t, "window")
		j.data, j.rash = 4*j.window, rash
		j.data += (j.data + uint64(len(n.switches[0].table))) % 2 // numbers of a stream are even
		j.packets = rapid.Uint64Range(2, 4).Draw(t, "rounds") * (j.data + uint64(len(n.switches[0].table)))
		n.add(j)
	}
	return n
}

// rounds has jobs run with a fault now and then, and end.
func (n *network) rounds(t *rapid.T) {
	for range rapid.IntRange(0, 300).Draw(t, "steps") {
		for _, j := range n.jobs {
			for w := range j.workers {
				for _, s := range j.servers {
					n.sendNext(w, s)
				}
			}
		}
		for range min(4, len(n.flight)) {
			n.deliver(n.take(0))
		}
		switch what := rapid.IntRange(0, 15).Draw(t, "what happens"); {
		case what == 0:
			n.act(t)
		case what < 3 && len(n.flight) > 0: // a copy comes late
			n.flight = append(n.flight, n.flight[rapid.IntRange(0, len(n.flight)-1).Draw(t, "packet")])
		case what == 3:
			n.now = n.now.Add(units.Millisecond / 2)
		}
	}
	n.heal()
	n.wantDone()
}

// Numbers that wrap are as good as new ones, if hosts sweep: before a round of them begins again, a packet of
// each index has freed, by age, what late copies have left, at every switch that a worker's packets pass.
func TestNumbersWrap(t *testing.T) {
	aged := false
	proptest.Until(t, func() bool { return aged }, func(t *rapid.T) {
		n := drawRounds(t, false)
		n.rounds(t)
		for _, e := range n.switches {
			aged = aged || strings.Contains(fmt.Sprint(e.Counters()), "freed-by-age")
		}
	})
	if !aged {
		t.Error("nothing was ever freed by age")
	}
}

// failing notes that a check failed, and ends what was checked.
type failing struct{ rapid.TB }

type failure string

func (failing) Fatalf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// latecomers has a copy of every packet of one worker come when its number is finished, and the
// job go through its numbers three times. It returns which check failed.
func latecomers(t *testing.T, worker int, rash bool) (failed string) {
	n := newNetwork(failing{t}, 2, 8)
	n.life = networkLife
	defer func() {
		switch why := recover().(type) {
		case failure:
			failed = string(why)
		case nil:
		default:
			panic(why)
		}
	}()
	j := &tenant{id: 1, window: 2, data: 8, packets: 3 * 16, rash: rash, racks: []int{0, 0, 1}, servers: []*testServer{{home: 1}}}
	j.index = func(_ int, packet uint64, _ uint32) uint16 { return uint16(packet % 8) }
	n.add(j)
	for range 4 * j.packets {
		var copies []flying
		for w := range j.workers {
			for n.sendNext(w, j.servers[0]) {
				if w == worker {
					copies = append(copies, n.flight[len(n.flight)-1])
				}
			}
		}
		n.settle()
		for w := range j.workers { // what met a copy stalls
			for _, packet := range j.servers[0].lacking(w) {
				n.gradient(w, j.servers[0], packet, true)
			}
		}
		n.settle()
		n.flight = copies
		n.settle()
		n.now = n.now.Add(units.Millisecond / 8) // a round without waits is younger than the age
	}
	n.finish()
	n.wantDone()
	return ""
}

// Without sweeps the values of one round are in the sums of the next. So what [TestNumbersWrap] shows is
// due to them.
func TestNumbersWrapBySweepsAlone(t *testing.T) {
	for worker := range 3 {
		if why := latecomers(t, worker, false); why != "" {
			t.Errorf("copies of worker %d: %s", worker, why)
		}
		if why := latecomers(t, worker, true); !strings.Contains(why, "packet") {
			t.Errorf("copies of worker %d, without sweeps: %q, want a wrong sum", worker, why)
		}
	}
}
