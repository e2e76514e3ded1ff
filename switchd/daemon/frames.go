package daemon

import (
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// singleFrames has a device send results frame by frame and without a UDP checksum,
// which UDP allows. A client that takes over an interface is no kernel: of a train
// that leaves as one packet, for the far end to cut, it would see one frame longer than
// any it knows.
type singleFrames struct {
	pktio.Device
	from    uint16 // UDP port of results
	out     []sansio.Send
	headers []byte // of the results at hand
}

// serviceDevice returns the device to send by: dev itself where no such clients come.
func (d *daemon) serviceDevice(dev pktio.Device) pktio.Device {
	if d.cfg.Service == nil || d.cfg.Service.FramesFrom == 0 {
		return dev
	}
	return &singleFrames{Device: dev, from: d.cfg.Service.FramesFrom}
}

// Send sends by the device.
func (d *singleFrames) Send(sends []sansio.Send) error {
	d.out, d.headers = append(d.out[:0], sends...), d.headers[:0]
	for i := range d.out {
		t := &d.out[i].Train
		if t.Checksum != sansio.ChecksumPartial {
			continue
		}
		if l, problem := t.Layout(); problem == inet.OK && l.Proto == inet.ProtoUDP && inet.UDP(t.Header[l.Transport:]).SrcPort() == d.from {
			lo := len(d.headers)
			d.headers = append(d.headers, t.Header...)
			t.Header, t.Checksum = d.headers[lo:len(d.headers):len(d.headers)], sansio.ChecksumAsIs
			inet.UDP(t.Header[l.Transport:]).SetChecksum(0)
		}
	}
	err := d.Device.Send(d.out)
	clear(d.out)
	return err
}
