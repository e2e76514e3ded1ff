package newreno

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// transfer is what goes each way between this end and the kernel.
const transfer = 2 << 20

// kernelLimit bounds one run against the kernel.
const kernelLimit = 60 * time.Second

// The kernel's TCP in a namespace of its own, and this end on a packet socket at
// the other end of a wire:
//
//	Conn - afpacket - m0 ==== k0 - kernel TCP
//	10.9.1.1                  10.9.1.2
//
// Both ends open in turn, write 2 MiB each way at once and close; with loss, one frame in
// a hundred vanishes in either direction, of big ones one in twenty-five: there are few.
func TestAgainstKernel(t *testing.T) {
	for _, c := range []struct {
		name    string
		passive bool
		loss    float64
		mtu     int
	}{
		{"active", false, 0, 1500},
		{"passive", true, 0, 1500},
		{"active-loss", false, 0.01, 1500},
		{"passive-loss", true, 0.04, 9000},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKernel(t, c.mtu)
			m := k.end(t, Config{Passive: c.passive})
			dev := &lossy{Device: k.open(t), rate: c.loss, stream: rng.Root(7).Stream(c.name)}
			k.run(t, m, pktio.DriveConfig{Machine: m, Device: dev})
			m.check(t, c.loss > 0)
		})
	}
}

// run drives this end until both have heard all and closed.
func (k *kernel) run(t *testing.T, m *talker, cfg pktio.DriveConfig) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), kernelLimit)
	defer cancel()
	kernel := make(chan heardBy, 1)
	listening := make(chan struct{})
	go func() { kernel <- k.talk(ctx, m.cfg.Passive, listening) }()
	<-listening
	cfg.Clock, cfg.Done = pktio.NewClock(pktio.MonotonicNow()), m.done
	_, err := pktio.Drive(ctx, cfg)
	h := <-kernel
	if err := errors.Join(err, ctx.Err(), h.err); err != nil {
		t.Fatalf("%v; this end is in %v, counted %v", err, m.State(), m.Counters())
	}
	if !bytes.Equal(h.bytes, pattern(0)) || !bytes.Equal(m.received, pattern(1)) {
		t.Errorf("the kernel heard %d bytes, this end %d; some are wrong", len(h.bytes), len(m.received))
	}
}

// check looks at what the end counted.
func (m *talker) check(t *testing.T, loss bool) {
	t.Log(m.Counters())
	n := func(name string) uint64 { return m.count.Get(name) }
	if bad := n(DropForeign) + n(DropMalformed) + n(DropChecksum) + n(DropBadAck) + n(DropStamp) + n(DropBuffer) + n(CountPeerReset); bad != 0 {
		t.Errorf("counted %v", m.Counters())
	}
	if loss != (n(CountAgain) > 0) {
		t.Errorf("%d segments were sent again", n(CountAgain))
	}
	if !m.stamps || m.tx.scale == 0 || m.rx.scale == 0 {
		t.Errorf("timestamps %v, scales %d and %d: the kernel offers all", m.stamps, m.tx.scale, m.rx.scale)
	}
}

func pattern(who int) []byte {
	b := make([]byte, transfer)
	for i := range b {
		b[i] = byteOf(who, i)
	}
	return b
}

// kernel is the wire to a kernel's TCP.
type kernel struct {
	machine, host ns.NetNS
	mtu           int
	flow          inet.Flow // from this end to the kernel
}

func newKernel(t *testing.T, mtu int) *kernel {
	t.Helper()
	k := &kernel{machine: netnstest.NewSpace(t), host: netnstest.NewSpace(t), mtu: mtu}
	k.flow = inet.Flow{Src: netip.MustParseAddr("10.9.1.1"), Dst: netip.MustParseAddr("10.9.1.2"), SrcPort: 7001, DstPort: 7002}
	netnstest.Connect(t, netnstest.Wire{
		A: netnstest.End{Space: k.machine, Iface: "m0"}, B: netnstest.End{Space: k.host, Iface: "k0", Addr: netip.PrefixFrom(k.flow.Dst, 24)},
		MTU: mtu, Index: 20,
	})
	netnstest.OnLink(t, k.machine, "m0", func(l netlink.Link) error {
		k.flow.SrcMAC = inet.MAC(l.Attrs().HardwareAddr)
		return nil
	})
	netnstest.OnLink(t, k.host, "k0", func(l netlink.Link) error {
		k.flow.DstMAC = inet.MAC(l.Attrs().HardwareAddr)
		return netlink.NeighAdd(&netlink.Neigh{ // nobody answers ARP for this end
			LinkIndex: l.Attrs().Index, IP: k.flow.Src.AsSlice(), HardwareAddr: k.flow.SrcMAC[:], State: netlink.NUD_PERMANENT,
		})
	})
	return k
}

