package daemon

import (
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/topo/plan"
)

// panel gives the ports of a device, which are the wired ones counted through,
// the numbers that they have on the switch.
type panel struct {
	pktio.Device
	toPanel  []sansio.Port // by port of the device
	toDevice []sansio.Port // by port of the switch; one too many where it has no link
	in       []sansio.Arrival
	out      []sansio.Send
	lists    []sansio.Port // memory of the lists in out
}

// newPanel returns dev itself where the numbers are the same.
func newPanel(dev pktio.Device, ports []plan.Port) pktio.Device {
	p := &panel{Device: dev, toDevice: make([]sansio.Port, len(ports))}
	for i := range ports {
		p.toDevice[i] = sansio.Port(len(ports))
		if ports[i].Wired {
			p.toDevice[i] = sansio.Port(len(p.toPanel))
			p.toPanel = append(p.toPanel, sansio.Port(i))
		}
	}
	if len(p.toPanel) == len(ports) {
		return dev
	}
	return p
}

// Recv receives from the device.
func (p *panel) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	in, err := p.Device.Recv(wait)
	p.in = append(p.in[:0], in...)
	for i := range p.in {
		p.in[i].Port = p.toPanel[p.in[i].Port]
	}
	return p.in, err
}

// Send sends by the device.
func (p *panel) Send(sends []sansio.Send) error {
	p.out, p.lists = append(p.out[:0], sends...), p.lists[:0]
	for i := range p.out {
		lo := len(p.lists)
		for _, at := range p.out[i].To {
			p.lists = append(p.lists, p.toDevice[at])
		}
		p.out[i].To = p.lists[lo:len(p.lists):len(p.lists)]
	}
	err := p.Device.Send(p.out)
	clear(p.out)
	return err
}
