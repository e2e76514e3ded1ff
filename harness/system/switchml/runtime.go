package switchml

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// Request is a job that a running switch is asked for. Its workers are the sources, or
// are told by their addresses; either way their ranks are the order.
type Request struct {
	ID       int             `json:"id"`
	Sources  []int           `json:"sources,omitempty"` // hosts of the switch by number
	SwitchML *RequestedSlots `json:"switchml"`
}

// RequestedSlots is a job's part of the pool.
type RequestedSlots struct {
	Elements int               `json:"elements"`          // values a packet, 32, 64 or 256
	Slots    int               `json:"slots"`             // of each set
	Workers  []RequestedWorker `json:"workers,omitempty"` // in place of sources
}

// RequestedWorker is an interface that a host of the switch need not have by plan.
type RequestedWorker struct {
	Addr netip.Addr `json:"addr"`
	MAC  string     `json:"mac"`  // as 02:00:00:00:00:01
	Port string     `json:"port"` // of the switch, by name
}

// fixWorker is what to do about a worker that is no host.
const fixWorker = "name hosts of this switch, or give --worker; a job over several switches needs levels, which only the job of a run has"

// Protocol names what its jobs speak.
func (System) Protocol() string { return program.Protocol }

// LayOut puts a requested job on the engines of its workers' ports, by the code that lays
// out the job of a run: where these are several, the top one aggregates above them.
func (System) LayOut(sw *plan.Switch, pfe int, job json.RawMessage) (control.Layout, error) {
	r, err := decodeRequest(job)
	if err != nil {
		return control.Layout{}, err
	}
	doc := &program.Job{
		ID: uint8(r.ID), Elements: r.SwitchML.Elements, Slots: r.SwitchML.Slots,
		NumWorkers: len(r.Sources) + len(r.SwitchML.Workers), // one of the two is none
	}
	var peers []peer
	for rank := range doc.NumWorkers {
		w, at, err := r.worker(sw, rank)
		if err != nil {
			return control.Layout{}, err
		}
		if engine := max(0, at.PFE); pfe >= 0 && engine != pfe {
			return control.Layout{}, dataplane.Refuse(dataplane.RefusedLevels, "name workers at the ports of that PFE, or leave the PFE out",
				"job %d: rank %d at port %s is on %s of %s, and the job on %s", r.ID, rank, at.Name, sw.Chassis.PFEs[engine].Name, sw.Name, sw.Chassis.PFEs[pfe].Name)
		}
		w.ID, w.Port = uint8(rank), sansio.Port(at.Index)
		doc.Workers = append(doc.Workers, w)
		peers = append(peers, peer{name: at.Peer.Node, Worker: w})
	}
	if refusal := doc.Check(); refusal != nil {
		return control.Layout{}, refusal
	}
	record := *doc
	record.NumWorkers = 0 // at each engine those that are there
	parts, err := (&placement{sw: sw, record: record, peers: peers}).parts(-1)
	if err != nil {
		return control.Layout{}, err
	}
	if len(parts) == 1 {
		parts[0].NumWorkers, parts[0].Strict = doc.NumWorkers, true
	}
	out := control.Layout{
		ID: r.ID, Name: "switch.job.workers", Note: fmt.Sprintf("%d slots of each set, %d values a packet", doc.Slots, doc.Elements),
	}
	for _, part := range slices.Backward(parts) {
		out.Parts = append(out.Parts, control.Part{PFE: part.pfe, Document: &part.Job, Table: added(sw, &part)})
	}
	return out, nil
}

func decodeRequest(job json.RawMessage) (r Request, err error) {
	if err := strictjson.Decode(job, &r); err != nil {
		return r, dataplane.Refuse(dataplane.RefusedDocument, "give id, sources, and switchml with elements, slots, workers", "%v", err)
	}
	if refusal := control.CheckID(r.ID); refusal != nil {
		return r, refusal
	}
	switch {
	case r.SwitchML == nil:
		return r, dataplane.Refuse(dataplane.RefusedProtocol, "give --slots, and --elements if these are not 256", "job %d says nothing of slots: this switch speaks %s", r.ID, program.Protocol)
	case len(r.Sources) > 0 && len(r.SwitchML.Workers) > 0:
		return r, dataplane.Refuse(dataplane.RefusedDocument, "tell its workers in one way", "job %d has hosts and workers", r.ID)
	}
	return r, nil
}

// worker returns the worker of a rank, without rank and port, and its port.
func (r *Request) worker(sw *plan.Switch, rank int) (w program.Worker, at *plan.Port, err error) {
	if len(r.Sources) > 0 {
		at, err = control.HostPort(sw, r.ID, r.Sources[rank], fixWorker)
		if err != nil {
			return w, nil, err
		}
		for _, n := range sw.Neighbors {
			if n.Port == at.Index {
				w.Addr = n.Addr
			}
		}
		w.MAC = inet.MAC(at.PeerMAC)
		return w, at, nil
	}
	told := &r.SwitchML.Workers[rank]
	port, err := control.NamedPort(sw, r.ID, told.Port, false)
	if err != nil {
		return w, nil, err
	}
	if w.MAC, err = parseMAC(told.MAC); err != nil {
		return w, nil, dataplane.Refuse(dataplane.RefusedSource, "give the address of its interface, as 02:00:00:00:00:01", "job %d: rank %d: %v", r.ID, rank, err)
	}
	w.Addr = told.Addr
	return w, &sw.Ports[port], nil
}

// parseMAC reads the address of an Ethernet interface.
func parseMAC(text string) (m inet.MAC, err error) {
	b, err := net.ParseMAC(text)
	if err != nil || len(b) != len(m) {
		return m, fmt.Errorf("MAC %q is no address of six octets", text)
	}
	return inet.MAC(b), nil
}

// added shows the workers of a part, by rank; engines below have no rank.
func added(sw *plan.Switch, p *part) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "rank", Name: "rank"}, {Key: "address", Name: "address"}, {Key: "mac", Name: "MAC"}, {Key: "port", Name: "port"},
	}}
	for i := range p.Workers {
		w := &p.Workers[i]
		rank := dataplane.Int(w.ID)
		if _, fabric := dataplane.IsFabric(w.Port); fabric {
			rank = dataplane.Value{}
		}
		t.Add(rank, dataplane.Text(w.Addr.String()), dataplane.Text(plan.MAC(w.MAC).String()), dataplane.Text(control.PortNames(sw, []sansio.Port{w.Port})))
	}
	return t
}
