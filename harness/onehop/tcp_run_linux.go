//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// thread is a thread of its own for one of the hosts.
type thread struct {
	tid  int
	done chan error
}

// start runs f on a thread that is kept on a CPU.
func (c *chain) start(cpu int, first bool, f func() error) *thread {
	t := &thread{done: make(chan error, 1)}
	ready := make(chan int)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its CPU
		ready <- unix.Gettid()
		err := pin(0, cpu)
		if err == nil && first {
			err = hurry()
		}
		if err == nil {
			err = c.ended(f())
		}
		t.done <- err
	}()
	t.tid = <-ready
	c.threads = append(c.threads, t)
	return t
}

// measureTCP is [Measure] of a relay over TCP.
func measureTCP(ctx context.Context, cfg Config) (r Result, err error) {
	c := &chain{cfg: &cfg, record: recordLen(cfg.Values)}
	if c.cpus, err = places(&cfg); err != nil {
		return r, err
	}
	if c.w, err = newWires(1, true); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.w.close()) }()
	if err := c.prepare(); err != nil {
		return r, explain(err)
	}
	if err := c.begin(); err != nil {
		return r, errors.Join(fmt.Errorf("set TCP up: %w", err), c.end())
	}
	from, to, err := c.window(ctx)
	if err := errors.Join(err, c.end()); err != nil {
		return r, err
	}
	return c.result(from, to)
}

// begin makes the connections and starts the threads.
func (c *chain) begin() error {
	direct := netip.AddrPortFrom(psAddr, tcpPort)
	hosts := c.cpus.senders[0]
	if c.cfg.RoundTrips {
		from, to, err := c.join(c.w.ps, c.w.worker, netip.AddrPortFrom(netip.MustParseAddr("10.9.2.1"), backPort))
		if err != nil {
			return err
		}
		c.start(hosts, true, func() error { return c.watch(to) })
		c.back = from
	}
	if c.cfg.Direct {
		out, in, err := c.join(c.w.worker, c.w.ps, direct)
		if err != nil {
			return err
		}
		return c.ends(out, in)
	}
	out, rin, err := c.join(c.w.worker, c.w.server, netip.AddrPortFrom(serverAddr, tcpPort))
	if err != nil {
		return err
	}
	rout, in, err := c.join(c.w.server, c.w.ps, netip.AddrPortFrom(netip.MustParseAddr("10.9.3.2"), tcpPort))
	if err != nil {
		return err
	}
	if c.a, err = xagg.New(relayConfig(c.cfg)); err != nil {
		return err
	}
	c.relayTID = c.start(c.cpus.aggregator, false, func() error { return c.relay(rin, rout) }).tid
	return c.ends(out, in)
}

// ends starts the worker and the parameter server.
func (c *chain) ends(out, in int) error {
	c.out = out
	c.start(c.cpus.senders[0], true, func() error { return c.sink(in) })
	if !c.cfg.Idle {
		c.start(c.cpus.senders[0], false, func() error { return c.source(out) })
	}
	return nil
}

// source is the worker.
func (c *chain) source(fd int) error {
	values := make([]int32, c.cfg.Values)
	for i := range values {
		values[i] = value(i)
	}
	one := make([]byte, c.record)
	wire.PutValues(one[wire.HeaderLen:], values)
	block := make([]byte, tcpWrite*c.record)
	for i := range tcpWrite {
		copy(block[i*c.record:], one)
	}
	gap, next := perGap(c.cfg.Rate), now()
	for n := uint64(0); !c.stop.Load(); {
		k := tcpWrite
		if gap > 0 {
			k = min(tcpWrite, int((now()-next)/gap))
			if k < c.cfg.Burst {
				continue
			}
			next += time.Duration(k) * gap
		}
		at := now()
		for i := range k {
			b := block[i*c.record:]
			h := wire.Header{Host: workerID, Job: jobID, Gradient: 1 + uint32(n%Fragments), Iteration: uint16(n / Fragments)}
			h.Put(b)
			putStamp(b[wire.HeaderLen:], at)
			n++
		}
		if err := writeAll(fd, block[:k*c.record]); err != nil {
			return err
		}
		c.sent.Store(n)
	}
	return nil
}

