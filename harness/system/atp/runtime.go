package atp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo/plan"
)

// Request is a job that a running switch is asked for, whose workers and servers are all
// behind it: one level.
type Request struct {
	ID      int               `json:"id"`
	Sources []int             `json:"sources"` // hosts of workers by number; their bits are the order
	ATP     *RequestedServers `json:"atp"`
}

// RequestedServers are the parameter servers of a job.
type RequestedServers struct {
	Servers []int `json:"servers"` // hosts by number
}

// options are those of a job on the command line.
type options struct{ servers []int }

// JobOptions returns the options of a job that a running switch is asked for.
func (System) JobOptions() job.RuntimeOptions { return &options{} }

// Describe says what a job is.
func (*options) Describe() (text string, examples []string) {
	return `the sources are workers, whose bits are in their order, and --servers the hosts of
its parameter servers. All are at one switch, other than those of a run. Server k of
job N sends parameters to group 239.255.k.N.`, []string{"--id 3 --sources 0,1 --servers 2"}
}

// Register adds the options.
func (o *options) Register(flags *pflag.FlagSet) {
	flags.IntSliceVar(&o.servers, "servers", nil, "hosts of parameter servers by number, as in 4,5 (required there)")
}

// Request makes the job of the options.
func (o *options) Request(common job.RuntimeRequest, given func(string) bool) (any, error) {
	switch {
	case !given("sources"):
		return nil, job.ErrNoSources
	case len(o.servers) == 0:
		return nil, errors.New("--servers: name one host at least")
	}
	return Request{ID: common.ID, Sources: common.Sources, ATP: &RequestedServers{o.servers}}, nil
}

// Protocol names what its jobs speak.
func (System) Protocol() string { return program.Protocol }

// LayOut puts a requested job on a switch.
func (System) LayOut(sw *plan.Switch, pfe int, text json.RawMessage) (control.Layout, error) {
	var r Request
	if err := strictjson.Decode(text, &r); err != nil {
		return control.Layout{}, dataplane.Refuse(dataplane.RefusedDocument, "give id, sources, and atp with servers", "%v", err)
	}
	if err := r.check(); err != nil {
		return control.Layout{}, err
	}
	l := laying{Request: &r, sw: sw, doc: program.Job{ID: uint8(r.ID)}, out: control.Layout{ID: r.ID, Name: "switch.job.members"}}
	l.table.Columns = []dataplane.Column{
		{Key: "role", Name: "role"}, {Key: "host", Name: "host"}, {Key: "bit", Name: "bit"}, {Key: "port", Name: "port"}, {Key: "group", Name: "group"},
	}
	if err := cmp.Or(l.workers(), l.servers()); err != nil {
		return control.Layout{}, err
	}
	if refusal := l.doc.Check(); refusal != nil {
		return control.Layout{}, refusal
	}
	l.out.Parts = []control.Part{{PFE: max(0, pfe), Document: &l.doc, Table: l.table}}
	return l.out, nil
}

// laying is a request on its way to a layout.
type laying struct {
	*Request
	sw      *plan.Switch
	doc     program.Job
	sources []program.Source
	ports   []sansio.Port // of workers
	table   dataplane.Table
	out     control.Layout
}

// workers finds the ports of workers.
func (l *laying) workers() error {
	for bit, h := range l.Sources {
		at, err := control.HostPort(l.sw, l.ID, h, "name hosts of this switch; a job over several switches is that of a run")
		if err != nil {
			return err
		}
		port := sansio.Port(at.Index)
		l.ports = append(l.ports, port)
		l.sources = append(l.sources, program.Source{Bit: uint8(bit), Ports: []sansio.Port{port}, Name: at.Peer.Node, Workers: []uint8{uint8(bit)}})
		l.table.Add(dataplane.Text("worker"), dataplane.Text(at.Peer.Node), dataplane.Int(bit), dataplane.Text(at.Name), dataplane.Value{})
	}
	return nil
}

// servers finds those of servers, whose parameters go to the workers.
func (l *laying) servers() error {
	for k, h := range l.ATP.Servers {
		at, err := control.HostPort(l.sw, l.ID, h, "")
		if err != nil {
			return dataplane.Refuse(dataplane.RefusedServer, "name a host of this switch: servers elsewhere are for the job of a run", "job %d: server %d is no host of %s", l.ID, h, l.sw.Name)
		}
		group := plan.Group(uint16(k)<<8 | uint16(l.ID))
		l.out.Groups = append(l.out.Groups, forward.Group{Addr: group, Ports: l.ports})
		l.doc.Servers = append(l.doc.Servers, program.Server{
			Addr: addrOf(l.sw, at), Ports: []sansio.Port{sansio.Port(at.Index)}, Levels: [2]program.Level{{Sources: l.sources}},
		})
		l.table.Add(dataplane.Text("server"), dataplane.Text(at.Peer.Node), dataplane.Value{}, dataplane.Text(at.Name), dataplane.Text(group.String()))
	}
	return nil
}

// check refuses what needs no switch to be wrong.
func (r *Request) check() error {
	if refusal := control.CheckID(r.ID); refusal != nil {
		return refusal
	}
	switch n := len(r.Sources); {
	case r.ATP == nil:
		return dataplane.Refuse(dataplane.RefusedProtocol, "give --servers", "job %d says nothing of parameter servers: this switch speaks %s", r.ID, program.Protocol)
	case n == 0:
		return dataplane.Refuse(dataplane.RefusedNoSources, "give --sources", "job %d has no workers", r.ID)
	case n > wire.MaxFanIn:
		return dataplane.Refuse(dataplane.RefusedManySources, fmt.Sprintf("give at most %d, as a packet names no more of one switch", wire.MaxFanIn), "job %d has %d workers", r.ID, n)
	case len(r.ATP.Servers) == 0 || len(r.ATP.Servers) > mostServers:
		return dataplane.Refuse(dataplane.RefusedServer, fmt.Sprintf("give 1 to %d", mostServers), "job %d has %d parameter servers", r.ID, len(r.ATP.Servers))
	}
	all := slices.Concat(r.Sources, r.ATP.Servers)
	for i, h := range all {
		if k := slices.Index(all[:i], h); k >= 0 {
			reason := dataplane.RefusedSource
			if i >= len(r.Sources) {
				reason = dataplane.RefusedServer
			}
			return dataplane.Refuse(reason, "give each worker and each server a host of its own", "job %d has host %d twice", r.ID, h)
		}
	}
	return nil
}

// addrOf returns the address of the host at a port.
func addrOf(sw *plan.Switch, at *plan.Port) (out netip.Addr) {
	for _, n := range sw.Neighbors {
		if n.Port == at.Index {
			out = n.Addr
		}
	}
	return out
}
