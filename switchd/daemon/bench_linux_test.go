package daemon_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/gen"
)

// What a real switch forwards through an engine over what it forwards without, by TCP
// with offloads, and of short frames, one by one, that flood it. All switches take turns;
// the ratios are medians over the rounds. "cpu" is in a second of the processor that the
// switch has, which others who want it change less:
//
//	go test ./switchd/daemon -run none -bench Transit -benchtime 40x
func BenchmarkTransit(b *testing.B) {
	notMine := func(dataplane.Frame) dataplane.Claim { return dataplane.NotMine }
	variants := []struct {
		name    string
		engine  *chassistest.Transit
		program string
	}{
		{name: "plain"},
		{name: "plain-too"}, // how far the same thing differs
		{name: "not-mine", engine: &chassistest.Transit{Want: dataplane.Wants{Transit: true, ARP: true}, Claim: notMine}},
		{name: "passed", engine: &chassistest.Transit{Want: dataplane.Wants{Transit: true, ARP: true}}},
		{name: "leaving", engine: &chassistest.Transit{Want: dataplane.Wants{Leaving: true, ARP: true}}},
		{name: "both", engine: &chassistest.Transit{Want: dataplane.Wants{Transit: true, Leaving: true, ARP: true}}},
		{name: "filter", program: "filter"},
	}
	var labs []*lab
	for _, v := range variants {
		p := chassistest.Plan(b, "rack", gen.Params{Hosts: 2})
		labs = append(labs, newLabOf(b, p, runsTransit{v.engine}, func(c *daemon.Config) {
			c.RingFrames = 256
			if v.engine != nil {
				c.Chassis.Programs = []json.RawMessage{json.RawMessage("{}")}
			}
			if v.program != "" {
				c.Chassis.Transit = []chassis.Program{{System: v.program}}
			}
		}))
	}
	rates := map[string][][]float64{}
	take := func(what string, i int, l *lab, run func() float64) {
		for len(rates[what]) < len(labs) {
			rates[what], rates[what+"-cpu"] = append(rates[what], nil), append(rates[what+"-cpu"], nil)
		}
		wall, cpu := time.Now(), l.processor()
		n := run()
		rates[what][i] = append(rates[what][i], n/time.Since(wall).Seconds())
		rates[what+"-cpu"][i] = append(rates[what+"-cpu"][i], n/(l.processor()-cpu).Seconds())
	}
	for b.Loop() {
		for i, l := range labs {
			take("tcp", i, l, func() float64 { return l.stream(128 << 20) })
			take("frames", i, l, func() float64 { return l.flood(100 * time.Millisecond) })
		}
	}
	b.ReportMetric(0, "ns/op")
	for what, by := range rates {
		b.ReportMetric(median(by[0]), what+"/s")
		for i, v := range variants[1:] {
			b.ReportMetric(medianRatio(by[i+1], by[0]), what+"-"+v.name+"/plain")
		}
	}
}

// processor returns the time that the loop of the switch has had of a processor.
func (l *lab) processor() time.Duration {
	l.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", l.thread))
	if err != nil {
		l.t.Fatal(err)
	}
	var ns int64
	if _, err := fmt.Sscan(string(text), &ns); err != nil {
		l.t.Fatal(err)
	}
	return time.Duration(ns)
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

func medianRatio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

// stream sends so many bytes by TCP between the first two hosts, and returns how many.
func (l *lab) stream(n int) float64 {
	l.t.Helper()
	from, to := &l.plan.Hosts[0], &l.plan.Hosts[1]
	var listener net.Listener
	l.in(to.Name, func() (err error) {
		listener, err = net.Listen("tcp4", netip.AddrPortFrom(to.Addr.Addr(), 0).String())
		return err
	})
	defer listener.Close()
	var out net.Conn
	l.in(from.Name, func() (err error) {
		out, err = net.DialTimeout("tcp4", listener.Addr().String(), patience)
		return err
	})
	in, err := listener.Accept()
	if err != nil {
		l.t.Fatal(err)
	}
	defer in.Close()
	sent := make(chan error, 1)
	go func() {
		chunk := make([]byte, 1<<20)
		var err error
		for left := n; left > 0 && err == nil; left -= len(chunk) {
			_, err = out.Write(chunk)
		}
		sent <- errors.Join(err, out.Close())
	}()
	got, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{in}, make([]byte, 1<<20))
	if err := errors.Join(err, <-sent); err != nil || got != int64(n) {
		l.t.Fatalf("%d of %d bytes: %v", got, n, err)
	}
	return float64(n)
}

// flood sends short frames from the first host to the second, one by one, for so long, and
// returns how many come.
func (l *lab) flood(d time.Duration) float64 {
	l.t.Helper()
	from, to := &l.plan.Hosts[0], &l.plan.Hosts[1]
	h := inet.UDPHeader(inet.Flow{SrcMAC: inet.MAC(from.MAC), DstMAC: inet.MAC(to.MAC), Src: from.Addr.Addr(), Dst: to.Addr.Addr(), SrcPort: 9, DstPort: 9})
	inet.SetUDPBody(h, 22)
	batch := slices.Repeat([]sansio.Send{{To: []sansio.Port{0}, Train: sansio.Train{Header: h, Body: make([]byte, 22)}}}, 64)
	var dev *afpacket.Device
	l.in(from.Name, func() (err error) {
		dev, err = afpacket.Open(afpacket.Config{Ports: []afpacket.PortConfig{{Iface: from.Iface}}})
		return err
	})
	defer dev.Close()
	before, start := l.received(to.Name, to.Iface), time.Now()
	for time.Since(start) < d {
		if err := dev.Send(batch); err != nil {
			l.t.Fatal(err)
		}
	}
	return float64(l.received(to.Name, to.Iface) - before)
}

func (l *lab) received(node, iface string) (n uint64) {
	l.t.Helper()
	l.in(node, func() error {
		link, err := netlink.LinkByName(iface)
		if err != nil {
			return err
		}
		if link.Attrs().Statistics == nil {
			return fmt.Errorf("interface %s has no counters", iface)
		}
		n = link.Attrs().Statistics.RxPackets
		return nil
	})
	return n
}
