package control_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	smlsystem "github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/topo/plan"
)

// engines are what speaks SwitchML on a switch of few ports.
var engines = map[string]func(cfg switchml.Config) (dataplane.Engine, error){
	"reference": func(cfg switchml.Config) (dataplane.Engine, error) { return reference.New(cfg) },
	"pipeline": func(cfg switchml.Config) (dataplane.Engine, error) {
		return pipeline.New(cfg, pipeline.Options{Ports: 15})
	},
}

// newSwitchML is a switch whose PFEs run SwitchML without any job, with a pool of
// 1024 slots.
func newSwitchML(t rapid.TB, engine, topology string, hosts int) *rig {
	t.Helper()
	var newEngine transit.NewEngine = func(config json.RawMessage, _ trace.Sink) (dataplane.Engine, error) {
		var cfg switchml.Config
		if err := json.Unmarshal(config, &cfg); err != nil {
			return nil, err
		}
		return engines[engine](cfg)
	}
	return newRigOf(t, smlsystem.System{}, topology, hosts, newEngine, func(sw *plan.Switch, node string) any {
		return switchml.Config{Node: node, Router: sw.Router, MAC: inet.MAC(sw.MAC), Pool: 1024}
	})
}

func ofSwitchML(id, elements, slots int, hosts ...int) *smlsystem.Request {
	return &smlsystem.Request{ID: id, Sources: hosts, SwitchML: &smlsystem.RequestedSlots{Elements: elements, Slots: slots}}
}

func sml(id, elements, slots int, hosts ...int) json.RawMessage {
	return asked(ofSwitchML(id, elements, slots, hosts...))
}

// update has a host send ones to slot 0, and returns by what ports what leaves.
func (r *rig) update(host, elements int, from netip.Addr) (ports []sansio.Port) {
	h := &r.plan.Hosts[host]
	size, _ := wire.SizeOf(elements)
	body := make([]byte, wire.HeaderLen+4*elements)
	wire.Header{Type: wire.TypeConsume, Size: size}.Put(body)
	for i := range elements {
		body[wire.HeaderLen+4*i+3] = 1
	}
	header := inet.UDPHeader(inet.Flow{
		SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC), Src: from, Dst: h.Gateway, SrcPort: 4000, DstPort: wire.Port,
	})
	inet.SetUDPBody(header, len(body))
	var eff sansio.Effects
	r.now++
	in := sansio.Arrival{Port: sansio.Port(h.SwitchPort), Train: sansio.Train{Header: header, Body: body, Seg: len(body), Checksum: sansio.ChecksumPartial}}
	r.Handle(r.now, []sansio.Arrival{in}, &eff)
	for r.NextDeadline() <= r.now { // on its way down again
		r.Expire(r.now, &eff)
	}
	for _, s := range eff.Sends {
		ports = append(ports, s.To...)
	}
	return ports
}

// Two jobs of SwitchML with packets of their own are added beside one another, seen,
// used, and removed; the other notices nothing.
func TestJobsOfSwitchML(t *testing.T) {
	for engine := range engines {
		t.Run(engine, func(t *testing.T) {
			r := newSwitchML(t, engine, "rack", 4)
			out := r.must(control.Request{Op: control.OpAddJob, Job: sml(2, 256, 512, 3, 0)})
			if len(out.Added.Tables) != 1 || out.Added.Tables[0].PFE != "engine" || out.Added.Name != "switch.job.workers" {
				t.Fatalf("added %+v", out.Added)
			}
			for rank, host := range []int{3, 0} {
				row, h := out.Added.Tables[0].Table.Rows[rank], &r.plan.Hosts[host]
				want := []dataplane.Value{
					dataplane.Int(rank), dataplane.Text(h.Addr.Addr().String()), dataplane.Text(h.MAC.String()),
					dataplane.Text(r.plan.Switches[0].Ports[h.SwitchPort].Name),
				}
				if !slices.Equal(row, want) {
					t.Errorf("rank %d is %v, want %s", rank, row, h.Name)
				}
			}
			moved := netip.MustParseAddr("10.1.77.1") // of a client that took h2's interface over
			told := &smlsystem.RequestedSlots{Elements: 64, Slots: 512, Workers: []smlsystem.RequestedWorker{
				{Addr: moved, MAC: "02:00:00:00:77:01", Port: "p2"}, {Addr: r.plan.Hosts[1].Addr.Addr(), MAC: r.plan.Hosts[1].MAC.String(), Port: "p1"},
			}}
			r.must(control.Request{Op: control.OpAddJob, Job: asked(smlsystem.Request{ID: 3, SwitchML: told})})
			for i, step := range []struct {
				host, elements int
				from           netip.Addr
				copies         int
			}{
				{3, 256, r.plan.Hosts[3].Addr.Addr(), 0}, {2, 64, moved, 0}, {0, 256, r.plan.Hosts[0].Addr.Addr(), 2}, {1, 64, r.plan.Hosts[1].Addr.Addr(), 2},
			} {
				if ports := r.update(step.host, step.elements, step.from); len(ports) != step.copies {
					t.Errorf("step %d: %d copies leave, want %d", i, len(ports), step.copies)
				}
			}
			var jobs []string
			for _, row := range r.rows(dataplane.ViewJobs) {
				jobs = append(jobs, strings.Join(row[:9], " "))
			}
			want := []string{"engine 2 0 2 2 256 0 512 0", "engine 3 0 2 2 64 512 512 0"}
			if diff := cmp.Diff(want, jobs); diff != "" {
				t.Errorf("jobs (-want +got):\n%s", diff)
			}
			wantFault(t, r.ask(control.Request{Op: control.OpAddJob, Job: sml(4, 64, 1, 1)}), control.FaultRefused, dataplane.RefusedSource)
			if removed := r.must(control.Request{Op: control.OpRemoveJob, ID: number(2)}).Removed; len(removed) != 1 {
				t.Errorf("removed %+v", removed)
			}
			r.must(control.Request{Op: control.OpAddJob, Job: sml(4, 64, 512, 3)})
			if rows := r.rows(dataplane.ViewJobs); len(rows) != 2 || rows[0][1] != "3" {
				t.Errorf("left are %v", rows)
			}
		})
	}
}

