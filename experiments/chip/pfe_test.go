package chip

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
)

// The fixed cost of a packet, and the most that an instruction can take, are what the stated
// latency gives with the default constants. With -update they are written into the PFE's.
func TestTimeIsSolved(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSolver()
	if err != nil {
		t.Fatal(err)
	}
	most, err := s.most(m)
	if err != nil {
		t.Fatal(err)
	}
	packet := (m.timing.Packet + units.Nanosecond/2) / units.Nanosecond * units.Nanosecond
	if golden.Updating() {
		writeTime(t, "PacketCost", packet)
		writeTime(t, "InstructionMost", most)
		return
	}
	if packet != trio.PacketCost || most != trio.InstructionMost {
		t.Errorf("solved for %v, a packet takes %v beside its instructions, an instruction %v at most, and trio.PacketCost is %v, trio.InstructionMost %v: run with -update, look at what git says has changed, and say so with the figures",
			s.target, packet, most, trio.PacketCost, trio.InstructionMost)
	}
}

func writeTime(t *testing.T, name string, cost units.Duration) {
	t.Helper()
	const file = "../../switchd/trio/timing.go"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(\t` + name + ` = )\d+( \* units\.Nanosecond\n)`)
	if !line.Match(text) {
		t.Fatalf("%s has no line that sets %s in nanoseconds", file, name)
	}
	text = line.ReplaceAll(text, fmt.Appendf(nil, "${1}%d${2}", cost/units.Nanosecond))
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The two costs are found wherever they are: a machine with some is solved for them.
func TestSolvingFindsTheCosts(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range latencyReadings {
		for _, want := range []struct{ instruction, packet units.Duration }{{5, 12345}, {80, 700}, {900, 0}} {
			m.timing.Instruction, m.timing.Packet = want.instruction*units.Nanosecond, want.packet*units.Nanosecond
			p, err := pfeRun{m, lone(statedGrads, statedBlocks, 0)}.measure()
			if err != nil {
				t.Fatal(err)
			}
			s := solver{latencyReading: r, target: r.latency(&p)}
			if got, err := s.at(m, m.timing.Instruction); err != nil || got.timing.Packet != m.timing.Packet {
				t.Errorf("%s: latency %v is that of %v, solved for %v, %v", r.name, s.target, m.Times(), got.Times(), err)
			}
			if got, err := s.most(m); want.packet == 0 && (err != nil || got != m.timing.Instruction) {
				t.Errorf("%s: latency %v is that of %v, and the most is %v, %v", r.name, s.target, m.Times(), got, err)
			}
		}
	}
	if _, err := (solver{latencyReading: latencyReadings[0], target: units.Second}).most(m); err == nil {
		t.Error("a latency of a second is solved for")
	}
	if _, err := (solver{latencyReading: latencyReadings[0], target: units.Microsecond}).at(m, 20*units.Nanosecond); err == nil || !strings.Contains(err.Error(), "take less than that") {
		t.Errorf("a latency of a microsecond is solved for: %v", err)
	}
}

// Blocks of window 1 repeat each other, so that a quick run has the latencies of a
// full one.
func TestLonePacketsRepeat(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	few, err := pfeRun{m, lone(256, statedBlocks, 0)}.measure()
	if err != nil {
		t.Fatal(err)
	}
	many, err := pfeRun{m, lone(256, 20*statedBlocks, 0)}.measure()
	if err != nil {
		t.Fatal(err)
	}
	if d := many.all - few.all; d < -few.all/1000 || d > few.all/1000 {
		t.Errorf("%v over %d blocks, %v over %d", few.all, few.load.count, many.all, many.load.count)
	}
}

// The largest window of Fig 16 runs: no packet is dropped, whatever has been written
// to by then, and every block is done. Small packets use as much memory of the host.
func TestLargestWindow(t *testing.T) {
	oneGoroutine(t)
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	windows := fig16Windows(&experiment.Env{})
	load := fig16Load(&experiment.Env{}, 64, windows[len(windows)-1])
	r, err := newPFERig(&m, load)
	if err != nil {
		t.Fatal(err)
	}
	for len(r.results) < load.warmup+load.count {
		if err := r.until(len(r.results) + load.count/16); err != nil {
			t.Fatal(err)
		}
		for _, w := range r.engine.Snapshot().Work {
			if w.Fate == trio.Dropped.String() && w.Inside.N > 0 {
				t.Fatalf("%d packets are dropped after %d blocks: %v", w.Inside.N, len(r.results), r.engine.Counters())
			}
		}
	}
}

// An upper level that waits no longer than the lower gives up on servers that have
// sent; one that waits twice as long does not, and all wait for it where a whole PFE is
// silent.
func TestUpperTimeouts(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		upper, silent int
		short         bool
		least, most   float64
	}{{1, 1, true, 1, 2}, {2, 1, false, 1, 2}, {3, lowerServers, false, 3, 6}} {
		l := levelRig{upper: c.upper, silent: c.silent, prog: m.prog, age: program.AgeAbsent}
		if err := l.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if low, high := slices.Min(l.last), slices.Max(l.last); l.short > 0 != c.short || low < c.least || high > c.most {
			t.Errorf("upper timeout of %d, %d silent: %d of %d results too short, after %.2f to %.2f timeouts", c.upper, c.silent, l.short, l.results, low, high)
		}
	}
}

// Choices meet the stated point, each with its own costs.
func TestChoicesMeetTheStatedPoint(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	target, err := statedLatency()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range pfeChoices() {
		changed, err := c.at(m, target)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pfeRun{changed, lone(statedGrads, statedBlocks, 0)}.measure()
		if err != nil {
			t.Fatal(err)
		}
		if d := (c.reading.latency(&p) - target).Seconds() / target.Seconds(); seen[c.name] || d < -0.01 || d > 0.01 {
			t.Errorf("%s: %v at the point of %v", c.name, c.reading.latency(&p), target)
		}
		seen[c.name] = true
	}
}
