package toy

import (
	"encoding/json"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

const port = 49400 // UDP, both ends; from the dynamic range (RFC 6335)

// System is the toy with its knobs. It meets job.System.
type System struct {
	Values  int
	Timeout units.Duration
}

func (System) Name() string        { return "toy" }
func (System) Description() string { return "stop-and-wait: one block of each worker at a time" }

// Configure reads the section "toy" of a scenario.
func (System) Configure(k job.Knobs) job.System {
	return System{Values: k.Int("toy.values", 1, 2000), Timeout: k.Duration("toy.timeout")}
}

// Layout puts the program into the one switch. A block takes a round trip.
func (s System) Layout(j *job.Job) (job.Layout, error) {
	out, packet := j.ToGroup(port), inet.IPv4Len+inet.UDPLen+seqLen+4*s.Values
	c := config{Workers: len(j.Plan.Hosts), Blocks: (j.Params + s.Values - 1) / s.Values, Values: s.Values, Flow: out, Ports: j.HostPorts()}
	l := job.Layout{
		Programs: [][]any{{c}}, Port: port, Group: out.Dst, Packet: packet, Window: 1, Block: s.Values,
		Time: units.Duration(c.Blocks) * (2*j.FrameTime(1, inet.EtherLen+packet) + j.Latency(packet)),
	}
	for i := range j.Plan.Hosts {
		c.Flow, c.Ports, c.Timeout = j.ToSwitch(&j.Plan.Hosts[i], port, port), []sansio.Port{0}, s.Timeout
		l.Cores = append(l.Cores, c)
	}
	return l, j.OneEngine()
}

// NewCore makes a worker's end of what Layout wrote.
func (System) NewCore(text json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	c, err := job.Decode[config](text)
	return newCore(c, rec), err
}

// NewEngine makes the switch's end.
func (System) NewEngine(text json.RawMessage, _ trace.Sink) (dataplane.Engine, error) {
	c, err := job.Decode[config](text)
	return newProgram(c), err
}
