package live

import (
	"context"
	"errors"
	"time"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/topo/plan"
)

// Realise brings the namespaces and links of a plan up and down again, without
// any process, and returns how long each took: from the first request to the
// last link ready, and to everything gone.
func Realise(ctx context.Context, lab string, p *plan.Plan, opt netns.Options) (up, down time.Duration, err error) {
	began := time.Now()
	l, err := netns.Up(ctx, LabSpec(lab, p, true), opt)
	if err != nil {
		return 0, 0, err
	}
	up = time.Since(began)
	began = time.Now()
	err = errors.Join(Cleanup(l.Down()), ctx.Err())
	return up, time.Since(began), err
}
