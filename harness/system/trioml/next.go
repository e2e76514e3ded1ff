package trioml

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// fixNext is what to do about a next switch that cannot be.
const fixNext = "give the router address of another switch, as inalab inspect shows it"

// ascend has the results of a switch go to the router address of the next one (Trio §4), as
// ordinary packets. Without a next one it changes nothing.
func (r *Request) ascend(sw *plan.Switch, record *program.Job) error {
	if !r.Next.IsValid() {
		return nil
	}
	if r.OutSrc == nil {
		return dataplane.Refuse(dataplane.RefusedSource, "give an out_src_id that no other source there has, as 200", "job %d: the next switch has to tell its sources apart", r.ID)
	}
	hop, ok := sw.RouteTo(r.Next)
	if !ok || !r.Next.Is4() {
		return dataplane.Refuse(dataplane.RefusedResult, fixNext, "job %d: %s has no route to %v", r.ID, sw.Name, r.Next)
	}
	record.Out = inet.Flow{
		SrcMAC: inet.MAC(sw.Ports[hop.Port].MAC), DstMAC: inet.MAC(hop.MAC), Src: sw.Router, Dst: r.Next, SrcPort: wire.Port, DstPort: wire.Port,
	}
	record.To = []sansio.Port{sansio.Port(hop.Port)}
	return nil
}

// forwarded returns the group that final results come by from the switches above, which the switch forwards to
// the ports of the request while the job is there.
func (r *Request) forwarded(sw *plan.Switch) ([]forward.Group, error) {
	if !r.Next.IsValid() {
		return nil, nil
	}
	to, err := r.ports(sw)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(to, func(p sansio.Port) bool { _, pfe := dataplane.IsFabric(p); return pfe }); i >= 0 {
		return nil, dataplane.Refuse(dataplane.RefusedPorts, "name front-panel ports, or leave them out", "job %d: results of the next switch cannot be forwarded to a PFE", r.ID)
	}
	return []forward.Group{{Addr: r.group(), Ports: to}}, nil
}
