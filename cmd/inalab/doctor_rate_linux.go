package main

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// The test of the packet rate: one worker's socket sends to another on loopback.
const (
	rateTime  = 200 * time.Millisecond
	rateDrain = 50 * time.Millisecond // silence that ends receiving
	ratePort  = 9                     // discard (RFC 863); the receiver is alone in the namespace
	rateFrame = 1000
	rateTrain = 60 // frames
)

// rateWanted is what six workers at 1 Gbit/s with frames of 9000 bytes make, in
// frames per second, and as much again for results (assumed to be the least
// that a scenario is run with).
const rateWanted = 170_000

// rate is what the test came to.
type rate struct {
	perSecond float64
	buffers   udp.Buffers
}

// measureRate runs in the namespace of the calling thread.
func measureRate() (r rate, err error) {
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	rx, err := udp.Open(udp.Config{Bind: netip.AddrPortFrom(loopback, ratePort)})
	if err != nil {
		return r, err
	}
	defer rx.Close()
	tx, err := udp.Open(udp.Config{Bind: netip.AddrPortFrom(loopback, 0)})
	if err != nil {
		return r, err
	}
	defer tx.Close()
	r.buffers = rx.Buffers()
	var receiving sync.WaitGroup
	var last time.Time
	var recvErr error
	began := time.Now()
	receiving.Go(func() { last, recvErr = receiveAll(rx, began) })
	sendErr := sendFor(tx, tx.Local(), rx.Local())
	receiving.Wait()
	if err := errors.Join(sendErr, recvErr); err != nil {
		return r, err
	}
	if span := last.Sub(began); span > 0 {
		r.perSecond = float64(rx.Stats().RxFrames) / span.Seconds()
	}
	return r, nil
}

func sendFor(d pktio.Device, from, to netip.AddrPort) error {
	header := inet.UDPHeader(inet.Flow{Src: from.Addr(), Dst: to.Addr(), SrcPort: from.Port(), DstPort: to.Port()})
	body := make([]byte, rateFrame*rateTrain)
	inet.SetUDPBody(header, len(body))
	send := []sansio.Send{{To: []sansio.Port{0}, Train: sansio.Train{Header: header, Body: body, Seg: rateFrame}}}
	for end := time.Now().Add(rateTime); time.Now().Before(end); {
		if err := d.Send(send); err != nil {
			return err
		}
	}
	return nil
}

// receiveAll receives until nothing more comes, and returns when the last came.
func receiveAll(d pktio.Device, began time.Time) (last time.Time, err error) {
	for {
		arrivals, err := d.Recv(rateDrain)
		if err != nil {
			return last, err
		}
		switch {
		case len(arrivals) > 0:
			last = time.Now()
		case time.Since(began) > rateTime:
			return last, nil
		}
	}
}

func checkRate(r rate, err error) []check {
	const name, buffers = "packet rate", "socket buffers"
	if err != nil {
		return []check{fail(name, "no packets pass: "+err.Error(), "look at the packet filter: nft list ruleset")}
	}
	checks := []check{pass(buffers, r.buffers.Rcv.String())}
	// The kernel reports twice what it granted (socket(7)).
	if r.buffers.Rcv < 2*udp.DefaultBuffer {
		checks[0] = warn(buffers, fmt.Sprintf("%v in place of %v: bursts may be lost", r.buffers.Rcv/2, udp.DefaultBuffer),
			fmt.Sprintf("sysctl -w net.core.rmem_max=%d net.core.wmem_max=%d", udp.DefaultBuffer, udp.DefaultBuffer))
	}
	reason := fmt.Sprintf("%.2g million a second between two sockets", r.perSecond/1e6)
	if r.perSecond < rateWanted {
		return append(checks, warn(name, reason+": too slow for the default scenario", "end other programs; leave scale: auto"))
	}
	return append(checks, pass(name, reason))
}
