package xagg

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

// stores are the words of the knob, in the order of what they stand for.
var stores = []string{Probe: "probe", Kernel: "xdp", Socket: "socket"}

// mostFactor leaves an int32 a range of 2 (assumed: gradients are smaller).
const mostFactor = 1e9

// Most of a server; both assumed.
const (
	mostCores  = 4096
	mostMemory = 1 << 20 // GiB
)

// Configure reads the section "xagg", which may be left out.
func (s System) Configure(k job.Knobs) job.System {
	s.Mode = conductor.Mode(k.Choice("xagg.tree", string(conductor.KAry), string(conductor.Plan), string(conductor.Testbed), string(conductor.Star)))
	s.K = k.IntOr("xagg.k", aggtree.LeastK, aggtree.MostK, aggtree.DefaultK)
	s.Values = k.IntOr("xagg.values", wire.MinValues, wire.MaxValues, wire.Values)
	s.Agents = k.IntOr("xagg.agents", 1, agent.MaxAgents, agent.DefaultAgents)
	s.Store = Store(slices.Index(stores, k.Choice("xagg.store", stores...)))
	s.Prompt = k.Choice("xagg.delays", "paper", "none") == "none"
	s.Factor = k.IntOr("xagg.factor", 1, mostFactor, DefaultFactor)
	s.Spares = k.IntOr("xagg.spares", 0, wire.MaxHosts, 0)
	s.Cores = k.IntOr("xagg.cores", 1, mostCores, DefaultCores)
	s.Memory = units.Bytes(k.IntOr("xagg.memory", 1, mostMemory, int(DefaultMemory/units.GiB))) * units.GiB
	s.Busy = Busy{Server: k.IntOr("xagg.busy-server", 0, wire.MaxHosts, 0), At: k.Duration("xagg.busy-at", "start", "")}
	return s
}
