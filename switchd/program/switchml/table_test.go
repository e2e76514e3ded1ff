package switchml

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
)

// held is a job of a program that has no slots.
type held struct{ Entry }

func (*held) Open(func(dataplane.OpenBlock) bool) {}
func (*held) Seen(int) (s [2]trace.Mask)          { return s }

func keep(e Entry) (*held, error) { return &held{e}, nil }

func newTable(t *testing.T, l Limits) *Table[*held] {
	t.Helper()
	out, err := NewTable[*held](&Config{Node: "tor", Router: netip.MustParseAddr("10.1.255.254"), Pool: 1000}, l)
	if err != nil {
		t.Fatal(err)
	}
	return &out
}

// other is the document of another program.
type other struct{}

func (other) Protocol() string { return "Trio-ML" }

// What is refused changes nothing; each program has its own limits beside those of all.
func TestRefusals(t *testing.T) {
	small := func(j *Job) *dataplane.Refusal {
		if j.Slots > 600 {
			return dataplane.Refuse(dataplane.RefusedNoRoom, "use less", "job %d is large", j.ID)
		}
		return nil
	}
	level := sample()
	level.NumWorkers, level.Parent = 0, &Parent{Addr: level.Workers[1].Addr}
	large, many, rdma, udp := sample(), sample(), sampleRDMA(), sample()
	large.Slots = 601
	many.NumWorkers = 5
	for _, c := range []struct {
		doc    dataplane.Document
		limits Limits
		says   string
	}{
		{other{}, Limits{Workers: 4, UDP: true}, "other-protocol: a job of Trio-ML is for another program: this one speaks SwitchML: give --slots, and --elements if these are not 256, without the caps and addresses of Trio-ML"},
		{&many, Limits{Workers: 4, UDP: true}, "too-many-sources: job 3 has 2 of 5 workers: name at most 4: a slot's bitmap has 4 bits"},
		{&rdma, Limits{Workers: 4, UDP: true}, "jobs-are-fixed: job 3 is of RDMA clients, and the program of tor speaks UDP alone: use UdpSession"},
		{&udp, Limits{Workers: 4, RoCE: true}, "jobs-are-fixed: job 3 is of UDP clients, and the program of tor speaks RoCE alone: use RdmaSession"},
		{&large, Limits{Workers: 4, UDP: true, Check: small}, "no-room: job 3 is large: use less"},
		{&level, Limits{Workers: 4, UDP: true}, "bad-source: job 3: worker 2 at 10.1.0.3 is the parent of a job on tor: give levels different switches"},
	} {
		table := newTable(t, c.limits)
		if _, err := table.Add(c.doc, keep); err == nil || err.Error() != c.says {
			t.Errorf("%v, want %s", err, c.says)
		}
		if all, _ := table.pool.Left(); all != 1000 || len(table.Jobs()) != 0 || len(table.members) != 0 {
			t.Errorf("%s: %d slots are left, %d jobs", c.says, all, len(table.Jobs()))
		}
	}
}

// A program that cannot set a job up gives its slots back, and says why.
func TestSetUpFails(t *testing.T) {
	table, j := newTable(t, Limits{Workers: 4, UDP: true}), sample()
	_, err := table.Add(&j, func(Entry) (*held, error) { return nil, errors.New("all 3 groups are in use") })
	if all, _ := table.pool.Left(); err == nil || err.Error() != "no-room: job 3: tor: all 3 groups are in use: remove a job" || all != 1000 {
		t.Errorf("%v; %d slots are left", err, all)
	}
}

// The table fills in what zero stands for, keeps nothing of the document, and knows
// members and parents until their job is removed.
func TestAJobInATable(t *testing.T) {
	table, j := newTable(t, Limits{Workers: 4, UDP: true}), sample()
	j.NumWorkers, j.Workers[1].ID = 0, 0
	j.Parent = &Parent{Addr: netip.MustParseAddr("10.9.0.1"), UDP: 77}
	id, err := table.Add(&j, keep)
	if err != nil || id != 3 {
		t.Fatalf("job %d, %v", id, err)
	}
	first, parent := j.Workers[0].Addr.As4(), j.Parent.Addr.As4()
	j.Workers[0].Addr, j.Parent.UDP = netip.Addr{}, 0
	k, place, ok := table.Member(first, wire.Port)
	if !ok || place != 0 || k.Workers[0].Addr.As4() != first || k.Workers[1].ID != 1 || k.Parent.Self != table.router || k.Everybody.Len() != 2 {
		t.Errorf("%+v at place %d, %v", k, place, ok)
	}
	if of, ok := table.OfParent(parent, 77); !ok || of != k {
		t.Error("the parent is unknown")
	}
	if _, _, err := table.Remove(3); err != nil || len(table.members)+len(table.parents)+len(table.Jobs()) != 0 {
		t.Errorf("%v, something is left", err)
	}
	if _, _, err := table.Remove(3); err == nil {
		t.Error("a job is removed twice")
	}
}

// Over RoCE a slot of a job is shown as its queue pair.
func TestBlock(t *testing.T) {
	udp, rdma := sample(), sampleRDMA() // messages of 16 packets
	if udp.Block(40) != 40 || rdma.Block(40) != 2 || rdma.MessagePackets() != 16 {
		t.Errorf("slot 40 is block %d over UDP, %d over RoCE", udp.Block(40), rdma.Block(40))
	}
}
