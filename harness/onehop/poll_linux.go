//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/switchd/program/xagg"
)

// polling is the logic in Go behind an AF_XDP socket, which one thread polls without a pause, as a
// program on DPDK polls its card.
type polling struct {
	a   *xagg.Aggregator
	cfg xagg.Config
	x   *xsk

	tid       int
	worked    atomic.Int64  // CPU time of rounds that had packets, in nanoseconds
	sending   atomic.Int64  // of that, in the kernel to send
	iteration atomic.Uint32 // that the window is to begin with
	stop      atomic.Bool
	done      chan error
}

func newPolling(w *wires, c *Config, h *hosts) (_ *polling, err error) {
	p := &polling{cfg: aggregatorConfig(c), done: make(chan error, 1)}
	if p.a, err = xagg.New(p.cfg); err != nil {
		return nil, err
	}
	if err := h.attachTo(w.server, w.ofServer(), h.rig.Steer, driverMode); err != nil {
		return nil, err
	}
	n, err := index(w.server, w.ofServer())
	if err != nil {
		return nil, err
	}
	if err := w.server.Do(func(ns.NetNS) error { p.x, err = newXSK(n); return err }); err != nil {
		return nil, err
	}
	if err := h.rig.Sockets.Put(uint32(0), uint32(p.x.fd)); err != nil {
		return nil, errors.Join(fmt.Errorf("register an AF_XDP socket: %w", err), p.x.close())
	}
	tid := make(chan int)
	go func() { p.done <- p.loop(tid) }()
	p.tid = <-tid
	return p, nil
}

// loop is the aggregator's thread.
func (p *polling) loop(tid chan<- int) error {
	runtime.LockOSThread() // and never unlocked: the thread ends with its CPU
	tid <- unix.Gettid()
	for !p.stop.Load() {
		if current := uint16(p.iteration.Load()); current != p.cfg.Window.Current {
			p.cfg.Window.Current = current
			if err := p.a.Reconfigure(p.cfg); err != nil {
				return err
			}
		}
		if err := p.round(); err != nil {
			return fmt.Errorf("poll: %w", err)
		}
	}
	return nil
}

// round takes what has come, and sends what it finishes.
func (p *polling) round() error {
	x := p.x
	x.recycle()
	from, to := x.rx.consumer.Load(), x.rx.producer.Load()
	if from == to && x.tx.consumer.Load() == x.tx.producer.Load() {
		return nil
	}
	began := threadTime()
	defer func() { p.worked.Add(threadTime() - began) }()
	for ; from != to; from++ {
		d := *x.rx.packet(from)
		if p.a.Receive(x.frame(&d)) == xagg.Send {
			x.put(d)
		} else {
			x.release(d.Addr)
		}
	}
	x.rx.consumer.Store(to)
	if x.tx.consumer.Load() == x.tx.producer.Load() { // a call sends no more than 32
		return nil
	}
	kicked := threadTime()
	err := x.kick()
	p.sending.Add(threadTime() - kicked)
	return err
}

func (p *polling) advance(iteration uint16) error {
	p.iteration.Store(uint32(iteration))
	return nil
}

func (p *polling) threads() []int { return []int{p.tid} }

// sum is called when nothing comes any more.
func (p *polling) sum(gradient uint32) (xagg.Element, error) {
	if err := p.end(); err != nil {
		return xagg.Element{}, err
	}
	return p.a.Sum(gradient), nil
}

// end ends the thread. It may be called again.
func (p *polling) end() error {
	if p.stop.Swap(true) {
		return nil
	}
	return <-p.done
}

func (p *polling) close() error { return errors.Join(p.end(), p.x.close()) }

// threadTime returns the CPU time of the calling thread, in nanoseconds.
func threadTime() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return t.Nano()
}
