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
	return a.configure(&c)
}

// configure writes the configuration to the entry that is not in use, and has the program use it.
func (a *Aggregator) configure(c *xagg.Config) error {
	k := encode(c)
	slot := 1 - a.slot
	if err := a.kernel.Configs.Update(slot, &k, ebpf.UpdateAny); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if err := a.kernel.Active.Set(slot); err != nil {
		return fmt.Errorf("switch to the configuration: %w", err)
	}
	a.cfg, a.slot = *c, slot
	return nil
}

// encode returns struct config of aggregator.c.
func encode(c *xagg.Config) kernelConfig {
	k := kernelConfig{
		Host: c.Host, Addr: onWire(c.Addr), Group: onWire(c.Group), Fragments: c.Fragments,
		Job: c.Job, Current: c.Window.Current, Ahead: c.Window.Ahead, Mac: c.MAC,
	}
	for i, t := range [...]xagg.Table{c.Sums(), c.Results()} {
		to := &k.Tables[i]
		to.Required, to.Next.Mac, to.Next.Addr, to.Next.Flags = t.Required, t.Next.MAC, onWire(t.Next.Addr), uint16(t.Flags)
		if t.Next.Valid() {
			to.Next.On = 1
		}
		for bit := range wire.MaxHosts {
			to.Covers[slotOf(1<<bit)] = t.Covers[bit]
		}
	}
	return k
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