// A refusal has a name and a fix, and changes nothing.
func TestRefusedJobsOfSwitchML(t *testing.T) {
	with := func(j *smlsystem.Request, change func(*smlsystem.Request)) *smlsystem.Request { change(j); return j }
	worker := func(addr, mac, port string) *smlsystem.Request {
		return &smlsystem.Request{ID: 3, SwitchML: &smlsystem.RequestedSlots{Elements: 64, Slots: 8, Workers: []smlsystem.RequestedWorker{{Addr: netip.MustParseAddr(addr), MAC: mac, Port: port}}}}
	}
	for name, tc := range map[string]struct {
		job    any
		reason dataplane.Reason
		says   string
	}{
		"id taken":       {ofSwitchML(1, 64, 8, 2, 3), dataplane.RefusedIDTaken, "there is a job 1 on tor: remove it first"},
		"id":             {ofSwitchML(256, 64, 8, 2), dataplane.RefusedID, "use 0 to 255"},
		"no room":        {ofSwitchML(3, 64, 513, 2), dataplane.RefusedNoRoom, "wants 513 slots on tor, where 512 of 1024 are left: end a job first"},
		"larger pool":    {ofSwitchML(3, 64, 8193, 2), dataplane.RefusedNoRoom, "use 1 to 8192"},
		"elements":       {ofSwitchML(3, 128, 8, 2), dataplane.RefusedDocument, "128 values a packet: use 64 or 256"},
		"no workers":     {ofSwitchML(3, 64, 8), dataplane.RefusedNoSources, "name 1 to 32 workers"},
		"in a job":       {ofSwitchML(3, 64, 8, 2, 0), dataplane.RefusedSource, "is in job 1 on tor: remove that job first"},
		"no host":        {ofSwitchML(3, 64, 8, 2, 9), dataplane.RefusedSource, "source 9 is no host of tor, which has hosts 0, 1, 2, 3: name hosts of this switch, or give --worker; a job over several switches needs levels"},
		"twice":          {ofSwitchML(3, 64, 8, 2, 2), dataplane.RefusedSource, "share an address"},
		"unknown port":   {worker("10.1.0.9", "02:00:00:00:00:09", "p9"), dataplane.RefusedPorts, `tor has no port "p9" with a link: name one of p0, p1, p2, p3`},
		"MAC":            {worker("10.1.0.9", "02:00:00:00:00", "p2"), dataplane.RefusedSource, "as 02:00:00:00:00:01"},
		"group MAC":      {worker("10.1.0.9", "03:00:00:00:00:09", "p2"), dataplane.RefusedSource, "has MAC 03:00:00:00:00:09"},
		"IPv6":           {worker("fd00::9", "02:00:00:00:00:09", "p2"), dataplane.RefusedSource, "give an IPv4 address"},
		"both":           {with(worker("10.1.0.9", "02:00:00:00:00:09", "p2"), func(j *smlsystem.Request) { j.Sources = []int{2} }), dataplane.RefusedDocument, "has hosts and workers: tell its workers in one way"},
		"caps of Trio":   {Job{ID: 3, Sources: []int{2}, BlockMax: 8}, dataplane.RefusedDocument, `unknown field "block_cnt_max": give id, sources, and switchml`},
		"other protocol": {Job{ID: 3, Sources: []int{2, 3}}, dataplane.RefusedProtocol, "other-protocol: job 3 says nothing of slots: this switch speaks SwitchML: give --slots"},
	} {
		for engine := range engines {
			t.Run(name+"/"+engine, func(t *testing.T) {
				r := newSwitchML(t, engine, "rack", 4)
				r.must(control.Request{Op: control.OpAddJob, Job: sml(1, 256, 512, 0, 1)})
				before := r.rows(dataplane.ViewJobs)
				out := r.ask(control.Request{Op: control.OpAddJob, Job: asked(tc.job)})
				wantFault(t, out, control.FaultRefused, tc.reason)
				if !strings.Contains(out.Error, tc.says) {
					t.Errorf("%q lacks %q", out.Error, tc.says)
				}
				if diff := cmp.Diff(before, r.rows(dataplane.ViewJobs)); diff != "" {
					t.Errorf("jobs (-before +after):\n%s", diff)
				}
			})
		}
	}
	trio := newRig(t, "rack", 4)
	out := trio.ask(control.Request{Op: control.OpAddJob, Protocol: "SwitchML", Job: sml(3, 64, 8, 0, 1)})
	wantFault(t, out, control.FaultRefused, dataplane.RefusedProtocol)
	if want := "a job of SwitchML is for another program: tor speaks Trio-ML: give the options of a job of Trio-ML"; !strings.Contains(out.Error, want) {
		t.Errorf("%q lacks %q", out.Error, want)
	}
}

