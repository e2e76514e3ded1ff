package udp

import (
	"bytes"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Every pair of paths must carry the same frames in the same order.
func TestFramesOutEqualFramesIn(t *testing.T) {
	paths := []struct {
		name           string
		txPlain, plain bool
	}{{"gso to gro", false, false}, {"gso to plain", false, true}, {"plain to gro", true, false}, {"plain to plain", true, true}}
	for _, p := range paths {
		t.Run(p.name, func(t *testing.T) {
			netnstest.CheckLeaks(t)
			from, to := open(t, Config{Bind: loopback, Plain: p.txPlain}), open(t, Config{Bind: loopback, Plain: p.plain})
			f := flow(from, to.Local())
			rapid.Check(t, func(t *rapid.T) {
				var trains []sansio.Train
				var want [][]byte
				for range rapid.IntRange(1, 5).Draw(t, "trains") {
					tr := drawTrain(t, f)
					trains = append(trains, tr)
					for i := range tr.Frames() {
						want = append(want, tr.Payload(i))
					}
				}
				send(t, from, trains...)
				got := recv(t, to, len(want))
				for i := range want {
					if !bytes.Equal(got.bodies[i], want[i]) {
						t.Fatalf("frame %d has %d bytes, want %d others", i, len(got.bodies[i]), len(want[i]))
					}
				}
			})
		})
	}
}

// drawTrain draws a train that may exceed the kernel's limits in either way.
func drawTrain(t *rapid.T, f inet.Flow) sansio.Train {
	seg := rapid.SampledFrom([]int{0, 1, 16, 1040, 1472, 4112, 8972, 40000}).Draw(t, "seg")
	size := rapid.IntRange(0, max(1, min(100*seg, 150_000))).Draw(t, "size")
	body := pattern(size + 1)[1:]
	return train(f, body, seg)
}

func TestOneTrainStaysOne(t *testing.T) {
	tests := []struct{ seg, size int }{{1023, 64 * 1023}, {1100, gsoBody}, {1, 64}, {0, maxDatagram}}
	from, to := open(t, Config{Bind: loopback}), open(t, Config{Bind: loopback})
	needOffload(t, from)
	for _, c := range tests {
		tr := train(flow(from, to.Local()), pattern(c.size), c.seg)
		send(t, from, tr)
		got := recv(t, to, tr.Frames())
		if len(got.trains) != 1 || got.trains[0].Seg != c.seg || !bytes.Equal(got.trains[0].Body, tr.Body) {
			t.Errorf("seg %d, body %d: came as %d trains, the first with seg %d", c.seg, c.size, len(got.trains), got.trains[0].Seg)
		}
	}
	if s := from.Stats(); s.TxTrains != uint64(len(tests)) || s.RingDrops != 0 || len(s.Drops) != 0 {
		t.Errorf("statistics %+v, want %d trains and no drops", s, len(tests))
	}
}

// maxDatagram is the longest payload of a UDP packet over IPv4 (RFC 768, RFC 791).
const maxDatagram = 65535 - inet.IPv4Len - inet.UDPLen

func TestTrainsBeyondTheLimitsGoAsFew(t *testing.T) {
	tests := []struct{ seg, size, trains int }{
		{1, 65, 2}, {1023, 65 * 1023, 2}, {1100, gsoBody + 1, 2}, {8192, maxDatagram, 2}, {1000, 200_000, 4}, {40_000, 80_000, 2},
	}
	from, to := open(t, Config{Bind: loopback}), open(t, Config{Bind: loopback})
	needOffload(t, from)
	for _, c := range tests {
		tr := train(flow(from, to.Local()), pattern(c.size), c.seg)
		send(t, from, tr)
		got := recv(t, to, tr.Frames())
		var body []byte
		for _, part := range got.trains {
			body = append(body, part.Body...)
		}
		if len(got.trains) != c.trains || !bytes.Equal(body, tr.Body) {
			t.Errorf("seg %d, body %d: came as %d trains with %d bytes, want %d", c.seg, c.size, len(got.trains), len(body), c.trains)
		}
	}
}

func needOffload(t *testing.T, d *Device) {
	t.Helper()
	if f := Probe(); f.GSO == pktio.No || f.GRO == pktio.No {
		t.Skipf("kernel without UDP offload: %+v", f)
	}
	if got := d.Stats().Offload; got != "udp-gso+gro" {
		t.Fatalf("offload %q on a kernel that has it", got)
	}
}

func TestStatsAgreeOnBothEnds(t *testing.T) {
	from, to := open(t, Config{Bind: loopback}), open(t, Config{Bind: loopback, Plain: true})
	tr := train(flow(from, to.Local()), pattern(10_000), 1000)
	send(t, from, tr, tr)
	recv(t, to, 20)
	tx, rx := from.Stats(), to.Stats()
	if tx.TxFrames != 20 || rx.RxFrames != 20 || tx.TxBytes != 2*uint64(tr.Bytes()) || rx.RxBytes != tx.TxBytes {
		t.Errorf("sent %+v, received %+v", tx, rx)
	}
	if rx.Offload != "udp-plain" || rx.RxTrains != 20 {
		t.Errorf("plain receiver says %q and has %d trains, want 20", rx.Offload, rx.RxTrains)
	}
}

func TestArrivalHeaderIsThatOfASuperPacket(t *testing.T) {
	mac, peer := inet.MAC{2, 0, 0, 0, 0, 1}, inet.MAC{2, 0, 0, 0, 0, 2}
	from, to := open(t, Config{Bind: loopback}), open(t, Config{Bind: loopback, MAC: mac, PeerMAC: peer})
	send(t, from, train(flow(from, to.Local()), pattern(3000), 1000))
	for _, tr := range recv(t, to, 3).trains {
		frame := append(tr.Header, tr.Body...)
		l, problem := inet.Parse(frame)
		if problem != inet.OK || l.End != len(frame) || !inet.IPv4(frame[inet.EtherLen:]).ChecksumOK() {
			t.Fatalf("header %x does not parse: %q", tr.Header, problem)
		}
		want := flow(from, to.Local())
		want.SrcMAC, want.DstMAC = peer, mac
		if got := inet.FlowOf(frame, l); got != want {
			t.Errorf("flow %+v, want %+v", got, want)
		}
		if udp := frame[l.Transport:]; udp[6] != 0 || udp[7] != 0 || tr.Checksum != sansio.ChecksumAsIs {
			t.Errorf("UDP checksum %x as %v, want none", udp[6:8], tr.Checksum)
		}
	}
}

// A device with ECN says so in what it sends, and shows what comes with a mark.
func TestCodepointsOfECN(t *testing.T) {
	with, without := Config{Bind: loopback, ECN: true}, Config{Bind: loopback}
	for _, c := range []struct {
		from, to Config
		marked   bool
		want     uint8
	}{
		{with, with, false, inet.ECT0}, {with, with, true, inet.CE}, {without, with, false, inet.NotECT}, {with, without, false, inet.NotECT},
	} {
		from, to := open(t, c.from), open(t, c.to)
		if c.marked {
			if err := unix.SetsockoptInt(from.fd, unix.IPPROTO_IP, unix.IP_TOS, int(inet.CE)); err != nil {
				t.Fatal(err)
			}
		}
		send(t, from, train(flow(from, to.Local()), pattern(3000), 1000))
		for _, tr := range recv(t, to, 3).trains {
			if ip := inet.IPv4(tr.Header[inet.EtherLen:]); ip.ECN() != c.want || !ip.ChecksumOK() {
				t.Errorf("ECN %v to %v, marked %v: codepoint %d, want %d", c.from.ECN, c.to.ECN, c.marked, ip.ECN(), c.want)
			}
		}
	}
}

func TestSendDropsAreCountedByReason(t *testing.T) {
	from, to := open(t, Config{Bind: loopback}), open(t, Config{Bind: loopback})
	good := flow(from, to.Local())
	badPort, badAddr := good, good
	badPort.SrcPort++
	badAddr.Src = netip.MustParseAddr("127.0.0.2")
	body := pattern(100)
	tcp := train(good, body, 0)
	tcp.Header[inet.EtherLen+9] = inet.ProtoTCP
	tests := []struct {
		reason string
		train  sansio.Train
	}{
		{"wrong-source-port", train(badPort, body, 0)},
		{"wrong-source-address", train(badAddr, body, 0)},
		{"bad-header", tcp},
		{"bad-header", sansio.Train{Header: pattern(20)}},
		{"bad-header", sansio.Train{Body: body}},
		{"message-size", train(good, pattern(maxDatagram+1), 0)},
	}
	want := map[string]uint64{}
	for _, c := range tests {
		want[c.reason]++
		send(t, from, c.train, train(good, body, 0))
		if got := drops(from, c.reason); got != want[c.reason] {
			t.Errorf("%d drops for %s, want %d: %+v", got, c.reason, want[c.reason], from.Stats())
		}
	}
	if err := from.Send([]sansio.Send{{To: []sansio.Port{1, 0}, Train: train(good, body, 0)}}); err != nil || drops(from, "wrong-port") != 1 {
		t.Errorf("port 1: error %v, statistics %+v", err, from.Stats())
	}
	recv(t, to, len(tests)+1) // what follows a bad train still goes
	if got := from.Stats().TxFrames; got != uint64(len(tests)+1) {
		t.Errorf("%d frames counted as sent, want the %d good ones", got, len(tests)+1)
	}
}

func TestTruncatedIsCounted(t *testing.T) {
	from, to := open(t, Config{Bind: loopback, Plain: true}), open(t, Config{Bind: loopback, MaxPacket: 1000})
	f := flow(from, to.Local())
	send(t, from, train(f, pattern(1001), 0), train(f, pattern(1000), 0))
	if got := recv(t, to, 1); len(got.bodies[0]) != 1000 || drops(to, "truncated") != 1 {
		t.Errorf("got %d bytes, statistics %+v", len(got.bodies[0]), to.Stats())
	}
}

func TestRingDropsCountWithoutAFurtherPacket(t *testing.T) {
	from, to := open(t, Config{Bind: loopback, Plain: true}), open(t, Config{Bind: loopback, RcvBuf: 1})
	tr := train(flow(from, to.Local()), pattern(100*1000), 1000)
	send(t, from, tr)
	ring := to.Stats().RingDrops
	if ring == 0 || ring > 99 {
		t.Fatalf("%d drops of 100 frames by the smallest buffer", ring)
	}
	recv(t, to, 100-int(ring))
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if got := to.Stats().RingDrops; got != ring {
		t.Errorf("%d drops after Close, %d before", got, ring)
	}
}

func TestRecvWaits(t *testing.T) {
	d := open(t, Config{Bind: loopback})
	for _, wait := range []time.Duration{0, 100 * time.Microsecond, 5 * time.Millisecond} {
		start := time.Now()
		got, err := d.Recv(wait)
		if took := time.Since(start); len(got) != 0 || err != nil || took < wait {
			t.Errorf("Recv(%v) = %v, %v after %v", wait, got, err, took)
		}
	}
	var wg sync.WaitGroup
	wg.Go(d.Wake)
	if got, err := d.Recv(-1); len(got) != 0 || err != nil {
		t.Errorf("woken Recv = %v, %v", got, err)
	}
	wg.Wait()
}

func TestCloseTwiceAndWakeAfter(t *testing.T) {
	netnstest.CheckLeaks(t)
	d := open(t, Config{Bind: loopback})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d.Wake()
	if _, err := d.Recv(-1); err == nil {
		t.Error("a closed device received")
	}
	if err := d.Send([]sansio.Send{{To: port0, Train: train(flow(d, d.Local()), nil, 0)}}); err == nil {
		t.Error("a closed device sent")
	}
}

func TestOpenRefuses(t *testing.T) {
	netnstest.CheckLeaks(t)
	taken := open(t, Config{Bind: loopback})
	group := netip.MustParseAddr("239.1.2.3")
	tests := []struct {
		want string
		cfg  Config
	}{
		{"not a host's IPv4 address", Config{}},
		{"not a host's IPv4 address", Config{Bind: netip.MustParseAddrPort("0.0.0.0:9")}},
		{"not a host's IPv4 address", Config{Bind: netip.MustParseAddrPort("[::1]:9")}},
		{"not an IPv4 multicast address", Config{Bind: loopback, Groups: []netip.Addr{loopback.Addr()}, Iface: "lo"}},
		{"set Iface", Config{Bind: loopback, Groups: []netip.Addr{group}}},
		{"find interface nope0", Config{Bind: loopback, Iface: "nope0"}},
		{"must not be negative", Config{Bind: loopback, RcvBuf: -1}},
		{"largest packet", Config{Bind: loopback, MaxPacket: MaxPacket + 1}},
		{"address already in use", Config{Bind: taken.Local()}},
		{"cannot assign", Config{Bind: netip.MustParseAddrPort("192.0.2.1:0"), Groups: []netip.Addr{group}, Iface: "lo"}},
	}
	for _, c := range tests {
		d, err := Open(c.cfg)
		if d != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%+v) = %v, %v; want an error about %q", c.cfg, d, err, c.want)
		}
	}
}

