package middlebox

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var _ dataplane.Engine = (*PFE)(nil)

// passing forwards every packet and remembers that there was one.
const passing = `
sram seen[8];
register timer_work_t t_work @ WORK_REGISTER;
counter visits;
packet entry start;
timer visit entry fire;
start: begin HashInsert(pair(0, 7)); end
begin Forward(0); exit; end
fire: begin CounterIncPhys(visits, 0); exit; end
`

func program(text string) Program {
	return Program{File: "passing.mc", Text: text, Timer: "visit", Period: 10 * units.Millisecond, Threads: 2}
}

var small = mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 16}

// All traffic goes on its way, and the timer visits the records as
// often as the program says, or Config.
func TestLoad(t *testing.T) {
	for period, want := range map[units.Duration]units.Time{
		0: units.Time(10 * units.Millisecond), 4 * units.Millisecond: units.Time(4 * units.Millisecond),
	} {
		e, err := program(passing).Load(Config{Node: "pfe", Period: period, Threads: 1, Memory: small})
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		e.Handle(1, []sansio.Arrival{{Port: dataplane.Inbound(5), Train: sansio.Train{Header: make([]byte, inet.EtherLen+50)}}}, &eff)
		if len(eff.Sends) != 1 || eff.Sends[0].To[0] != dataplane.Inbound(5) {
			t.Fatalf("sent %+v, want one packet by the port it came by", eff.Sends)
		}
		if at := e.NextDeadline(); at != want {
			t.Errorf("period %v: the next visit is at %v, want %v", period, at, want)
		}
	}
}

// The control plane writes where the variable is, and is told of what is wrong.
func TestSet(t *testing.T) {
	e, err := program(passing).Load(Config{Memory: small})
	if err != nil {
		t.Fatal(err)
	}
	store := func(m *mem.Memory, at mem.Addr) mem.Fault { return m.Store(at+3, 42) }
	if err := e.Set("seen", store); err != nil {
		t.Fatal(err)
	}
	read := func(m *mem.Memory, at mem.Addr) (f mem.Fault) {
		v, f := m.Load(at + 3)
		if v != 42 {
			t.Errorf("read %d, want 42", v)
		}
		return f
	}
	if err := e.Set("seen", read); err != nil {
		t.Error(err)
	}
	beyond := func(m *mem.Memory, _ mem.Addr) mem.Fault { return m.Store(^mem.Addr(0), 1) }
	for variable, want := range map[string]string{
		"unseen": "program passing.mc has no unseen in shared memory", "t_work": "has no t_work in shared memory",
	} {
		if err := e.Set(variable, store); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := e.Set("seen", beyond); err == nil || !strings.HasPrefix(err.Error(), "writing seen of program passing.mc: ") {
		t.Errorf("error %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	ports := []sansio.Port{1}
	for name, err := range map[string]error{
		"compiling passing.mc: ": errOf(program("nonsense").Load(Config{Memory: small})),
		"configuring PFE pfe: ":  errOf(program(passing).Load(Config{Node: "pfe", Threads: -1, Memory: small})),
		"next hop 70000":         errOf(program(passing).Load(Config{Memory: small}, trio.NextHop{Index: 70000, To: ports})),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

func errOf(_ *PFE, err error) error { return err }
