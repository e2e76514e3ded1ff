package control

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo/plan"
)

// Layouter lays jobs that are asked for at run time over the engines of a switch. The
// system whose programs the switch runs is one, if its jobs may come and go.
type Layouter interface {
	// Protocol names what its jobs speak, as people call it.
	Protocol() string
	// LayOut lays a job over the engines of a switch. With pfe not negative the whole
	// job is on that one. The job is as the system defines it, and is read strictly. An
	// error that the asker can mend is a [*dataplane.Refusal].
	LayOut(sw *plan.Switch, pfe int, job json.RawMessage) (Layout, error)
}

// Layout is a job laid over the engines of a switch.
type Layout struct {
	ID    int
	Parts []Part // the top level first
	Name  string // of the tables of its parts, for programs: "switch.job.added"
	Note  string // about the job, for people; may be empty

	Groups []forward.Group // multicast groups that hosts send to, while the job is there
}

// Part is what one engine has to do for a job.
type Part struct {
	PFE      int
	Document dataplane.Document
	Table    dataplane.Table // what is said of it once it is there
}

// Added says what was set up of a job.
type Added struct {
	Name   string        `json:"name"`
	Note   string        `json:"note,omitempty"`
	Tables []EngineTable `json:"tables"` // from the top down
}

// CheckID refuses the id of a job that has more than 8 bits.
func CheckID(id int) *dataplane.Refusal {
	if id < 0 || id > dataplane.MaxJobID {
		return dataplane.Refuse(dataplane.RefusedID, "use 0 to 255", "job id %d does not fit its 8 bits", id)
	}
	return nil
}

// PortNames lists ports by name, and PFEs across the fabric.
func PortNames(sw *plan.Switch, to []sansio.Port) string {
	names := make([]string, len(to))
	for i, p := range to {
		if pfe, ok := dataplane.IsFabric(p); ok {
			names[i] = sw.Chassis.PFEs[pfe].Name
		} else {
			names[i] = sw.Ports[p].Name
		}
	}
	return strings.Join(names, ",")
}

// HostPort returns the port of a host of a switch by the host's number. If there is no
// such host, fix says what to do.
func HostPort(sw *plan.Switch, job, host int, fix string) (*plan.Port, error) {
	var have []string
	for i := range sw.Ports {
		p := &sw.Ports[i]
		if !p.Wired || p.PeerHost == plan.None {
			continue
		}
		if p.PeerHost == host {
			return p, nil
		}
		have = append(have, fmt.Sprint(p.PeerHost))
	}
	return nil, dataplane.Refuse(dataplane.RefusedSource, fix, "job %d: source %d is no host of %s, which has hosts %s", job, host, sw.Name, strings.Join(have, ", "))
}

// NamedPort returns the front-panel port of a name, which must have a link, or where
// fabric is set the way across the fabric to a PFE of that name.
func NamedPort(sw *plan.Switch, job int, name string, fabric bool) (sansio.Port, error) {
	p, have := wiredPort(sw, name)
	if p != nil {
		return sansio.Port(p.Index), nil
	}
	if fabric && sw.Chassis != nil {
		at := slices.IndexFunc(sw.Chassis.PFEs, func(p plan.PFE) bool { return p.Name == name })
		if at >= 0 {
			return dataplane.Fabric(at), nil
		}
		for _, p := range sw.Chassis.PFEs {
			have = append(have, p.Name)
		}
	}
	return 0, dataplane.Refuse(dataplane.RefusedPorts, "name one of "+strings.Join(have, ", ")+suggest.DidYouMean(name, have),
		"job %d: %s has no port %q with a link", job, sw.Name, name)
}
