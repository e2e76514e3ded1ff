package conductor

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/xagg/manager"
)

// Mode says where the tree comes from.
type Mode string

// The modes.
const (
	Plan    Mode = "plan"    // from the times of a first iteration over the PS alone (XAgg §V)
	KAry    Mode = "kary"    // at once, as if all workers took the same time
	Testbed Mode = "testbed" // at once: the paper's, 3, 3 and 1 of 7 workers over 2 servers (XAgg Fig 12)
	Star    Mode = "star"    // the PS alone, always
)

// What a [Testbed] has.
const (
	testbedWorkers = 7
	testbedServers = 2
	testbedArity   = 3
)

// Defaults and limits of a [Config].
const (
	DefaultPeriod  = 100 * units.Millisecond // assumed: the paper says that servers report, not how often
	DefaultResend  = 50 * units.Millisecond  // assumed, as in package rates
	DefaultStartup = units.Second            // assumed
	silentPeriods  = 3                       // without a report: a server fails (assumed)

	// misplacedReports without the place that a server acknowledged are a restart: earlier ones may have
	// been on their way with the answer (assumed).
	misplacedReports = 3

	// mostTries is how often a server gets an order that it does not acknowledge (assumed): with a tenth
	// of the messages lost, all of them fail less than once in a million times.
	mostTries = 10
)

// Host is a node that can be in the tree.
type Host struct {
	Name string
	ID   uint32     // one-hot: at most 32 hosts (XAgg §IV-A)
	Addr netip.Addr // IPv4
	MAC  inet.MAC
}

// Server is a host that can aggregate, with what it has to spare before its first report.
type Server struct {
	Host
	Bandwidth units.Rate
	Cores     int
	Memory    units.Bytes
	Used      units.Bytes // of the memory
}

// Config describes a job and its hosts.
type Config struct {
	Job     uint16
	Mode    Mode
	K       int         // most children of a node when the tree is planned; 0 chooses 2 to 5; the testbed has 3
	Model   units.Bytes // that a server caches
	PS      Host
	Workers []Host         // in the order of equal times
	Servers []Server       // candidates
	Period  units.Duration // of a server's reports; 0 is DefaultPeriod
	Resend  units.Duration // until an order is sent again that was not acknowledged; 0 is DefaultResend
	Startup units.Duration // how long a server may take to its first report; 0 is DefaultStartup
}

// resolve puts defaults in the place of zeros.
func (c *Config) resolve() {
	c.Period = cmp.Or(c.Period, DefaultPeriod)
	c.Resend = cmp.Or(c.Resend, DefaultResend)
	c.Startup = cmp.Or(c.Startup, DefaultStartup)
	if c.Mode == Testbed {
		c.K = testbedArity
	}
}

// validate checks a configuration whose zeros are resolved. Names and numbers of a plan are checked by
// package manager.
func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch c.Mode {
	case Plan, KAry, Testbed, Star:
	default:
		fault("tree %q: give %s, %s, %s or %s", c.Mode, Plan, KAry, Testbed, Star)
	}
	if c.Mode == Testbed && (len(c.Workers) != testbedWorkers || len(c.Servers) < testbedServers) {
		fault("tree %s with %d workers and %d servers: it has %d workers and %d servers", Testbed, len(c.Workers), len(c.Servers), testbedWorkers, testbedServers)
	}
	if c.K != 0 && (c.K < 2 || c.K >= manager.MaxHosts) {
		fault("k = %d children: 2 to %d are possible, or 0 to choose", c.K, manager.MaxHosts-1)
	}
	if c.Period < 0 || c.Resend < 0 || c.Startup < 0 {
		fault("period %v, resend time %v and startup time %v: none may be negative", c.Period, c.Resend, c.Startup)
	}
	return errors.Join(append(errs, c.validateHosts())...)
}

func (c *Config) validateHosts() error {
	all := c.all()
	if len(all) > manager.MaxHosts {
		return fmt.Errorf("%d workers, %d servers and the PS are %d hosts, and host ids have %d bits: take fewer workers or servers", len(c.Workers), len(c.Servers), len(all), manager.MaxHosts)
	}
	ids := map[uint32]string{}
	for _, h := range all {
		switch {
		case bits.OnesCount32(h.ID) != 1:
			return fmt.Errorf("host %q has host id %#x: it must have one bit", h.Name, h.ID)
		case ids[h.ID] != "":
			return fmt.Errorf("hosts %q and %q have host id %#x: give each host its own bit", ids[h.ID], h.Name, h.ID)
		case !h.Addr.Is4() || h.Addr.IsUnspecified() || h.Addr.IsMulticast():
			return fmt.Errorf("host %q has address %v: it must be the IPv4 address of one host", h.Name, h.Addr)
		case h.MAC == inet.MAC{} || h.MAC.IsMulticast():
			return fmt.Errorf("host %q has Ethernet address %x: it must be the address of one host", h.Name, h.MAC)
		}
		ids[h.ID] = cmp.Or(h.Name, "without a name")
	}
	return nil
}

// all returns the PS, the workers and the servers.
func (c *Config) all() []Host {
	all := append([]Host{c.PS}, c.Workers...)
	for i := range c.Servers {
		all = append(all, c.Servers[i].Host)
	}
	return all
}