func TestBuffersAreReadBack(t *testing.T) {
	d := open(t, Config{Bind: loopback, RcvBuf: 100_000, SndBuf: 200_000})
	if got := d.Buffers(); got != (Buffers{Rcv: 200_000, Snd: 400_000}) {
		t.Errorf("buffers %+v, want twice what was asked for", got)
	}
}

func TestAnswers(t *testing.T) {
	for err, want := range map[error]string{nil: "yes", unix.ENOPROTOOPT: "no", unix.EPERM: "inconclusive"} {
		if got := answer(err).String(); got != want {
			t.Errorf("%v means %s, want %s", err, got, want)
		}
	}
	if f := Probe(); f.GSO == pktio.Inconclusive || f.GRO == pktio.Inconclusive {
		t.Errorf("probe %+v", f)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	from, to := open(t, Config{Bind: loopback}), open(t, Config{Bind: loopback})
	sends := []sansio.Send{{To: port0, Train: train(flow(from, to.Local()), pattern(64_000), 1000)}}
	allocs := testing.AllocsPerRun(50, func() {
		if err := from.Send(sends); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 64; {
			got, err := to.Recv(time.Second)
			if err != nil || len(got) == 0 {
				t.Fatalf("received %d, %v", len(got), err)
			}
			for _, a := range got {
				n += a.Train.Frames()
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a round trip, want none", allocs)
	}
}

func BenchmarkLoopback(b *testing.B) {
	for _, plain := range []bool{false, true} {
		from, to := open(b, Config{Bind: loopback, Plain: plain}), open(b, Config{Bind: loopback, Plain: plain})
		b.Run(from.Stats().Offload, func(b *testing.B) {
			tr := train(flow(from, to.Local()), pattern(62*1040), 1040)
			sends := []sansio.Send{{To: port0, Train: tr}, {To: port0, Train: tr}, {To: port0, Train: tr}, {To: port0, Train: tr}}
			b.SetBytes(4 * int64(len(tr.Body)))
			for b.Loop() {
				if err := from.Send(sends); err != nil {
					b.Fatal(err)
				}
				for n := 0; n < 4*62; {
					got, err := to.Recv(time.Second)
					if err != nil || len(got) == 0 {
						b.Fatal(len(got), err)
					}
					for _, a := range got {
						n += a.Train.Frames()
					}
				}
			}
		})
	}
}
