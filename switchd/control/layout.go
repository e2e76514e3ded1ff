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
	"github.com/inalab/inalab/topo/plan"
)

// pfeSource is the src_id of PFE 0 where it is a source of the level above; hosts
// have their number.
const pfeSource = 200

// part is what one engine has to do for a job.
type part struct {
	pfe int
	job dataplane.Job
}

// layOut lays a job out over the engines of a switch, the top level first. With pfe
// not negative the whole job is on that one, and its sources need not be hosts.
func layOut(sw *plan.Switch, pfe int, j *Job) ([]part, error) {
	if r := checkIDs(j); r != nil {
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

// checkIDs checks what a layout needs to be right; engines check the rest.
func checkIDs(j *Job) *dataplane.Refusal {
	switch {
	case j.ID < 0 || j.ID > dataplane.MaxJobID:
		return dataplane.Refuse(dataplane.RefusedID, "use 0 to 255", "job id %d does not fit its 8 bits", j.ID)
	case len(j.Sources) == 0:
		return dataplane.Refuse(dataplane.RefusedNoSources, "name 1 to 255", "job %d has no sources", j.ID)
	case len(j.Sources) > dataplane.MaxJobSources:
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
	return part{pfe, dataplane.Job{
		ID: l.job.ID, Sources: sources, BlockMax: l.job.BlockMax, GradMax: l.job.GradMax, Out: l.out, To: to, OutSrc: outSrc,
	}}
}

// levels puts the job on the PFEs of its hosts, and on the top one above them
// where there are several.
func (l *layout) levels(to []sansio.Port) ([]part, error) {
	below := make([][]int, l.pfes())
	for _, s := range l.job.Sources {
		p, err := l.host(s)
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
		id := l.sourceOf(i, parts[0].job.Sources)
		parts[0].job.Sources = append(parts[0].job.Sources, id)
		parts = append(parts, l.part(i, below[i], []sansio.Port{dataplane.Fabric(top)}, id))
	}
	return parts, nil
}

// sourceOf returns a src_id for a PFE that the top level does not know yet.
func (l *layout) sourceOf(pfe int, taken []int) int {
	id := pfeSource + pfe
	for slices.Contains(taken, id) {
		id = (id + 1) % (dataplane.MaxJobSource + 1)
	}
	return id
}

func (l *layout) pfes() int {
	if l.sw.Chassis == nil {
		return 1
	}
	return len(l.sw.Chassis.PFEs)
}

// host returns the port of a host by its number.
func (l *layout) host(n int) (*plan.Port, error) {
	var have []string
	for i := range l.sw.Ports {
		p := &l.sw.Ports[i]
		if !p.Wired || p.PeerHost == plan.None {
			continue
		}
		if p.PeerHost == n {
			return p, nil
		}
		have = append(have, fmt.Sprint(p.PeerHost))
	}
	return nil, dataplane.Refuse(dataplane.RefusedSource, "name hosts of the switch, or a PFE and its result ports",
		"job %d: source %d is no host of %s, which has hosts %s", l.job.ID, n, l.sw.Name, strings.Join(have, ", "))
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
		p, err := l.host(s)
		if err != nil {
			return nil, err
		}
		to = append(to, sansio.Port(p.Index))
	}
	return slices.Compact(slices.Sorted(slices.Values(to))), nil
}

// named returns a front-panel port, or the way across the fabric to a PFE.
func (l *layout) named(name string) (sansio.Port, error) {
	var have []string
	for i := range l.sw.Ports {
		if p := &l.sw.Ports[i]; p.Wired {
			if p.Name == name {
				return sansio.Port(i), nil
			}
			have = append(have, p.Name)
		}
	}
	if l.sw.Chassis != nil {
		for i, p := range l.sw.Chassis.PFEs {
			if p.Name == name {
				return dataplane.Fabric(i), nil
			}
			have = append(have, p.Name)
		}
	}
	return 0, dataplane.Refuse(dataplane.RefusedPorts, "name one of "+strings.Join(have, ", ")+suggest.DidYouMean(name, have),
		"job %d: %s has no port %q with a link", l.job.ID, l.sw.Name, name)
}
