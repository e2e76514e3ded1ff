//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"

	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// Identities on the wires.
const (
	jobID    = 7
	workerID = 1
	serverID = 1 << 30
)

var (
	workerAddr = netip.MustParseAddr("10.9.1.1")
	serverAddr = netip.MustParseAddr("10.9.1.2")
	psAddr     = netip.MustParseAddr("10.9.2.2")
)

// hosts are the worker and the parameter server as XDP programs.
type hosts struct {
	cfg   *Config
	w     *wires
	rig   rigObjects
	links []link.Link

	senders []int // CPU of each

	stop atomic.Bool
	at   [MaxQueues]atomic.Uint64 // packets that each sender has sent
	tids [MaxQueues]atomic.Int32  // threads of the senders
	done chan error               // one of each sender
}

func newHosts(w *wires, c *Config, senders []int) (_ *hosts, err error) {
	h := &hosts{cfg: c, w: w, senders: senders, done: make(chan error, MaxQueues)}
	if err = h.load(); err == nil {
		err = h.attach()
	}
	if err == nil {
		err = h.setGenerators()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set hosts up: %w", explain(err)), h.close())
	}
	return h, nil
}

func (h *hosts) load() error {
	if err := rlimit.RemoveMemlock(); err != nil {
		return err
	}
	spec, err := loadRig()
	if err != nil {
		return err
	}
	onward, err := index(h.w.worker, h.w.toPS())
	if err != nil {
		return err
	}
	returns := uint32(0)
	if h.cfg.RoundTrips {
		returns = 1
	}
	for name, v := range map[string]uint32{"onward": uint32(onward), "returns": returns, "from": networkOrder(h.cfg.last()), "third": networkOrder(uint32(value(stamped)))} {
		if err := spec.Variables[name].Set(v); err != nil {
			return err
		}
	}
	spec.Maps["generators"].MaxEntries = uint32(slices.Max(h.senders) + 1)
	return spec.LoadAndAssign(&h.rig, nil)
}

// networkOrder returns the number whose bytes in memory are those of v on the wire.
func networkOrder(v uint32) uint32 {
	return binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, v))
}

// last is the host that sends to the parameter server.
func (c *Config) last() uint32 {
	if c.Direct {
		return workerID
	}
	return serverID
}

// attach puts the programs on the ends of the worker and the parameter server.
func (h *hosts) attach() error {
	for _, p := range []struct {
		space   ns.NetNS
		name    string
		program *ebpf.Program
	}{
		{h.w.worker, h.w.toServer(), h.rig.Turn}, {h.w.worker, h.w.toPS(), h.rig.Watch}, {h.w.ps, h.w.ofPS(), h.rig.Sink},
	} {
		if err := h.attachTo(p.space, p.name, p.program, driverMode); err != nil {
			return err
		}
	}
	// A call that runs a program that is attached nowhere waits for all CPUs, twice.
	return h.attachTo(h.w.worker, "lo", h.rig.Generate, genericMode)
}

func (h *hosts) attachTo(space ns.NetNS, name string, p *ebpf.Program, mode link.XDPAttachFlags) error {
	n, err := index(space, name)
	if err != nil {
		return err
	}
	return space.Do(func(ns.NetNS) error {
		l, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: n, Flags: mode})
		if err == nil {
			h.links = append(h.links, l)
		}
		return err
	})
}

// destination is who the worker sends to.
func (h *hosts) destination() netip.Addr {
	if h.cfg.Direct {
		return psAddr
	}
	return serverAddr
}

func (h *hosts) setGenerators() error {
	frame := h.frame()
	for q := range h.cfg.Queues {
		g := rigGenerator{First: uint32(q*Fragments + 1), Last: uint32((q + 1) * Fragments)}
		g.Gradient = g.First
		if h.cfg.Rate > 0 {
			g.Burst = uint32(h.cfg.Burst)
			g.Gap = uint64(1e9 * float64(h.cfg.Queues*h.cfg.Burst) / h.cfg.Rate)
		}
		copy(g.Header[:], frame)
		if err := h.rig.Generators.Put(uint32(h.senders[q]), &g); err != nil {
			return err
		}
	}
	return nil
}

// frame is the packet that all are made of. Its values stay as they are on the whole way, since
// an aggregator of one worker forwards what it gets.
func (h *hosts) frame() []byte {
	values := make([]int32, h.cfg.Values)
	for i := range values {
		values[i] = value(i)
	}
	return wire.Frame(wire.Path{Src: workerAddr, Dst: h.destination()}, wire.Header{Host: workerID, Job: jobID}, values)
}

