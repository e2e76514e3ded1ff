package trio

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// Another period begins a whole one from now at the earliest, and holds from then on; another entry of the
// same period changes no instant.
func TestTimersAreSetAnew(t *testing.T) {
	const two = ticking + "timer tock entry fire;\n"
	r := &record{}
	b := newBench(t, Config{
		Program: compile(t, "two", two), Observer: r, Timing: timed(func(t *Timing) { t.Dispatch, t.Instruction = 0, 1 }),
		Timers: []Timer{{Name: "tick", Period: 10 * units.Millisecond, Threads: 2}},
	})
	set := func(name string, timer Timer) {
		t.Helper()
		if err := b.p.SetTimer(b.now, name, timer); err != nil {
			t.Fatal(err)
		}
	}
	b.at(6 * ms)
	set("tick", Timer{Name: "tock", Period: 10 * units.Millisecond, Threads: 2})
	b.at(16 * ms)
	set("tock", Timer{Name: "tock", Period: 4 * units.Millisecond, Threads: 2})
	b.at(25 * ms)
	var got []string
	for _, end := range r.ends {
		at, _, _ := strings.Cut(end, " ")
		got = append(got, at)
	}
	want := []string{"1ns", "5ms", "10ms", "15ms", "22ms", "24ms"}
	if !slices.Equal(got, want) {
		t.Errorf("threads end at %v, want %v", r.ends, want)
	}
	for name, timer := range map[string]Timer{
		"tick": {Name: "tick", Period: units.Millisecond, Threads: 2}, // it is called tock now
		"tock": {Name: "tock", Period: units.Millisecond, Threads: 3},
	} {
		if err := b.p.SetTimer(b.now, name, timer); err == nil {
			t.Errorf("%s is set to %+v", name, timer)
		}
	}
	if err := b.p.SetTimer(b.now, "tock", Timer{Name: "none", Period: units.Millisecond, Threads: 2}); err == nil {
		t.Error("an entry that is not there is taken")
	}
}
