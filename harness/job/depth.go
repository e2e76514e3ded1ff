package job

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Depth returns the deepest queue before a line to or from a host of a job that shares its lab, without the
// 1% of the time at which it was deepest; of the only job of a lab it is zero, as links.csv says it.
func (s *Set) Depth(j *Job, links []result.Link) (depth units.Bytes) {
	if len(s.Jobs) < 2 {
		return 0
	}
	for _, h := range j.Members() {
		for i := range links {
			if l := &links[i]; l.At(h.Name) {
				depth = max(depth, l.P99)
			}
		}
	}
	return depth
}