// value is what each packet has at a place, but for the first [stamped], which are the time.
func value(at int) int32 { return int32(uint32(at+1) * 0x3779b97f) }

const stamped = 2

// sender is the worker's traffic for one queue. It has a thread of its own until stop is set.
func (h *hosts) sender(q int, began chan<- struct{}, advance func(iteration uint16) error) error {
	runtime.LockOSThread() // and never unlocked: the thread ends with its CPU and namespace
	h.tids[q].Store(int32(unix.Gettid()))
	close(began)
	if err := errors.Join(unix.Setns(int(h.w.worker.Fd()), unix.CLONE_NEWNET), pin(0, h.senders[q])); err != nil {
		return err
	}
	from := h.w.toServer()
	if h.cfg.Direct {
		from = h.w.toPS()
	}
	n, err := index(h.w.worker, from)
	if err != nil {
		return err
	}
	run := ebpf.RunOptions{Data: h.frame(), Repeat: h.chunk(), BatchSize: batch, Flags: unix.BPF_F_TEST_XDP_LIVE_FRAMES}
	run.Context = xdpContext{DataEnd: uint32(len(run.Data)), Ingress: uint32(n)}
	for at := uint64(0); !h.stop.Load(); {
		if at > h.slowest()+ahead {
			runtime.Gosched() // so far ahead of another queue that its iteration would be another one
			continue
		}
		if _, err := h.rig.Generate.Run(&run); err != nil {
			return fmt.Errorf("send: %w", explain(err))
		}
		var g rigGenerator
		if err := h.rig.Generators.Lookup(uint32(h.senders[q]), &g); err != nil {
			return err
		}
		at = g.Sent
		h.at[q].Store(at)
		if err := h.moveOn(q, advance); err != nil {
			return err
		}
	}
	return nil
}

// ahead is how far one queue may be ahead of another: with what a call sends and half an iteration,
// after which the window moves, it stays within the next iteration.
const ahead = 3 * Fragments / 8

// batch is the packets that leave at once: a quarter of what the ring of a veth holds.
const batch = 64

// chunk is how many runs of the generator a call to the kernel makes: about a millisecond of
// packets, or of waiting for them to be due.
func (h *hosts) chunk() uint32 {
	if h.cfg.Rate > 0 {
		return 16384
	}
	return 4096
}

// xdpContext is struct xdp_md of linux/bpf.h.
type xdpContext struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }

func (h *hosts) slowest() uint64 {
	least := h.at[0].Load()
	for q := 1; q < h.cfg.Queues; q++ {
		least = min(least, h.at[q].Load())
	}
	return least
}

// moveOn lets the aggregator take the next iteration when all senders are in the second half of
// this one: then nothing of the one before is on its way any more. One sender does it for all.
func (h *hosts) moveOn(q int, advance func(iteration uint16) error) error {
	at := h.slowest()
	if q != 0 || at%Fragments < Fragments/2 {
		return nil
	}
	return advance(uint16(at / Fragments))
}

// counts returns the packets that were sent and received so far.
func (h *hosts) counts() (sent, received uint64, err error) {
	for q := range h.cfg.Queues {
		var g rigGenerator
		if err := h.rig.Generators.Lookup(uint32(h.senders[q]), &g); err != nil {
			return 0, 0, err
		}
		sent += g.Sent
	}
	var each []uint64
	if err := h.rig.Received.Lookup(uint32(0), &each); err != nil {
		return 0, 0, err
	}
	for _, n := range each {
		received += n
	}
	return sent, received, nil
}

// trips returns the round trips from a number on.
func (h *hosts) trips(from uint64) (list []time.Duration, err error) {
	to, err := h.sampled()
	if err != nil {
		return nil, err
	}
	if kept := uint64(h.rig.Samples.MaxEntries()); to-from > kept {
		from = to - kept
	}
	for ; from < to; from++ {
		var ns uint64
		if err := h.rig.Samples.Lookup(uint32(from%uint64(h.rig.Samples.MaxEntries())), &ns); err != nil {
			return nil, err
		}
		list = append(list, time.Duration(ns))
	}
	return list, nil
}

func (h *hosts) sampled() (n uint64, err error) {
	err = h.rig.Sampled.Get(&n)
	return n, err
}

func (h *hosts) close() error {
	var errs []error
	for _, l := range h.links {
		errs = append(errs, l.Close())
	}
	return errors.Join(append(errs, h.rig.Close())...)
}

// stampOf reads the time that a packet left from its values.
func stampOf(values []byte) time.Duration { return time.Duration(binary.NativeEndian.Uint64(values)) }

// How the programs of the rig are attached.
const (
	driverMode  = link.XDPDriverMode
	genericMode = link.XDPGenericMode
)
