package afpacket

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
)

// Bounds of one Recv, assumed: enough to spread the cost of a round, few enough
// that a port does not wait long while another floods.
const (
	recvBatch = 64 // packets of all ports
	recvQuota = 16 // packets of one port before the others have their turn
)

// spinBelow is the wait that is spun instead of slept: a sleep of any length
// costs 4 to 12 us.
const spinBelow = 4 * time.Microsecond

// Recv implements [pktio.Device]. The arrivals borrow the memory of the packet
// rings, which stay shorter by these frames until the next Recv.
func (d *Device) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	if d.closed {
		return nil, os.ErrClosed
	}
	if d.suspect {
		d.suspect = false
		if err := d.checkAll(); err != nil {
			return nil, err
		}
	}
	err := d.collect()
	switch {
	case err != nil || len(d.in) > 0 || wait == 0:
		return d.in, err
	case wait > 0 && wait < spinBelow:
		return d.spin(wait)
	}
	return d.await(wait)
}

func (d *Device) spin(wait time.Duration) ([]sansio.Arrival, error) {
	for start := time.Now(); time.Since(start) < wait; {
		if err := d.collect(); err != nil || len(d.in) > 0 {
			return d.in, err
		}
	}
	return nil, nil
}

// await sleeps until something happens. Readiness that brings no train (a drop,
// an error that was cleared) starts another wait for what is left.
func (d *Device) await(wait time.Duration) ([]sansio.Arrival, error) {
	start, left := time.Now(), wait
	for {
		outcome, err := d.poller.Wait(left)
		if err != nil || outcome == poll.TimedOut {
			return nil, err
		}
		if err := d.collect(); err != nil || len(d.in) > 0 || outcome == poll.Woken {
			return d.in, err
		}
		if err := d.checkReady(); err != nil {
			return nil, err
		}
		if wait > 0 {
			left = max(0, wait-time.Since(start))
		}
	}
}

// collect ends the life of the last arrivals and gathers what has come since,
// without waiting.
func (d *Device) collect() error {
	d.giveBack()
	if d.plain != nil {
		return d.collectPlain()
	}
	idle := 0
	for taken := 0; idle < len(d.ports) && taken < recvBatch; {
		n := d.drain(d.turn, min(recvQuota, recvBatch-taken))
		taken += n
		if n == 0 {
			idle++
		} else {
			idle = 0
		}
		if d.turn++; d.turn == len(d.ports) {
			d.turn = 0
		}
	}
	return nil
}

// drain takes up to most packets from the ring of port i.
func (d *Device) drain(i, most int) (n int) {
	p := d.ports[i]
	for n < most {
		s, ok := p.ring.take()
		if !ok {
			break
		}
		n++
		t, reason := s.train()
		d.arrive(sansio.Port(i), t, reason)
	}
	if n > 0 {
		d.lenders = append(d.lenders, i)
	}
	return n
}

// train reads the train out of a frame of a ring.
func (s slot) train() (sansio.Train, string) {
	h := s.header()
	mac := int(h.Mac)
	if h.Snaplen < h.Len {
		return sansio.Train{}, DropTruncated
	}
	end := mac + int(h.Snaplen)
	vnet := vnetHeader(s[mac-vnetLen : mac])
	if h.Status&unix.TP_STATUS_VLAN_VALID != 0 {
		return taggedTrain(s[mac-vlanLen:end:end], vnet, tagOf(h.Status, h.Vlan_tpid, h.Vlan_tci))
	}
	return trainOf(s[mac:end:end], vnet)
}

// tagOf returns the tag that the kernel has taken out; before Linux 3.14 it
// does not say of which type it was.
func tagOf(status uint32, tpid, tci uint16) vlanTag {
	if status&unix.TP_STATUS_VLAN_TPID_VALID == 0 {
		tpid = unix.ETH_P_8021Q
	}
	return vlanTag{tpid, tci}
}

// arrive adds a train to the arrivals, or counts it as dropped. TCP
// super-packets of small segments exceed the length of a train and are divided.
func (d *Device) arrive(p sansio.Port, t sansio.Train, reason string) {
	if reason != "" {
		d.drops.Add(reason, 1)
		return
	}
	n := t.Frames()
	d.stats.RxTrains++
	d.stats.RxFrames += uint64(n)
	d.stats.RxBytes += uint64(t.Bytes())
	if n <= sansio.MaxTrainFrames {
		d.in = append(d.in, sansio.Arrival{Port: p, Train: t})
		return
	}
	for i := 0; i < n; i += sansio.MaxTrainFrames {
		sub := t.Sub(i, min(i+sansio.MaxTrainFrames, n), nil)
		d.in = append(d.in, sansio.Arrival{Port: p, Train: sub})
	}
}

// giveBack returns the frames of the last arrivals to the kernel.
func (d *Device) giveBack() {
	for _, i := range d.lenders {
		d.ports[i].ring.giveBack()
	}
	d.lenders = d.lenders[:0]
	clear(d.in)
	d.in = d.in[:0]
}
