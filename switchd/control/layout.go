package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchmljob"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// pfeSource is the src_id of PFE 0 where it is a source of the level above; hosts
// have their number.
const pfeSource = 200

// part is what one engine has to do for a job, in one of the two documents.
type part struct {
	pfe      int
	to       []sansio.Port // that results leave by
	trio     *trioml.Document
	switchml *switchmljob.Job
}

func (p *part) document() dataplane.Document {
	if p.switchml != nil {
		return p.switchml
	}
	return p.trio
}

// layOut lays a job out over the engines of a switch, the top level first.
func layOut(sw *plan.Switch, pfe int, j *Job) ([]part, error) {
	if j.ID < 0 || j.ID > dataplane.MaxJobID {
		return nil, dataplane.Refuse(dataplane.RefusedID, "use 0 to 255", "job id %d does not fit its 8 bits", j.ID)
	}
	if j.SwitchML != nil {
		return layOutSwitchML(sw, pfe, j)
	}
	return layOutTrio(sw, pfe, j)
}

// layOutTrio lays a job of Trio-ML out. With pfe not negative the whole job is on
// that one, and its sources need not be hosts.
func layOutTrio(sw *plan.Switch, pfe int, j *Job) ([]part, error) {
	if r := checkSources(j); r != nil {
		return nil, r
	}
	group := j.Group
	if !group.IsValid() {
		group = plan.Group(uint16(j.ID))
	}
	if !group.Is4() || !group.IsMulticast() {
		return nil, dataplane.Refuse(dataplane.RefusedResult, "use one of 224.0.1.0 to 239.255.255.255", "job %d: %v is no IPv4 multicast group", j.ID, group)
	}
	l := layout{sw: sw, job: j, out: inet.Flow{
		SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MulticastMAC(group), Src: sw.Router, Dst: group, SrcPort: wire.Port, DstPort: wire.Port,
	}}
	to, err := l.ports(pfe)
	if err != nil {
		return nil, err
	}
	if pfe >= 0 {
		source := pfeSource + pfe
		if j.OutSrc != nil {
			source = *j.OutSrc
		}
		return []part{l.part(pfe, j.Sources, to, source)}, nil
	}
	if j.OutSrc != nil {
		return nil, dataplane.Refuse(dataplane.RefusedSource, "name the PFE that it is for, or leave it out", "job %d: an out_src_id belongs to one PFE", j.ID)
	}
	return l.levels(to)
}

// checkSources checks what a layout needs to be right; engines check the rest.
func checkSources(j *Job) *dataplane.Refusal {
	switch {
	case len(j.Sources) == 0:
		return dataplane.Refuse(dataplane.RefusedNoSources, "name 1 to 255", "job %d has no sources", j.ID)
	case len(j.Sources) > trioml.MaxJobSources:
		return dataplane.Refuse(dataplane.RefusedManySources, "name at most 255: rcvd_cnt has 8 bits", "job %d has %d sources", j.ID, len(j.Sources))
	}
	return nil
}

// layout is a job on its way to the engines.
type layout struct {
	sw  *plan.Switch
	job *Job
	out inet.Flow
}

func (l *layout) part(pfe int, sources []int, to []sansio.Port, outSrc int) part {
	return part{pfe: pfe, to: to, trio: &trioml.Document{
		ID: l.job.ID, Sources: sources, BlockMax: l.job.BlockMax, GradMax: l.job.GradMax, Out: l.out, To: to, OutSrc: outSrc,
	}}
}

