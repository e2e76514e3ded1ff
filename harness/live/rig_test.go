package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo/plan"
)

// rig is a plan made real, with the process of each switch and none at hosts.
type rig struct {
	t        *testing.T
	plan     *plan.Plan
	lab      *netns.Lab
	sup      *proc.Supervisor
	switches []*proc.Process
	reports  []daemon.Report // of the switches, once they have stopped
}

// rigOptions says how a rig differs from one with offloads and exact links.
type rigOptions struct {
	plain      bool
	quantum    units.Duration
	ringFrames int
	changes    []chassis.Change // of the links of the first switch
}

// newRig brings a rig up whose switches forward, and takes it down, leaks
// checked, when the test ends.
func newRig(t *testing.T, p *plan.Plan, opt rigOptions) *rig {
	t.Helper()
	needRoot(t)
	name := netns.NewLabName()
	checkLeaks(t, name)
	logs := t.TempDir()
	lab, err := netns.Up(t.Context(), LabSpec(name, p, !opt.plain), netns.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, plan: p, lab: lab, sup: proc.NewSupervisor(proc.Config{Journal: lab.Journal()})}
	t.Cleanup(func() {
		if err := errors.Join(r.sup.Close(stopGrace), lab.Down()); err != nil {
			t.Error(err)
		}
	})
	for i := range p.Switches {
		r.startSwitch(&p.Switches[i], opt, logs)
	}
	if err := waitReady(t.Context(), r.switches); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) startSwitch(sw *plan.Switch, opt rigOptions, logs string) {
	r.t.Helper()
	cfg := chassis.Config{Switch: *sw, MTU: r.plan.MTU, Seed: 1, Quantum: opt.quantum}
	if sw.Index == 0 {
		cfg.Changes = opt.changes
	}
	p, err := r.sup.Start(r.t.Context(), proc.Spec{
		Node: sw.Name, Kind: "switch", NetNS: r.lab.Path(sw.Name), Log: filepath.Join(logs, sw.Name+".log"),
		Config: daemon.Config{Chassis: cfg, Plain: opt.plain, RingFrames: opt.ringFrames},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.switches = append(r.switches, p)
}

// stop ends the switches and reads their reports.
func (r *rig) stop() {
	r.t.Helper()
	for _, p := range r.switches {
		var report daemon.Report
		err := p.Stop(stopGrace)
		if err == nil {
			_, err = p.Result(&report)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		r.reports = append(r.reports, report)
	}
}

// in runs f in the namespace of a node.
func (r *rig) in(node string, f func() error) {
	r.t.Helper()
	if err := r.lab.Do(node, f); err != nil {
		r.t.Fatalf("in %s: %v", node, err)
	}
}

// pinger sends ICMP echo requests from a host.
type pinger struct {
	conn net.PacketConn
	seq  uint16
	buf  []byte
}

func (r *rig) pinger(from *plan.Host) *pinger {
	r.t.Helper()
	p := &pinger{buf: make([]byte, 1<<16)}
	r.in(from.Name, func() (err error) {
		p.conn, err = net.ListenPacket("ip4:icmp", from.Addr.Addr().String())
		return err
	})
	r.t.Cleanup(func() { _ = p.conn.Close() })
	return p
}

// ping sends n bytes to an address and returns how long the answer took.
func (p *pinger) ping(to netip.Addr, n int) (time.Duration, error) {
	p.seq++
	request := echoRequest(p.seq, n)
	began := time.Now()
	if err := p.conn.SetReadDeadline(began.Add(longEnough)); err != nil {
		return 0, err
	}
	if _, err := p.conn.WriteTo(request, &net.IPAddr{IP: to.AsSlice()}); err != nil {
		return 0, err
	}
	for {
		n, from, err := p.conn.ReadFrom(p.buf)
		if err != nil {
			return 0, fmt.Errorf("no answer to a ping of %v: %w", to, err)
		}
		const echoReply = 0
		if from.String() == to.String() && n == len(request) && p.buf[0] == echoReply && bytes.Equal(p.buf[4:n], request[4:]) {
			return time.Since(began), nil
		}
	}
}

func echoRequest(seq uint16, n int) []byte {
	m := make([]byte, inet.ICMPLen+n)
	m[0] = 8 // echo request, RFC 792
	binary.BigEndian.PutUint16(m[4:], uint16(os.Getpid()))
	binary.BigEndian.PutUint16(m[6:], seq)
	fill(m[inet.ICMPLen:])
	binary.BigEndian.PutUint16(m[2:], ^inet.Fold(inet.Sum(m, 0)))
	return m
}

// fill writes bytes that do not repeat within any packet.
func fill(b []byte) {
	for i := range b {
		b[i] = byte(i*i>>8 ^ i)
	}
}
