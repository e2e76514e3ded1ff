package control

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// Link is what one direction of the link at a port is to be from now on.
type Link struct {
	Port      string        `json:"port"` // by name
	Direction Direction     `json:"direction"`
	Spec      topo.LinkSpec `json:"spec"`
}

func (l *Link) set(now units.Time, sw Switch) error {
	if l.Direction != In && l.Direction != Out {
		return fmt.Errorf("direction %q: allowed are %s, %s", l.Direction, In, Out)
	}
	port, have := wiredPort(sw.Plan(), l.Port)
	if port == nil {
		return fmt.Errorf("%s has no port %q with a link: there are %s%s", sw.Plan().Name, l.Port, strings.Join(have, ", "), suggest.DidYouMean(l.Port, have))
	}
	return sw.SetLink(now, port.Index, l.Direction == In, l.Spec)
}
