package atpps

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// besideWorker is a job of four workers, of which the last is on the server's host: a switch adds the other three.
func besideWorker() Config {
	cfg := twoRacks()
	cfg.Workers = 4
	cfg.Racks = []Rack{{Bit: 0, Workers: []uint8{0, 1, 2}}, {Bit: 1, Local: true, Workers: []uint8{3}}}
	return cfg
}

// local hands over a packet of the worker on the server's host.
func (r *rig) local(p *incoming) []answer {
	r.sent = nil
	now := r.feed.Now
	r.feed.Machine = localMachine{r.server}
	r.feed.Arrive(now, p.arrival())
	r.feed.Machine = r.server
	return r.sent
}

// localMachine takes all that arrives as of the worker on its host.
type localMachine struct{ *Server }

func (m localMachine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	m.Local(now, in, eff)
}

// What came from two levels has all racks' workers, and not the server's own.
func TestLocalWorkerBehindLevels(t *testing.T) {
	cfg := besideWorker()
	cfg.Workers = 6
	cfg.Racks = append(twoRacks().Racks, Rack{Bit: 3, Local: true, Workers: []uint8{5}})
	others := maskOf(0, 1, 2, 3, 4)
	r := newRig(t, cfg)
	if got := r.give(packetOf(&cfg, others, 1, wire.EdgeSwitch).fill(others, one)); len(got) != 0 {
		t.Fatalf("answered %+v without the own worker", got)
	}
	if got := r.local(packetOf(&cfg, maskOf(5), 1, 0).fill(maskOf(5), one)); len(got) != 1 || integer(got[0].values, 0) != 6 {
		t.Fatalf("answered %+v", got)
	}
}

// one is the value of each worker.
func one(int, int) int32 { return 1 }

// A fragment is answered when the sum of all others and the packet of the server's own worker are in, in either
// order, and each counts once.
func TestLocalWorker(t *testing.T) {
	cfg := besideWorker()
	others, own := maskOf(0, 1, 2), maskOf(3)
	for _, first := range []string{"others", "own"} {
		r := newRig(t, cfg)
		sum := packetOf(&cfg, others, 1, wire.EdgeSwitch).fill(others, one)
		mine := packetOf(&cfg, own, 1, 0).fill(own, one)
		give := []func() []answer{func() []answer { return r.give(sum) }, func() []answer { return r.local(mine) }}
		if first == "own" {
			give[0], give[1] = give[1], give[0]
		}
		for k := range 2 { // a copy of the first is dropped
			if got := give[0](); len(got) != 0 {
				t.Fatalf("%s first, packet %d: answered %+v", first, k, got)
			}
		}
		got := give[1]()
		if len(got) != 1 || integer(got[0].values, 61) != 4 {
			t.Fatalf("%s first: answered %+v", first, got)
		}
		// A copy of what all others are in frees an aggregator of a switch; one of the own worker does not.
		if n := len(r.give(sum)); n != 1 {
			t.Errorf("%d answers to a copy of the sum", n)
		}
		if n := len(r.local(mine)); n != 0 {
			t.Errorf("%d answers to a copy of the own packet", n)
		}
		for name, want := range map[string]uint64{CountWhole: 1, CountLocal: 1, CountSingle: 0, CountPartial: 0, CountInSwitch: 2, CountAnswered: 1} {
			if got := r.counted(name); got != want {
				t.Errorf("%s first: %s is %d, want %d", first, name, got, want)
			}
		}
		if in, alone := r.server.Contributions(); in != 3 || alone != 0 {
			t.Errorf("%d contributions in sums and %d alone, want 3 and 0", in, alone)
		}
	}
}

// The place of the own worker is none on the network: whoever claims it there is refused.
func TestLocalWorkerIsNotOnTheNetwork(t *testing.T) {
	cfg := besideWorker()
	r := newRig(t, cfg)
	r.give(packetOf(&cfg, maskOf(3), 1, 0).fill(maskOf(3), one))
	r.give(packetOf(&cfg, maskOf(0, 1, 2, 3), 1, wire.EdgeSwitch).fill(maskOf(3), one))
	if got := r.counted(DropRack); got != 2 {
		t.Errorf("%d packets refused, want 2: %v", got, r.server.Counters())
	}
}

// What is in memory is not copied (§5.5), so it does not wait.
func TestLocalWorkerIsNotCopied(t *testing.T) {
	cfg := besideWorker()
	cfg.Copy = units.Rate(8 * 306) // a frame in a second
	r := newRig(t, cfg)
	r.give(packetOf(&cfg, maskOf(0, 1, 2), 1, wire.EdgeSwitch).fill(maskOf(0, 1, 2), one))
	r.local(packetOf(&cfg, maskOf(3), 1, 0).fill(maskOf(3), one))
	if r.counted(CountLocal) != 1 || r.counted(CountPackets) != 0 {
		t.Errorf("counted %v", r.server.Counters())
	}
	r.feed.Until(units.Time(2 * units.Second))
	if len(r.sent) != 1 || r.sent[0].at != units.Time(units.Second) {
		t.Errorf("answered %+v", r.sent)
	}
}

// One worker at most is on a server's host, alone.
func TestLocalWorkersAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"two": func(c *Config) {
			c.Racks[0] = Rack{Bit: 0, Local: true, Workers: []uint8{0}}
			c.Workers = 2
			c.Racks[1].Workers[0] = 1
		},
		"rack":   func(c *Config) { c.Racks[1].Workers = []uint8{3, 4}; c.Workers = 5 },
		"direct": func(c *Config) { c.Racks[1].Direct = true },
	} {
		cfg := besideWorker()
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
