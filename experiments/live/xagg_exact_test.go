package live

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// A training with XAgg goes on without an aggregator that is killed, and every sum is right.
func TestXAggFailover(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	lab := newTestLab(t)
	f, err := runXAggFailover(t.Context(), lab)
	if err != nil {
		t.Fatal(err)
	}
	x := xaggFailover()
	experimenttest.Judge(t, &x, lab.env, &f)
}
