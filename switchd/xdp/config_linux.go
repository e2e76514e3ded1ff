package xdp

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// Reconfigure changes children, parent, next hops and window while packets come, as after a failure
// of a neighbour (XAgg §V), or between iterations. Elements stay as they are. [xagg.Config.Replace]
// says what cannot change.
func (a *Aggregator) Reconfigure(c xagg.Config) error {
	if a.closed {
		return ErrClosed
	}
	if err := c.Replace(&a.first); err != nil {
		return fmt.Errorf("reconfigure aggregator: %w", err)
	}
	a.cfg = c
	return a.configure()
}

// configure writes the configuration to its map.
func (a *Aggregator) configure() error {
	k := kernelConfig{
		Host: a.cfg.Host, Addr: onWire(a.cfg.Addr), Group: onWire(a.cfg.Group), Fragments: a.cfg.Fragments,
		Job: a.cfg.Job, Current: a.cfg.Window.Current, Ahead: a.cfg.Window.Ahead, Mac: a.cfg.MAC,
	}
	for i, t := range [...]xagg.Table{a.cfg.Sums(), a.cfg.Results()} {
		to := &k.Tables[i]
		to.Required, to.Next.Mac, to.Next.Addr, to.Next.Flags = t.Required, t.Next.MAC, onWire(t.Next.Addr), uint16(t.Flags)
		if t.Next.Valid() {
			to.Next.On = 1
		}
		for bit := range wire.MaxHosts {
			to.Covers[slotOf(1<<bit)] = t.Covers[bit]
		}
	}
	if err := a.kernel.Configs.Update(uint32(0), &k, ebpf.UpdateAny); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// slotOf is slot_of of aggregator.c.
func slotOf(host uint32) uint32 { return host * 0x077cb531 >> 27 }

// onWire returns an address as the kernel's program compares it: its bytes as they are in a packet.
func onWire(a netip.Addr) uint32 {
	if !a.IsValid() {
		return 0
	}
	b := a.As4()
	return binary.NativeEndian.Uint32(b[:])
}