func (k *kernel) open(t *testing.T) (d *afpacket.Device) {
	t.Helper()
	netnstest.In(t, k.machine, func() (err error) {
		d, err = afpacket.Open(afpacket.Config{Ports: []afpacket.PortConfig{{Iface: "m0"}}})
		return err
	})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// end returns the machine of this end, with what cfg leaves open.
func (k *kernel) end(t *testing.T, cfg Config) *talker {
	t.Helper()
	cfg.Node, cfg.Flow, cfg.Out, cfg.MTU, cfg.ISN = "m", k.flow, []sansio.Port{0}, k.mtu, 0xffff_0000
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &talker{Conn: c}
}

// heardBy is what the kernel's end came to.
type heardBy struct {
	bytes []byte
	err   error
}

// talk connects the kernel's end, writes all and closes, and reads to the end. It
// closes listening when the peer may begin.
func (k *kernel) talk(ctx context.Context, dial bool, listening chan<- struct{}) (h heardBy) {
	conn, err := k.connect(ctx, dial, listening)
	if err != nil {
		return heardBy{err: fmt.Errorf("connect: %w", err)}
	}
	deadline, _ := ctx.Deadline()
	wrote := make(chan error, 1)
	if err := conn.SetDeadline(deadline); err != nil {
		return heardBy{err: err}
	}
	go func() {
		_, err := conn.Write(pattern(1))
		wrote <- errors.Join(err, conn.CloseWrite())
	}()
	h.bytes, h.err = io.ReadAll(conn)
	h.err = errors.Join(h.err, <-wrote, conn.Close())
	return h
}

func (k *kernel) connect(ctx context.Context, dial bool, listening chan<- struct{}) (conn *net.TCPConn, err error) {
	ownLimit, peer := netip.AddrPortFrom(k.flow.Dst, k.flow.DstPort), netip.AddrPortFrom(k.flow.Src, k.flow.SrcPort)
	var server *net.TCPListener
	err = k.host.Do(func(ns.NetNS) (err error) {
		if dial {
			close(listening)
			d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(ownLimit)}
			c, err := d.DialContext(ctx, "tcp4", peer.String())
			if err == nil {
				conn = c.(*net.TCPConn)
			}
			return err
		}
		defer close(listening)
		server, err = net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(ownLimit))
		return err
	})
	if err != nil || dial {
		return conn, err
	}
	defer server.Close()
	if deadline, ok := ctx.Deadline(); ok {
		err = server.SetDeadline(deadline)
	}
	if err != nil {
		return nil, err
	}
	return server.AcceptTCP()
}

// talker is a machine that says its pattern, closes, and keeps what it hears.
type talker struct {
	*Conn
	begun    bool
	received []byte
}

func (m *talker) NextDeadline() units.Time {
	if !m.begun {
		return 0
	}
	return m.Conn.NextDeadline()
}

func (m *talker) Expire(now units.Time, eff *sansio.Effects) {
	if !m.begun {
		m.begun = true
		m.Open(now, eff)
		m.Write(now, pattern(0), 0, eff)
		m.Close(now, eff)
	}
	m.Conn.Expire(now, eff)
}

func (m *talker) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		m.Conn.Handle(now, &in[i].Train, eff, func(b []byte, _ int) { m.received = append(m.received, b...) })
	}
}

// done reports whether nothing is left to say: the kernel has what it is to read.
func (m *talker) done() bool { return m.begun && (m.State() == Closed || m.State() == TimeWait) }

// lossy is a device that loses frames both ways.
type lossy struct {
	*afpacket.Device
	rate   float64
	stream *rng.Stream
	in     []sansio.Arrival
	out    []sansio.Send
}

func (d *lossy) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	in, err := d.Device.Recv(wait)
	d.in = d.in[:0]
	for _, a := range in {
		d.thin(a.Train, func(t sansio.Train) { d.in = append(d.in, sansio.Arrival{Port: a.Port, Train: t}) })
	}
	return d.in, err
}

func (d *lossy) Send(sends []sansio.Send) error {
	d.out = d.out[:0]
	for _, s := range sends {
		d.thin(s.Train, func(t sansio.Train) { d.out = append(d.out, sansio.Send{To: s.To, Train: t}) })
	}
	return d.Device.Send(d.out)
}

// thin gives what is left of a train, as trains between two losses.
func (d *lossy) thin(t sansio.Train, give func(sansio.Train)) {
	lo, n := 0, t.Frames()
	for i := range n {
		if d.rate > 0 && d.stream.Bernoulli(d.rate) {
			if lo < i {
				give(t.Sub(lo, i, nil))
			}
			lo = i + 1
		}
	}
	if lo < n {
		give(t.Sub(lo, n, nil))
	}
}
