package live

import (
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

// tell answers a question of the parent.
func (d *desk) tell() error {
	a := Answer{Busy: true}
	d.Ask(d.dev, answerPatience, func() { a.Busy = false })
	return d.ctl.Answer(a)
}
