package live

import (
	"context"
	"sync"
	"time"

	"github.com/inalab/inalab/internal/pktio"
)

// desk answers the parent while a server is driven.
type desk struct {
	pktio.Desk
	dev pktio.Device
	ctl Control
}

// answerPatience is how long a question waits for the loop.
const answerPatience = time.Second

// open answers questions until the function that it returns is called, which
// returns the first failure to speak to the parent.
func (d *desk) open(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	var answering sync.WaitGroup
	var err error
	answering.Go(func() {
		for err == nil && d.ctl.AwaitAsk(ctx) == nil {
			a := Answer{Busy: true}
			d.Ask(d.dev, answerPatience, func() { a.Busy = false })
			err = d.ctl.Answer(a)
		}
	})
	return func() error {
		cancel()
		answering.Wait()
		return err
	}
}
