package parity

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
)

// counter is one counter of one node.
type counter struct{ node, name string }

// excepted reports whether a counter may differ between the clocks though both
// runs are right.
func (c counter) excepted() bool {
	switch {
	case hasPrefix(c.name, "tcp-", "roce-", "stream-", "resent-"):
		// Live, byte streams are the kernel's TCP, which tells of its
		// retransmissions alone; when it sends what, also again, is a matter of its own
		// timing.
		return true
	case hasPrefix(c.name, "forward/"):
		// Live hosts have kernels, which join groups and resolve addresses. Hosts
		// under the virtual clock do neither.
		return true
	case strings.Contains(c.name, "pfe-timer-run"):
		// Timers run by the clock: the longer a run takes, the more of them.
		return true
	case strings.HasSuffix(c.node, "/device"):
		return true // sockets and their rings exist live only
	}
	return false
}

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// Messages compares the counters of switches and workers, which count messages
// by type and drops by reason, exceptions aside. A counter that a node does not
// show stands at 0. The order of differences is that of nodes and names.
func Messages(a, b Run[[]result.Counter]) Result {
	x, y := count(a.Of), count(b.Of)
	all := maps.Clone(x)
	maps.Copy(all, y)
	var r Result
	for _, c := range slices.SortedFunc(maps.Keys(all), compare) {
		r.Compared++
		if x[c] != y[c] {
			r.differs("%s, %s: %d in the %s run, %d in the %s run", c.node, c.name, x[c], a.Name, y[c], b.Name)
		}
	}
	return r
}

func compare(a, b counter) int {
	return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.name, b.name))
}

// count adds counters up that stand more than once.
func count(list []result.Counter) map[counter]uint64 {
	out := map[counter]uint64{}
	for _, n := range list {
		if c := (counter{n.Node, n.Name}); !c.excepted() {
			out[c] += n.N
		}
	}
	return out
}