// In a chassis a job is on the PFE of its workers, or on two levels where these are on
// several, as the job of a run is.
func TestJobOfSwitchMLOverAChassis(t *testing.T) {
	for name, tc := range map[string]struct {
		hosts []int // pfe1 has 0 to 2, pfe2 has 3 to 5
		parts []string
	}{
		"one PFE":  {[]int{3, 4, 5}, []string{"pfe2"}},
		"two PFEs": {[]int{0, 5, 3}, []string{"pfe4", "pfe2", "pfe1"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSwitchML(t, "reference", "mx480", 6)
			var parts []string
			for _, e := range r.must(control.Request{Op: control.OpAddJob, Job: sml(2, 64, 8, tc.hosts...)}).Added.Tables {
				parts = append(parts, e.PFE)
			}
			if !slices.Equal(parts, tc.parts) {
				t.Fatalf("added to %v, want %v", parts, tc.parts)
			}
			for i, host := range tc.hosts {
				if ports := r.update(host, 64, r.plan.Hosts[host].Addr.Addr()); (len(ports) == 3) != (i == 2) {
					t.Errorf("after host %d: copies to %v", host, ports)
				}
			}
			if removed := r.must(control.Request{Op: control.OpRemoveJob, ID: number(2)}).Removed; len(removed) != len(tc.parts) {
				t.Errorf("removed %+v", removed)
			}
		})
	}
	r := newSwitchML(t, "reference", "mx480", 6)
	out := r.ask(control.Request{Op: control.OpAddJob, PFE: "pfe2", Job: sml(3, 64, 8, 0, 1)})
	wantFault(t, out, control.FaultRefused, dataplane.RefusedLevels)
	if want := "rank 0 at port et-0-0-0 is on pfe1 of mx480, and the job on pfe2: name workers at the ports of that PFE, or leave the PFE out"; !strings.Contains(out.Error, want) {
		t.Errorf("%q lacks %q", out.Error, want)
	}
}

// After any requests, jobs have parts of the pool that do not overlap, as those that
// were done say.
func TestPoolIsWhatRequestsMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newSwitchML(t, "reference", "rack", 4)
		have, hosts := map[int]int{}, map[int]int{} // slots by job, job by host
		for range rapid.IntRange(1, 20).Draw(t, "requests") {
			id := rapid.IntRange(0, 3).Draw(t, "id")
			if rapid.Bool().Draw(t, "remove") {
				out := r.ask(control.Request{Op: control.OpRemoveJob, ID: &id})
				if (out.Error == "") != (have[id] > 0) {
					t.Fatalf("removal of job %d: %+v", id, out)
				}
				delete(have, id)
				for h, job := range hosts {
					if job == id {
						delete(hosts, h)
					}
				}
				continue
			}
			slots, host := rapid.IntRange(1, 700).Draw(t, "slots"), rapid.IntRange(0, 3).Draw(t, "host")
			_, busy := hosts[host]
			switch out := r.ask(control.Request{Op: control.OpAddJob, Job: sml(id, 64, slots, host)}); {
			case out.Error == "" && (have[id] > 0 || busy):
				t.Fatalf("job %d of host %d was added beside %v, %v", id, host, have, hosts)
			case out.Error == "":
				have[id], hosts[host] = slots, id
			case have[id] == 0 && !busy && out.Reason != dataplane.RefusedNoRoom:
				t.Fatalf("job %d: %s", id, out.Error)
			}
		}
		owner := map[int]string{}
		rows := r.rows(dataplane.ViewJobs)
		if len(rows) != len(have) {
			t.Fatalf("jobs %v, want %v", rows, have)
		}
		for _, row := range rows {
			var id, base, slots int
			if _, err := fmt.Sscan(row[1]+" "+row[6]+" "+row[7], &id, &base, &slots); err != nil || slots != have[id] || base+slots > 1024 {
				t.Fatalf("%v: %v, want %d slots", row, err, have[id])
			}
			for i := range slots {
				if owner[base+i] != "" {
					t.Fatalf("slot %d is of jobs %s and %s", base+i, owner[base+i], row[1])
				}
				owner[base+i] = row[1]
			}
		}
	})
}