// levels puts the job on the PFEs of its hosts, and on the top one above them
// where there are several.
func (l *layout) levels(to []sansio.Port) ([]part, error) {
	below := make([][]int, l.pfes())
	for _, s := range l.job.Sources {
		p, err := host(l.sw, l.job.ID, s, fixSource)
		if err != nil {
			return nil, err
		}
		i := max(0, p.PFE)
		below[i] = append(below[i], s)
	}
	var leaves []int
	for i, sources := range below {
		if len(sources) > 0 {
			leaves = append(leaves, i)
		}
	}
	if len(leaves) == 1 {
		return []part{l.part(leaves[0], l.job.Sources, to, pfeSource+leaves[0])}, nil
	}
	top := l.sw.Chassis.Top
	parts := []part{l.part(top, below[top], to, pfeSource+top)}
	for _, i := range leaves {
		if i == top {
			continue
		}
		id := l.sourceOf(i, parts[0].trio.Sources)
		parts[0].trio.Sources = append(parts[0].trio.Sources, id)
		parts = append(parts, l.part(i, below[i], []sansio.Port{dataplane.Fabric(top)}, id))
	}
	return parts, nil
}

// sourceOf returns a src_id for a PFE that the top level does not know yet.
func (l *layout) sourceOf(pfe int, taken []int) int {
	id := pfeSource + pfe
	for slices.Contains(taken, id) {
		id = (id + 1) % (trioml.MaxJobSource + 1)
	}
	return id
}

func (l *layout) pfes() int {
	if l.sw.Chassis == nil {
		return 1
	}
	return len(l.sw.Chassis.PFEs)
}

// fixSource is what to do about a source of Trio-ML that is no host.
const fixSource = "name hosts of the switch, or a PFE and its result ports"

// host returns the port of a host of a switch by its number.
func host(sw *plan.Switch, job, n int, fix string) (*plan.Port, error) {
	var have []string
	for i := range sw.Ports {
		p := &sw.Ports[i]
		if !p.Wired || p.PeerHost == plan.None {
			continue
		}
		if p.PeerHost == n {
			return p, nil
		}
		have = append(have, fmt.Sprint(p.PeerHost))
	}
	return nil, dataplane.Refuse(dataplane.RefusedSource, fix, "job %d: source %d is no host of %s, which has hosts %s", job, n, sw.Name, strings.Join(have, ", "))
}

// ports returns what results leave by: the ports that were named, or those of the
// sources.
func (l *layout) ports(pfe int) (to []sansio.Port, err error) {
	for _, name := range l.job.Ports {
		p, err := l.named(name)
		if err != nil {
			return nil, err
		}
		to = append(to, p)
	}
	if len(to) > 0 {
		slices.Sort(to)
		if len(slices.Compact(slices.Clone(to))) < len(to) {
			return nil, dataplane.Refuse(dataplane.RefusedPorts, "name it once", "job %d names a port of its results twice", l.job.ID)
		}
		return to, nil
	}
	for _, s := range l.job.Sources {
		p, err := host(l.sw, l.job.ID, s, fixSource)
		if err != nil {
			return nil, err
		}
		to = append(to, sansio.Port(p.Index))
	}
	return slices.Compact(slices.Sorted(slices.Values(to))), nil
}

// named returns a front-panel port, or the way across the fabric to a PFE.
func (l *layout) named(name string) (sansio.Port, error) {
	at, have := wired(l.sw, name)
	if at != nil {
		return sansio.Port(at.Index), nil
	}
	if l.sw.Chassis != nil {
		for i, p := range l.sw.Chassis.PFEs {
			if p.Name == name {
				return dataplane.Fabric(i), nil
			}
			have = append(have, p.Name)
		}
	}
	return 0, noPort(l.sw, l.job.ID, name, have)
}

// wired returns the front-panel port of a name, if it has a link; else nil, and
// those that have.
func wired(sw *plan.Switch, name string) (p *plan.Port, have []string) {
	for i := range sw.Ports {
		if p := &sw.Ports[i]; p.Wired {
			if p.Name == name {
				return p, nil
			}
			have = append(have, p.Name)
		}
	}
	return nil, have
}

func noPort(sw *plan.Switch, job int, name string, have []string) error {
	return dataplane.Refuse(dataplane.RefusedPorts, "name one of "+strings.Join(have, ", ")+suggest.DidYouMean(name, have),
		"job %d: %s has no port %q with a link", job, sw.Name, name)
}
