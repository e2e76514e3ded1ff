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

// System is the toy with its knobs. It meets job.System and job.Configurable.
type System struct{ Values int }

func (System) Name() string                     { return "toy" }
func (System) Description() string              { return "stop-and-wait: one block at a time" }
func (System) Configure(k job.Knobs) job.System { return System{Values: k.Int("toy.values", 1, 2000)} }

// Layout puts the program into the one switch. A block takes a round trip.
func (s System) Layout(j *job.Job) (job.Layout, error) {
	port, packet := Port+uint16(j.ID)-job.DefaultID, inet.IPv4Len+inet.UDPLen+seqLen+4*s.Values
	e := End{Port: port, Workers: len(j.Hosts()), Blocks: (j.Params + s.Values - 1) / s.Values, Values: s.Values, Header: inet.UDPHeader(j.ToGroup(port)), To: j.HostPorts()}
	l := job.Layout{
		Programs: [][]any{{e}}, Port: port, Group: j.ToGroup(port).Dst, Packet: packet, Window: 1, Block: s.Values,
		Time: units.Duration(e.Blocks) * (2*j.FrameTime(1, inet.EtherLen+packet) + j.Latency(packet)),
	}
	for _, h := range j.Hosts() {
		e.Header, e.To = inet.UDPHeader(j.ToSwitch(&h, port, port)), []sansio.Port{0}
		l.Cores = append(l.Cores, e)
	}
	return l, j.OneEngine()
}

// NewCore makes a worker's end, NewEngine the switch's.
func (System) NewCore(text json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	e, err := job.Decode[End](text)
	return &Core{End: e, rec: rec, Q: make([]int32, e.Blocks*e.Values), Sums: make([]int32, e.Blocks*e.Values)}, err
}

func (System) NewEngine(text json.RawMessage, _ trace.Sink) (dataplane.Engine, error) {
	e, err := job.Decode[End](text)
	return NewProgram(e), err
}