// relay is the aggregator.
func (c *chain) relay(in, out int) error {
	cfg := relayConfig(c.cfg)
	frame := make([]byte, wire.FrameLen(c.cfg.Values))
	wire.Path{Src: workerAddr, Dst: serverAddr}.PutPath(frame, c.cfg.Values)
	path := slices.Clone(frame[:wire.HeaderOffset])
	size := c.record
	if c.cfg.Aggregator == TCP {
		size *= tcpWrite
	}
	buf, sums := make([]byte, size), make([]byte, 0, size)
	for have := 0; ; {
		n, err := unix.Read(in, buf[have:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n == 0:
			return err
		}
		have += n
		whole := have - have%c.record
		sums = sums[:0]
		for at := 0; at < whole; at += c.record {
			copy(frame, path)
			copy(frame[wire.HeaderOffset:], buf[at:at+c.record])
			if err := c.moveOn(&cfg, frame); err != nil {
				return err
			}
			if c.a.Receive(frame) == xagg.Send {
				sums = append(sums, frame[wire.HeaderOffset:]...)
			}
		}
		have = copy(buf, buf[whole:have])
		if err := writeAll(out, sums); err != nil {
			return err
		}
	}
}

// moveOn moves the window in the middle of each iteration, as for the other aggregators.
func (c *chain) moveOn(cfg *xagg.Config, frame []byte) error {
	var h wire.Header
	h.Read(frame[wire.HeaderOffset:])
	if h.Gradient != Fragments/2 || h.Iteration == cfg.Window.Current {
		return nil
	}
	cfg.Window.Current = h.Iteration
	return c.a.Reconfigure(*cfg)
}

// sink is the parameter server.
func (c *chain) sink(fd int) error {
	buf := make([]byte, tcpWrite*c.record)
	for have := 0; ; {
		n, err := unix.Read(fd, buf[have:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n == 0:
			return err
		}
		have += n
		whole := have - have%c.record
		for at := 0; at < whole; at += c.record {
			b := buf[at:]
			if binary.BigEndian.Uint32(b) != c.cfg.last() || int32(binary.BigEndian.Uint32(b[wire.HeaderLen+4*stamped:])) != value(stamped) {
				return errors.New("what came to the parameter server is no sum")
			}
			if c.cfg.RoundTrips && binary.BigEndian.Uint32(b[4:])&63 == 0 {
				if err := writeAll(c.back, b[wire.HeaderLen:wire.HeaderLen+8]); err != nil {
					return err
				}
			}
		}
		c.received.Add(uint64(whole / c.record))
		have = copy(buf, buf[whole:have])
	}
}

// watch takes the time of what the parameter server returned.
func (c *chain) watch(fd int) error {
	b := make([]byte, 8)
	for {
		if ok, err := readAll(fd, b); !ok {
			return err
		}
		took := now() - stampOf(b)
		c.mu.Lock()
		c.trips = append(c.trips, took)
		c.mu.Unlock()
	}
}

// tcpReading is all counters at one time.
type tcpReading struct {
	reading
	info unix.TCPInfo
}

func (c *chain) read() (r tcpReading, err error) {
	r.at, r.sent, r.received = time.Now(), c.sent.Load(), c.received.Load()
	if r.used, err = usageOf(c.workers(), []int{c.cpus.aggregator}); err != nil {
		return r, err
	}
	i, err := c.info()
	if err != nil {
		return r, err
	}
	r.info = *i
	c.mu.Lock()
	defer c.mu.Unlock()
	r.trips = uint64(len(c.trips))
	return r, nil
}

// workers lists the threads that do the relay's work.
func (c *chain) workers() []int {
	if c.cfg.Direct || len(c.napi) == 0 { // the kernel's are not visible
		return nil
	}
	return append(slices.Clone(c.napi), c.relayTID)
}

func (c *chain) window(ctx context.Context) (from, to tcpReading, err error) {
	failed := make(chan error, 1) // threads end when they are told to; end() has their errors
	if err = wait(ctx, failed, c.cfg.For/4); err != nil {
		return from, to, err
	}
	if from, err = c.read(); err != nil {
		return from, to, err
	}
	if err = wait(ctx, failed, c.cfg.For); err != nil {
		return from, to, err
	}
	to, err = c.read()
	return from, to, err
}

func (c *chain) result(from, to tcpReading) (r Result, err error) {
	r.Elapsed, r.Sent, r.Received = to.at.Sub(from.at), to.sent-from.sent, to.received-from.received
	if r.KnownCPU = len(c.workers()) > 0; r.KnownCPU {
		r.setUsage(from.used, to.used, len(c.workers()), 1)
	}
	if n := to.info.Segs_out - from.info.Segs_out; n > 0 {
		r.Again = float64(to.info.Total_retrans-from.info.Total_retrans) / float64(n)
	}
	r.Trips = c.trips[from.trips:to.trips]
	if c.a != nil {
		r.Wrong, r.Checked, err = check(twin{c.a}, c.cfg.Values)
	}
	return r, err
}

// twin is an aggregator of which only sums are asked for.
type twin struct{ a *xagg.Aggregator }

func (t twin) sum(gradient uint32) (xagg.Element, error) { return t.a.Sum(gradient), nil }
