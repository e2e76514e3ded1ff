package streamtest

import (
	"fmt"

	"github.com/inalab/inalab/nodes/stream"
)

// Meet says whether both ends of every stream of so many hosts agree on it, and numbers differ within
// a host. It returns how many ends there are.
func Meet(hosts int, peers func(host int) []stream.Peer) (ends int, err error) {
	for h := range hosts {
		taken := map[uint16]bool{}
		for _, p := range peers(h) {
			if taken[p.Local] {
				return 0, fmt.Errorf("host %d has number %d twice", h, p.Local)
			}
			taken[p.Local] = true
			ends++
			if n := answers(h, p, peers(p.Host)); n != 1 {
				return 0, fmt.Errorf("%d ends answer to %+v of host %d, want 1", n, p, h)
			}
		}
	}
	return ends, nil
}

// answers counts the ends of a host's peer that belong to the stream.
func answers(host int, p stream.Peer, theirs []stream.Peer) (n int) {
	for _, q := range theirs {
		if q.Host == host && q.Local == p.Remote && q.Remote == p.Local && q.Passive != p.Passive {
			n++
		}
	}
	return n
}
