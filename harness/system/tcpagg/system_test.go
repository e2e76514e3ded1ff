package tcpagg

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
)

// spec is a job of so many workers, and of the servers that the system needs.
func spec(t *testing.T, s System, workers int) job.Spec {
	t.Helper()
	out := jobtest.Staffed(t, s, "rack", workers)
	out.Virtual = true
	return out
}

// Hosts have streams along the tree, the PS is the last one, and sums have streams of their own where
// that is asked for.
func TestStreams(t *testing.T) {
	for _, c := range []struct {
		system System
		want   string
	}{
		{System{}, "h0:7 h1:7 h2:7 h3:8 h4:8 h5:8 h6:9 h7:9,0,1,2 h8:9,3,4,5 h9:6,7,8"},
		{System{Tree: aggtree.Testbed}, "h0:7 h1:7 h2:7 h3:8 h4:8 h5:8 h6:9 h7:9,0,1,2 h8:9,3,4,5 h9:6,7,8"},
		{System{Tree: aggtree.Star}, "h0:7 h1:7 h2:7 h3:7 h4:7 h5:7 h6:7 h7:0,1,2,3,4,5,6"},
		{System{K: 5, Direct: true}, "h0:7,9 h1:7,9 h2:7,9 h3:7,9 h4:7,9 h5:8,9 h6:8,9 h7:9,0,1,2,3,4 h8:9,5,6 h9:7,8,0,1,2,3,4,5,6"},
	} {
		j := jobtest.New(t, spec(t, c.system, 7))
		var got []string
		for h, peers := range j.Layout.Peers {
			var to []string
			for _, p := range peers {
				to = append(to, fmt.Sprint(p.Host))
			}
			got = append(got, fmt.Sprintf("h%d:%s", h, strings.Join(to, ",")))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%+v has streams %s, want %s", c.system, text, c.want)
		}
		if n := len(j.ServerConfigs()); n != c.system.Servers(7) || len(j.Layout.Notes) != 1 {
			t.Errorf("%+v: %d servers, notes %q", c.system, n, j.Layout.Notes)
		}
	}
}

// The analytic time, worked out by hand for 4096 elements by RoCE on links of 1 Gbit/s: packets of
// 4096 bytes, with 58 of headers and 24 of framing, on the busiest link.
func TestTime(t *testing.T) {
	packets := func(n int) units.Duration { return units.Duration(n*(58+4096+24)*8) * units.Nanosecond }
	for _, c := range []struct {
		system  System
		tensors int
	}{
		{System{}, 4},             // a server: three gradients and the sums
		{System{Direct: true}, 7}, // the PS: sums to each worker
		{System{Tree: aggtree.Star}, 7},
	} {
		c.system.Transport = stream.RoCE
		if got, want := jobtest.New(t, spec(t, c.system, 7)).Layout.Time, packets(4*c.tensors); got != want {
			t.Errorf("%+v takes %v, want %v", c.system, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*job.Spec){
		"tcpagg needs 3 hosts for servers beside 7 workers, but topology rack has 0: tcpagg.tree and tcpagg.k say": func(s *job.Spec) { s.Plan, s.Servers = jobtest.Plan(t, "rack", 7), 0 },
		"host ids have 32 bits": func(s *job.Spec) { s.Plan, s.Servers = jobtest.Plan(t, "rack", 33), 1 },
		"tcpagg over RoCE runs under the virtual clock only": func(s *job.Spec) {
			s.System, s.Virtual = System{Transport: stream.RoCE}, false
		},
	} {
		s := spec(t, System{}, 7)
		change(&s)
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
