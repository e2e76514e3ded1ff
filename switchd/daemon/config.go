package daemon

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio/afpacket"
	"github.com/inalab/inalab/switchd/chassis"
)

// Config describes the process of one switch. It can be written as JSON.
type Config struct {
	Chassis    chassis.Config
	TracePath  string         // new file for the trace; empty: no trace
	Events     int            // how many of the latest and first events are kept; 0: none
	EventsPath string         // new file for them at the end; empty: they serve answers alone
	Plain      bool           // do without offloads, as afpacket.Config says
	RingFrames int            // of each port, as in afpacket.Config; zero is its default
	Control    string         // new socket for the control plane, as in package control; empty: none
	Service    *ServiceConfig // what answers clients of a user's own; nil: nothing does
}

func (c *Config) validate() error {
	if c.RingFrames < 0 {
		return fmt.Errorf("ring of %d frames: it must be positive, or zero for %d", c.RingFrames, afpacket.DefaultRingFrames)
	}
	if c.Events < 0 || c.Events == 0 && c.EventsPath != "" {
		return fmt.Errorf("%d events kept for file %q: at least one is needed for a file, and never fewer than none", c.Events, c.EventsPath)
	}
	for _, p := range c.Chassis.Switch.Ports {
		if p.Wired {
			return nil
		}
	}
	return errors.New("no port has a link: the switch would have nothing to do")
}

// ports returns what to open: the interfaces of the wired ports, in order.
func (c *Config) ports() afpacket.Config {
	out := afpacket.Config{Plain: c.Plain, RingFrames: c.RingFrames}
	for _, p := range c.Chassis.Switch.Ports {
		if p.Wired {
			out.Ports = append(out.Ports, afpacket.PortConfig{Iface: p.Iface})
		}
	}
	return out
}
