package experiments

import (
	"strings"

	"github.com/inalab/inalab/reports/claims"
)

const (
	needsTofino = "needs the Tofino pipeline"
	needsPools  = "needs a SwitchML program with a pool for each job"
	needsLevels = "needs SwitchML over two levels of switches"
	needsLivePS = "needs a parameter server on real packets"
)

// missing says what claims wait for that no experiment measures, by id or by
// what ids begin with; the first that fits counts.
var missing = []struct{ prefix, waitsFor string }{
	{"atp", "ATP is not built"},
	{"xagg", "XAgg is not built"},

	{"trio.s6.1.single-pipeline-best", needsTofino},

	{"switchml.s1.line-rate", needsTofino},
	{"switchml.s5.recirc-latency", needsTofino},
	{"switchml.s5.read-width", needsTofino},
	{"switchml.s4.5.hier-loss", needsLevels},
	{"switchml.s7.hier-optimal", needsLevels},
	{"switchml.s7.multi-job", needsPools},
	{"switchml.s3.sub-rtt", needsLivePS},
	{"switchml.s6.1.dedicated-ps", needsLivePS},
	{"switchml.appB.rdma-retx", "needs the RDMA variant of SwitchML"},
}

// waitsFor returns what a claim waits for.
func waitsFor(id claims.ID) string {
	for _, m := range missing {
		if string(id) == m.prefix || strings.HasPrefix(string(id), m.prefix+".") {
			return m.waitsFor
		}
	}
	return ""
}
