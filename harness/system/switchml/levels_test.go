package switchml

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// switchmlPrograms returns the programs of a set, by node.
func switchmlPrograms(t *testing.T, s *job.Set) map[string]program.Config {
	t.Helper()
	out := map[string]program.Config{}
	for _, sw := range s.Switches(0) {
		for _, text := range sw.Programs {
			if len(text) == 0 { // a PFE without a program
				continue
			}
			cfg, err := job.Decode[switchmlConfig](text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (System{}).engine(cfg); err != nil {
				t.Error(err)
			}
			out[cfg.Program.Node] = cfg.Program
		}
	}
	return out
}

// members returns the ids and addresses of a job's workers at a program.
func members(j program.Job) (ids []uint8, addrs []string) {
	for _, w := range j.Workers {
		ids, addrs = append(ids, w.ID), append(addrs, w.Addr.String())
	}
	return ids, addrs
}

// Each leaf aggregates its hosts and is one worker of a spine; the other spine has
// nothing of it. Workers send to their own leaf.
func TestLevelsOfALeafSpine(t *testing.T) {
	p := jobtest.LeafSpine(t)
	j := jobtest.Tenant(t, p, 0, System{})
	got := switchmlPrograms(t, job.Alone(j))
	if len(got) != 4 {
		t.Fatalf("programs on %d switches, want 3 leaves and a spine", len(got))
	}
	for i, name := range []string{"leaf0", "leaf1", "leaf2"} {
		leaf := got[name].Jobs[0]
		ids, addrs := members(leaf)
		if want := []uint8{uint8(2 * i), uint8(2*i + 1)}; !slices.Equal(ids, want) || addrs[0] != p.Hosts[2*i].Addr.Addr().String() {
			t.Errorf("%s has workers %v at %v, want %v", name, ids, addrs, want)
		}
		up := p.Switches[i].Ports[2]
		if u := leaf.Parent; u == nil || u.Addr != p.Switches[3].Router || int(u.Port) != up.Index || [6]byte(u.MAC) != [6]byte(up.PeerMAC) || u.UDP != wire.Port+1 {
			t.Errorf("above %s is %+v", name, leaf.Parent)
		}
	}
	root := got["spine0"].Jobs[0]
	ids, addrs := members(root)
	if root.Parent != nil || !slices.Equal(ids, []uint8{253, 254, 255}) || !slices.Equal(addrs, []string{"10.3.255.254", "10.2.255.254", "10.1.255.254"}) {
		t.Errorf("spine0 has %v at %v, above it %+v", ids, addrs, root.Parent)
	}
	for i, w := range j.Layout.Cores {
		if c := w.(host.Config); c.Flow.Dst != p.Hosts[i].Gateway || c.Workers != 6 {
			t.Errorf("worker %d of %d sends to %v", i, c.Workers, c.Flow.Dst)
		}
	}
}

// A job on one leaf stays there; of larger ones each has the next spine as its root,
// and a UDP port of its own; a leaf has its part of each.
func TestJobsShareALeafSpine(t *testing.T) {
	p := jobtest.LeafSpine(t)
	s, err := job.NewSet(jobtest.Tenant(t, p, 1, System{}, 0, 2), jobtest.Tenant(t, p, 2, System{Slots: 7}, 1, 4), jobtest.Tenant(t, p, 3, System{}, 3, 5))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]uint8{}
	for node, cfg := range switchmlPrograms(t, s) {
		for _, j := range cfg.Jobs {
			got[node] = append(got[node], j.ID)
			if j.Parent != nil && j.Parent.UDP != wire.Port+uint16(j.ID) {
				t.Errorf("job %d has port %d between switches", j.ID, j.Parent.UDP)
			}
		}
	}
	want := map[string][]uint8{"leaf0": {1, 2}, "leaf1": {1, 3}, "leaf2": {2, 3}, "spine0": {1, 3}, "spine1": {2}}
	for node, ids := range want {
		if !slices.Equal(got[node], ids) {
			t.Errorf("%s has jobs %v, want %v", node, got[node], ids)
		}
	}
	alone := switchmlPrograms(t, job.Alone(jobtest.Tenant(t, p, 1, System{}, 2, 3)))
	if len(alone) != 1 || alone["leaf1"].Jobs[0].Parent != nil {
		t.Errorf("a job on one leaf: %+v", alone)
	}
}

// The forwarding engines of a chassis are levels: those with hosts below the top
// one, each known there by an address that never leaves the chassis.
func TestLevelsOfAChassis(t *testing.T) {
	p := jobtest.Plan(t, "mx480", 4)
	got := switchmlPrograms(t, job.Alone(jobtest.Tenant(t, p, 1, System{})))
	top := p.Switches[0].Chassis.Top
	root := got["mx480/"+p.Switches[0].Chassis.PFEs[top].Name].Jobs[0]
	if root.Parent != nil || len(root.Workers) != len(got)-1 || len(got) < 3 {
		t.Fatalf("%d programs; at the top %+v", len(got), root)
	}
	for _, w := range root.Workers {
		pfe, fabric := dataplane.IsFabric(w.Port)
		if !fabric || w.Addr != netip.AddrFrom4([4]byte{127, 0, 0, byte(pfe + 1)}) {
			t.Errorf("at the top there is %+v", w)
		}
		below := got["mx480/"+p.Switches[0].Chassis.PFEs[pfe].Name].Jobs[0]
		if u := below.Parent; u == nil || u.Port != dataplane.Fabric(top) || u.Self != w.Addr || u.Addr != p.Switches[0].Router {
			t.Errorf("above PFE %d is %+v", pfe, below.Parent)
		}
	}
	hosts := p.Switches[0].Chassis.PFEs[0].Ports
	one := jobtest.Tenant(t, p, 1, System{}, p.Switches[0].Ports[hosts[0]].PeerHost, p.Switches[0].Ports[hosts[1]].PeerHost)
	if got := switchmlPrograms(t, job.Alone(one)); len(got) != 1 {
		t.Errorf("a job on one PFE has programs on %d", len(got))
	}
}

// A second level costs its two links, there and back.
func TestTimeOfLevels(t *testing.T) {
	p := jobtest.LeafSpine(t)
	two := jobtest.Tenant(t, p, 1, System{}, 0, 2).Layout.Time
	one := jobtest.Tenant(t, p, 1, System{}, 0, 1).Layout.Time
	frame := units.GbitPerSecond.TimeToSend(52 + 1024 + 24)
	if got, want := two-one, 2*(units.Microsecond+frame); got != want {
		t.Errorf("two levels take %v longer, want %v", got, want)
	}
}

// A switch has bits for 256 workers and switches.
func TestTooManyBelowOneSwitch(t *testing.T) {
	sw := &plan.Switch{Name: "core", Ports: make([]plan.Port, program.MaxWorkers+1)}
	p := placement{sw: sw, record: program.Job{ID: 1}}
	for i := range sw.Ports {
		p.peers = append(p.peers, peer{engine: true, Worker: program.Worker{Port: sansio.Port(i)}})
	}
	if _, err := p.parts(-1); err == nil || !strings.Contains(err.Error(), "core would aggregate for 257 workers and switches") {
		t.Errorf("%v", err)
	}
}
