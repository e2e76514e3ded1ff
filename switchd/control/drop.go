package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// lossyEngine is an engine with a drop simulator.
type lossyEngine struct {
	pfe  int
	name string
	dataplane.Lossy
}

// lossy returns the engines with one that a request concerns, by PFE.
func lossy(sw Switch, pfe int) (out []lossyEngine, err error) {
	pfes, err := concerned(sw, pfe)
	if err != nil {
		return nil, err
	}
	for _, i := range pfes {
		if l, ok := sw.Engine(i).(dataplane.Lossy); ok {
			out = append(out, lossyEngine{i, sw.PFEs()[i], l})
		}
	}
	if len(out) == 0 {
		return nil, dataplane.Refuse(dataplane.RefusedNoDrops, "run SwitchML, or give the link a loss in the scenario",
			"no program of %s has a drop simulator", sw.Plan().Name)
	}
	return out, nil
}

// changeDrops changes what ports lose, and lists all.
func changeDrops(sw Switch, pfe int, change func(Switch, []lossyEngine) error, out *Response) error {
	engines, err := lossy(sw, pfe)
	if err != nil {
		return err
	}
	if err := change(sw, engines); err != nil {
		return err
	}
	out.Drops = drops(sw, engines)
	return nil
}

// set sets what one port loses, if anything is to be set.
func (d *Drop) set(sw Switch, engines []lossyEngine) error {
	if d == nil {
		return nil
	}
	if d.Direction != In && d.Direction != Out {
		return fmt.Errorf("direction %q: allowed are %s, %s", d.Direction, In, Out)
	}
	port, have := wiredPort(sw.Plan(), d.Port)
	if port == nil {
		return fmt.Errorf("%s has no port %q with a link: there are %s%s", sw.Plan().Name, d.Port, strings.Join(have, ", "), suggest.DidYouMean(d.Port, have))
	}
	at := slices.IndexFunc(engines, func(e lossyEngine) bool { return e.pfe == max(0, port.PFE) })
	if at < 0 {
		return dataplane.Refuse(dataplane.RefusedNoDrops, "choose a port of a PFE that has one", "the PFE of port %s of %s has no drop simulator, or is not the one asked for", d.Port, sw.Plan().Name)
	}
	e := engines[at]
	if err := e.Lose(dataplane.Loss{Port: sansio.Port(port.Index), Leaving: d.Direction == Out, Probability: d.Probability}); err != nil {
		return err
	}
	if d.Seed != nil {
		return e.ReseedLosses(sansio.Port(port.Index), d.Direction == Out, *d.Seed)
	}
	return nil
}

// wiredPort returns the port of a name that has a link. If there is none it is nil, and
// have lists all that have one.
func wiredPort(sw *plan.Switch, name string) (at *plan.Port, have []string) {
	for i := range sw.Ports {
		p := &sw.Ports[i]
		if p.Wired && p.Name == name {
			return p, nil
		}
		if p.Wired {
			have = append(have, p.Name)
		}
	}
	return nil, have
}

// clearDrops ends what is set.
func clearDrops(_ Switch, engines []lossyEngine) error {
	for _, e := range engines {
		for _, l := range e.Losses() {
			l.Probability = 0
			if err := e.Lose(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// drops lists what is set, by PFE and port.
func drops(sw Switch, engines []lossyEngine) (out []Dropping) {
	for _, e := range engines {
		for _, l := range e.Losses() {
			d := Dropping{e.name, sw.Plan().Ports[l.Port].Name, In, l.Probability}
			if l.Leaving {
				d.Direction = Out
			}
			out = append(out, d)
		}
	}
	return out
}
