package udp

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

var loopback = netip.MustParseAddrPort("127.0.0.1:0")

// open opens a device that is closed with the test.
func open(t testing.TB, cfg Config) *Device {
	t.Helper()
	d, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// flow is the addressing from one device to an address.
func flow(from *Device, to netip.AddrPort) inet.Flow {
	return inet.Flow{Src: from.Local().Addr(), SrcPort: from.Local().Port(), Dst: to.Addr(), DstPort: to.Port()}
}

// train returns a train of a flow with the given body.
func train(f inet.Flow, body []byte, seg int) sansio.Train {
	h := inet.UDPHeader(f)
	inet.SetUDPBody(h, len(body))
	sansio.FillPartial(h, len(body))
	return sansio.Train{Header: h, Body: body, Seg: seg, Checksum: sansio.ChecksumPartial}
}

// pattern returns n bytes that tell their place.
func pattern(n int) []byte {
	b := make([]byte, n+4)
	for i := 0; i < n; i += 4 {
		binary.BigEndian.PutUint32(b[i:], uint32(i)*2654435761)
	}
	return b[:n]
}

var port0 = []sansio.Port{0}

func send(t interface{ Fatal(...any) }, d *Device, trains ...sansio.Train) {
	sends := make([]sansio.Send, len(trains))
	for i := range trains {
		sends[i] = sansio.Send{To: port0, Train: trains[i]}
	}
	if err := d.Send(sends); err != nil {
		t.Fatal(err)
	}
}

// received is what came of some frames.
type received struct {
	bodies [][]byte
	trains []sansio.Train // with header and body copied
}

// recv receives until there are n frames, or fails after some seconds.
func recv(t interface{ Fatalf(string, ...any) }, d *Device, n int) received {
	var r received
	until := time.Now().Add(5 * time.Second)
	for len(r.bodies) < n {
		arrivals, err := d.Recv(100 * time.Millisecond)
		if err != nil || time.Now().After(until) {
			t.Fatalf("%d of %d frames, error %v, statistics %+v", len(r.bodies), n, err, d.Stats())
		}
		for _, a := range arrivals {
			tr := a.Train
			tr.Header, tr.Body = slices.Clone(tr.Header), slices.Clone(tr.Body)
			r.trains = append(r.trains, tr)
			for i := range tr.Frames() {
				r.bodies = append(r.bodies, tr.Payload(i))
			}
		}
	}
	return r
}

// drops returns how often a device dropped for a reason.
func drops(d *Device, reason string) uint64 {
	var t sansio.Tally
	t.Merge(d.Stats().Drops)
	return t.Get(reason)
}
