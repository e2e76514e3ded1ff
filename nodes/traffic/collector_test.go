package traffic

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// readTest reads four bytes: who, to whom, packets, bytes.
func readTest(b []byte) (dataplane.Report, bool) {
	if len(b) != 4 {
		return dataplane.Report{}, false
	}
	return dataplane.Report{Src: testHost(b[0]), Dst: testHost(b[1]), Packets: uint64(b[2]), Bytes: units.Bytes(b[3])}, true
}

func testHost(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 1, 0, n}) }

// arrival is a train of reports from a switch.
func arrival(by byte, body []byte, seg int) sansio.Arrival {
	f := testFlow()
	f.Src = testHost(by)
	h := inet.UDPHeader(f)
	inet.SetUDPBody(h, len(body))
	return sansio.Arrival{Train: sansio.Train{Header: h, Body: body, Seg: seg}}
}

// Of each switch and two addresses, in their order, a collector keeps how many reports came, and
// the latest; what is no report is counted.
func TestCollector(t *testing.T) {
	c, eff := NewCollector(readTest), &sansio.Effects{}
	c.Handle(0, []sansio.Arrival{
		arrival(254, []byte{1, 2, 10, 100, 2, 1, 5, 50, 1, 2, 30, 200}, 4),
		arrival(253, []byte{1, 2, 7, 70}, 0),
		arrival(253, []byte{1, 2, 7}, 0),
		{Train: sansio.Train{Header: []byte("noise"), Body: []byte{1, 2, 7, 70}}},
	}, eff)
	var got []string
	for _, o := range c.Observed() {
		got = append(got, fmt.Sprintf("%v: %d of %v to %v, %d packets, %d bytes", o.By, o.Reports, o.Src, o.Dst, o.Packets, o.Bytes))
	}
	want := []string{
		"10.1.0.254: 2 of 10.1.0.1 to 10.1.0.2, 30 packets, 200 bytes",
		"10.1.0.254: 1 of 10.1.0.2 to 10.1.0.1, 5 packets, 50 bytes",
		"10.1.0.253: 1 of 10.1.0.1 to 10.1.0.2, 7 packets, 70 bytes",
	}
	if !slices.Equal(got, want) || sansio.CountOf(c.Counters(), DropUnexpected) != 2 {
		t.Errorf("got %q, counters %v\nwant %q", got, c.Counters(), want)
	}
}

// There is a limit to what it keeps.
func TestCollectorIsBounded(t *testing.T) {
	c := NewCollector(func(b []byte) (dataplane.Report, bool) {
		return dataplane.Report{Src: netip.AddrFrom4([4]byte(b)), Dst: testHost(1)}, true
	})
	var b [4]byte
	for i := range uint32(MaxObserved + 3) {
		binary.BigEndian.PutUint32(b[:], i)
		c.Handle(0, []sansio.Arrival{arrival(254, b[:], 0)}, &sansio.Effects{})
	}
	if n := len(c.Observed()); n != MaxObserved || sansio.CountOf(c.Counters(), DropBeyond) != 3 {
		t.Errorf("%d pairs are kept, counters %v", n, c.Counters())
	}
}

// A packet with options is as long as one without: its body is shorter. A sink that knows counts
// it whole, also behind a kernel that took the options away.
func TestOptions(t *testing.T) {
	for _, filled := range []bool{false, true} {
		s := source(t, SourceConfig{Pattern: Pattern{Rate: 8e9, Packet: 1000}, Options: true, ECN: true, Filled: filled})
		var eff sansio.Effects
		s.Expire(units.Time(2*us), &eff) // three packets
		sink := &Sink{Options: true}
		for i, send := range eff.Sends {
			train := send.Train
			ip := inet.IPv4(train.Header[inet.EtherLen:])
			l, problem := train.Layout()
			if train.Frames() != 1 || train.Bytes() != inet.EtherLen+1000 || ip.HeaderLen() != inet.IPv4Len+len(Options) || !ip.ChecksumOK() || problem != inet.OK || l.End != inet.EtherLen+1000 || ip.ECN() != inet.ECT0 {
				t.Fatalf("packet %d: header %x, layout %+v, problem %q", i, train.Header, l, problem)
			}
			if i == 2 { // as from a kernel's socket
				train.Header = inet.UDPHeader(testFlow())
				inet.SetUDPBody(train.Header, len(train.Body)+train.Unstored)
			}
			sink.Handle(units.Time(3*us), []sansio.Arrival{{Train: train}}, &eff)
		}
		if got := sink.Received(); got.Packets != 3 || got.Bytes != 3000 || got.Lost != 0 || s.Sent().Bytes != 3000 {
			t.Errorf("sent %+v, got %+v", s.Sent(), got)
		}
	}
	cfg := SourceConfig{Pattern: Pattern{Rate: 1, Packet: MinPacket}, Options: true, Flow: testFlow()}
	if _, err := NewSource(cfg); err == nil {
		t.Error("a packet without room for its option is taken")
	}
}
