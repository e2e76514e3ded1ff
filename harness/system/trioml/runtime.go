package trioml

import (
	"encoding/json"
	"math"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// Request is a job that a running switch is asked for, of the whole switch or of one
// of its PFEs.
type Request struct {
	ID       int            `json:"id"`
	Sources  []int          `json:"sources,omitempty"`        // hosts of the switch by number; with a PFE, any src_ids
	BlockMax int            `json:"block_cnt_max,omitempty"`  // zero: program.DefaultBlockMax
	GradMax  int            `json:"block_grad_max,omitempty"` // zero: wire.MaxGrads
	Timeout  units.Duration `json:"block_exp,omitzero"`       // of blocks where the sources are; zero: that of the PFE
	Group    netip.Addr     `json:"group,omitzero"`           // of results; the zero value: that of the job's id
	Ports    []string       `json:"ports,omitempty"`          // of results, by name, or PFEs; none: those of the sources
	OutSrc   *int           `json:"out_src_id,omitempty"`     // with a PFE or Next: src_id of its results
	Next     netip.Addr     `json:"next,omitzero"`            // router address of the switch that aggregates above; the zero value: there is none
}

// Protocol names what its jobs speak.
func (System) Protocol() string { return program.Protocol }

// LayOut lays a requested job over the PFEs of a switch. With pfe not negative the whole
// job is on that one, and its sources need not be hosts.
func (System) LayOut(sw *plan.Switch, pfe int, request json.RawMessage) (control.Layout, error) {
	var r Request
	if err := strictjson.Decode(request, &r); err != nil {
		return control.Layout{}, dataplane.Refuse(dataplane.RefusedDocument, "give id, sources, block_cnt_max, block_grad_max, block_exp, group, ports, out_src_id, next", "%v", err)
	}
	records, err := r.records(sw, pfe)
	if err != nil {
		return control.Layout{}, err
	}
	out := control.Layout{ID: r.ID, Name: "switch.job.added"}
	if out.Groups, err = r.forwarded(sw); err != nil {
		return control.Layout{}, err
	}
	for i := range records {
		doc := &records[i].Job
		out.Parts = append(out.Parts, control.Part{PFE: records[i].pfe, Document: doc, Table: added(sw, doc)})
	}
	return out, nil
}

// records returns the job records of a request, the top level first.
func (r *Request) records(sw *plan.Switch, pfe int) ([]placed, error) {
	if err := r.check(pfe); err != nil {
		return nil, err
	}
	p := placement{sw: sw, record: r.record(sw), sources: make([][]source, job.PFEs(sw))}
	var err error
	if p.record.To, err = r.ports(sw); err != nil {
		return nil, err
	}
	if err := r.ascend(sw, &p.record); err != nil {
		return nil, err
	}
	for _, s := range r.Sources {
		at := pfe
		if pfe < 0 {
			port, err := control.HostPort(sw, r.ID, s, fixSource)
			if err != nil {
				return nil, err
			}
			at = max(0, port.PFE)
		}
		p.sources[at] = append(p.sources[at], source{id: uint8(s)})
	}
	p.record.OutSource = uint8(pfeSource + topOf(sw, p.leaves()))
	if r.OutSrc != nil {
		p.record.OutSource = uint8(*r.OutSrc)
	}
	out, err := p.records(func(int) string { return "" }, func(wanted uint8, taken []source) (uint8, error) { return unused(wanted, taken), nil })
	if err != nil {
		return nil, err
	}
	if len(out) > 1 {
		out[0].Timeout *= topPatience
	}
	return out, nil
}

// record is what the records of all PFEs have.
func (r *Request) record(sw *plan.Switch) program.Job {
	group := r.group()
	return program.Job{ID: uint8(r.ID), BlockMax: r.BlockMax, GradMax: r.GradMax, Timeout: r.Timeout, Out: inet.Flow{
		SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MulticastMAC(group), Src: sw.Router, Dst: group, SrcPort: wire.Port, DstPort: wire.Port,
	}}
}

func (r *Request) group() netip.Addr {
	if !r.Group.IsValid() {
		return plan.Group(uint16(r.ID))
	}
	return r.Group
}

// check refuses what the request alone shows to be wrong; engines check the record.
func (r *Request) check(pfe int) error {
	if refusal := control.CheckID(r.ID); refusal != nil {
		return refusal
	}
	if refusal := program.CheckSourceCount(r.ID, len(r.Sources)); refusal != nil {
		return refusal
	}
	if g := r.group(); !g.Is4() || !g.IsMulticast() {
		return dataplane.Refuse(dataplane.RefusedResult, "use one of 224.0.1.0 to 239.255.255.255", "job %d: %v is no IPv4 multicast group", r.ID, g)
	}
	if pfe < 0 && r.OutSrc != nil && !r.Next.IsValid() {
		return dataplane.Refuse(dataplane.RefusedSource, "name the PFE that it is for, or the next switch, or leave it out", "job %d: an out_src_id belongs to one PFE", r.ID)
	}
	for _, s := range r.Sources {
		if !isSource(s) {
			return dataplane.Refuse(dataplane.RefusedSource, "use 0 to 255", "job %d: source %d does not fit the 8 bits of src_id", r.ID, s)
		}
	}
	if r.OutSrc != nil && !isSource(*r.OutSrc) {
		return dataplane.Refuse(dataplane.RefusedSource, "use 0 to 255", "job %d: out_src_id %d does not fit its 8 bits", r.ID, *r.OutSrc)
	}
	return nil
}

func isSource(s int) bool { return s >= 0 && s <= math.MaxUint8 }

// fixSource is what to do about a source that is no host.
const fixSource = "name hosts of the switch, or a PFE and its result ports"

// ports returns what results leave by: the ports that were named, or those of the
// sources.
func (r *Request) ports(sw *plan.Switch) (to []sansio.Port, err error) {
	for _, name := range r.Ports {
		p, err := control.NamedPort(sw, r.ID, name, true)
		if err != nil {
			return nil, err
		}
		if slices.Contains(to, p) {
			return nil, dataplane.Refuse(dataplane.RefusedPorts, "name it once", "job %d names a port of its results twice", r.ID)
		}
		to = append(to, p)
	}
	if len(to) > 0 {
		slices.Sort(to)
		return to, nil
	}
	for _, s := range r.Sources {
		p, err := control.HostPort(sw, r.ID, s, fixSource)
		if err != nil {
			return nil, err
		}
		to = append(to, sansio.Port(p.Index))
	}
	return slices.Compact(slices.Sorted(slices.Values(to))), nil
}

// added shows the job record of one PFE.
func added(sw *plan.Switch, j *program.Job) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "sources", Name: "sources"}, {Key: "source_ids", Name: "src_ids"},
		{Key: "out_src_id", Name: "out src_id"}, {Key: "result_group", Name: "results to"}, {Key: "result_ports", Name: "by ports"},
	}}
	t.Add(dataplane.Int(len(j.Sources)), dataplane.Text(listed(j.Sources)), dataplane.Int(j.OutSource),
		dataplane.Text(j.Out.Dst.String()), dataplane.Text(control.PortNames(sw, j.To)))
	return t
}
