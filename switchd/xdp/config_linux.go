package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// SetWindow moves the window of iterations; elements stay as they are.
func (a *Aggregator) SetWindow(w xagg.Window) error {
	c := a.cfg
	c.Window = w
	return a.Reconfigure(c)
}

// Reconfigure changes children, parent, next hops and window while packets come, as after a failure
// of a neighbour (XAgg §V). Sizes stay, and so do the tables that were asked for at first.
func (a *Aggregator) Reconfigure(c xagg.Config) error {
	if a.closed {
		return ErrClosed
	}
	if err := c.Validate(); err != nil {
		return fmt.Errorf("reconfigure aggregator: %w", err)
	}
	if err := a.sameTables(&c); err != nil {
		return fmt.Errorf("reconfigure aggregator: %w", err)
	}
	a.cfg = c
	return a.configure()
}

// sameTables refuses a configuration that would need other maps.
func (a *Aggregator) sameTables(c *xagg.Config) error {
	old := &a.cfg
	switch {
	case c.Values != old.Values || c.Fragments != old.Fragments || c.CheckEntries() != old.CheckEntries():
		return errors.New("values, fragments and the check queue have sizes that only loading sets: close it and load another")
	case len(c.Children) > 0 && len(old.Children) == 0:
		return errors.New("it was loaded without children and has no elements for them: close it and load another")
	case c.Parent != 0 && old.Parent == 0:
		return errors.New("it was loaded without a parent and has no elements for results: close it and load another")
	}
	return nil
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
