package job

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Aggregations returns what the servers of the set's jobs added by interval, in a run that ended at a time, by
// job: what came in sums of switches, and what came alone. A job whose servers do not say has none.
func (s *Set) Aggregations(added [][]*result.Added, end units.Time) [][]result.Aggregation {
	interval, out := s.Interval(), make([][]result.Aggregation, len(s.Jobs))
	var all []*result.Series
	for i, j := range s.Jobs {
		var switches, servers []*result.Series
		for _, a := range added[i] {
			if a != nil {
				switches, servers = append(switches, a.InSwitches), append(servers, a.AtServers)
			}
		}
		if len(servers) == 0 {
			continue
		}
		out[i] = []result.Aggregation{
			{Kind: result.KindSwitch, Name: j.Name, Series: sum(interval, switches...)},
			{Kind: result.KindServer, Name: j.Name, Series: sum(interval, servers...)},
		}
		for k := range out[i] {
			all = append(all, &out[i][k].Series)
		}
	}
	result.Align(end, all...)
	return out
}
