package sockets

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
	"github.com/gopacket/gopacket/pcapgo"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/wire/trioml"
)

// pair is two namespaces with a wire between them.
type pair struct{ a, b ns.NetNS }

var (
	addrA = netip.MustParseAddr("10.9.0.1")
	addrB = netip.MustParseAddr("10.9.0.2")
)

func newPair(t *testing.T) pair {
	t.Helper()
	p := pair{netnstest.NewSpace(t), netnstest.NewSpace(t)}
	netnstest.Connect(t, netnstest.Wire{
		A:   netnstest.End{Space: p.a, Iface: "eth0", Addr: netip.PrefixFrom(addrA, 24)},
		B:   netnstest.End{Space: p.b, Iface: "p0", Addr: netip.PrefixFrom(addrB, 24)},
		MTU: 9000, Index: 20,
	})
	return p
}

func (p pair) enter(node string, f func() error) error {
	space := map[string]ns.NetNS{"a": p.a, "b": p.b}[node]
	return space.Do(func(ns.NetNS) error { return f() })
}

var lab = capture.Lab{Taps: []capture.Tap{{Node: "a", Iface: "eth0", Peer: "b"}, {Node: "b", Iface: "p0", Engine: "b", Peer: "a"}}}

// sendSegments sends packets of Trio-ML as one super-packet.
func (p pair) sendSegments(t *testing.T, n int) {
	t.Helper()
	const grads = 250
	seg := trioml.HeaderLen + 4*grads
	body := make([]byte, n*seg)
	for i := range n {
		trioml.Header{Job: 1, Block: uint32(i), Grads: grads}.Put(body[i*seg:])
	}
	netnstest.In(t, p.a, func() error {
		conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(addrB, trioml.Port)))
		if err != nil {
			return err
		}
		raw, err := conn.SyscallConn()
		if err != nil {
			return err
		}
		var option error
		err = raw.Control(func(fd uintptr) { option = unix.SetsockoptInt(int(fd), unix.SOL_UDP, unix.UDP_SEGMENT, seg) })
		_, sent := conn.Write(body)
		return errors.Join(err, option, sent, conn.Close())
	})
}

// A super-packet is in the capture as its frames, on its way out of one node and into the other,
// with right lengths and checksums.
func TestSuperPacketsAreFrames(t *testing.T) {
	p := newPair(t)
	eyes, err := Open(lab, p.enter)
	if err != nil {
		t.Fatal(err)
	}
	const n = 20
	var file bytes.Buffer
	filter, err := capture.ParseFilter("proto=trioml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := capture.New(&file, capture.Config{Lab: lab, Filter: filter, Count: 2 * n})
	if err != nil {
		t.Fatal(err)
	}
	p.sendSegments(t, n)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := eyes.Run(ctx, c, nil); err != nil {
		t.Fatal(err)
	}
	lost := eyes.Lost()
	if err := eyes.Close(); err != nil {
		t.Fatal(err)
	}
	counts, err := c.Close(lost...)
	if err != nil || counts.Written != 2*n {
		t.Fatalf("%+v, %v", counts, err)
	}
	checkFrames(t, &file, n)
	if lost[0].Received < n || lost[1].Received < n || lost[0].Lost+lost[1].Lost != 0 {
		t.Errorf("lost: %+v", lost)
	}
}

func checkFrames(t *testing.T, file io.Reader, n int) {
	t.Helper()
	r, err := pcapgo.NewNgReader(file, pcapgo.NgReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	blocks := [2]uint32{}
	directions := [2]pcapgo.NgEpbFlag{pcapgo.NgEpbFlagDirectionOutbound, pcapgo.NgEpbFlagDirectionInbound}
	for range 2 * n {
		data, info, options, err := r.ReadPacketDataWithOptions()
		if err != nil {
			t.Fatal(err)
		}
		payload, err := pcapfiletest.Verify(data)
		if err != nil {
			t.Error(err)
		}
		h, problem := trioml.Parse(payload)
		tap := info.InterfaceIndex
		if problem != trioml.OK || h.Block != blocks[tap] || options.Flags.Direction != directions[tap] || info.Length != len(data) {
			t.Errorf("tap %d: block %d %s, want %d", tap, h.Block, problem, blocks[tap])
		}
		blocks[tap]++
	}
	if fmt.Sprint(blocks) != fmt.Sprint([2]uint32{uint32(n), uint32(n)}) {
		t.Errorf("frames at the taps: %v", blocks)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	p := newPair(t)
	missing := capture.Lab{Taps: []capture.Tap{{Node: "a", Iface: "eth0"}, {Node: "b", Iface: "p7"}}}
	if _, err := Open(missing, p.enter); err == nil || err.Error() != `capturing at b:p7: open tap: look up interface "p7" in this network namespace: no such device` {
		t.Errorf("%v", err)
	}
}

// A capture ends with its lab.
func TestEndsWithTheLab(t *testing.T) {
	p := newPair(t)
	eyes, err := Open(lab, p.enter)
	if err != nil {
		t.Fatal(err)
	}
	eyes.Gone = func() bool { return true }
	c, err := capture.New(io.Discard, capture.Config{Lab: lab})
	if err != nil {
		t.Fatal(err)
	}
	if err := eyes.Run(t.Context(), c, nil); !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	if err := eyes.Close(); err != nil {
		t.Error(err)
	}
}
