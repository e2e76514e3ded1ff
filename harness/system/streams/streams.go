// Package streams is what systems have in common whose workers talk by byte streams and
// get no help from the network.
package streams

import (
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/roce"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Transport reads a knob that says what carries the byte streams of a system.
func Transport(k job.Knobs, path string) stream.Transport {
	return stream.Transport(k.Choice(path, string(stream.TCP), string(stream.TCPECN), string(stream.RoCE)))
}

// TransportText says what that knob means.
const TransportText = "what carries byte streams: TCP; TCP that reacts to marks, or RoCE, both under the virtual clock only"

// virtualOnly says of a transport that live hosts do not have what they have instead.
var virtualOnly = map[stream.Transport]string{
	stream.RoCE:   "RoCE runs under the virtual clock only: live hosts have kernel TCP, and no RDMA for byte streams",
	stream.TCPECN: "TCP with ECN runs under the virtual clock only: live hosts have kernel TCP, which is not asked for ECN",
}

// Host is a system on one host of a job.
type Host struct {
	Config any           // of its core, or of the dedicated server there
	Values int           // as in [job.Layout]
	Bytes  int           // that occupy its line one way in an all-reduce
	Peers  []stream.Peer // which are counted as the hosts of the job
}

// Layout lays the system of a job over hosts: those of its workers, and behind them those
// of servers. The line that is occupied longest sets the time.
func Layout(j *job.Job, t stream.Transport, hosts []plan.Host, on func(i int, h plan.Host) Host) (job.Layout, error) {
	if lacks := virtualOnly[t]; lacks != "" && !j.Virtual {
		system := j.System.Name()
		return job.Layout{}, fmt.Errorf("%s over %s: use --clock virtual, or %s.transport=tcp", system, lacks, system)
	}
	l := job.Layout{Transport: t, Fluid: true, Block: j.Params, Peers: make([][]stream.Peer, len(j.Plan.Hosts))}
	for i, h := range hosts {
		host := on(i, h)
		l.Values = host.Values
		l.Time = max(l.Time, lineTime(j, t, host.Bytes, j.RateOf(&h)))
		for _, p := range host.Peers {
			p.Host = hosts[p.Host].Index
			l.Peers[h.Index] = append(l.Peers[h.Index], p)
		}
		if i < len(j.Hosts()) {
			l.Cores = append(l.Cores, host.Config)
		} else {
			l.Dedicated = append(l.Dedicated, host.Config)
		}
	}
	return l, nil
}

// CheckServers says that a job has another number of hosts for servers than its system needs, and
// what decides how many that are.
func CheckServers(j *job.Job, need int, decides string) error {
	if j.Servers == need {
		return nil
	}
	has := fmt.Sprintf("topology %s has", j.Plan.Name)
	if j.On != nil {
		has = "those that are named are"
	}
	return fmt.Errorf("%s needs %d hosts for servers beside %d workers, but %s %d: %s", j.System.Name(), need, len(j.Hosts()), has, j.Servers, decides)
}

// lineTime is how long so many bytes of a byte stream occupy a line, in full packets,
// acknowledgements left out.
func lineTime(j *job.Job, t stream.Transport, bytes int, rate units.Rate) units.Duration {
	f := FramingOf(j, t)
	full, rest := bytes/f.Payload, bytes%f.Payload
	d := job.FrameTimeAt(rate, full, f.Payload+f.Headers)
	if rest > 0 {
		d += job.FrameTimeAt(rate, 1, rest+f.Headers)
	}
	return d
}

// Framing is how a transport cuts a byte stream into frames: so many bytes of the stream in a full one, and so many of headers
// in each.
type Framing struct{ Payload, Headers int }

// FramingOf is that of a transport on the links of a job.
func FramingOf(j *job.Job, t stream.Transport) Framing {
	if t == stream.RoCE {
		return Framing{max(roce.MinPathMTU, roce.PathMTU(j.Plan.MTU)), inet.UDPHeaders + roce.Headers}
	}
	return Framing{j.Plan.MTU - (job.TCPHeaders - inet.EtherLen), job.TCPHeaders}
}

// Pass is how long it takes until the first bytes of a message have passed lines that nothing else
// occupies. Each frame passes a line as a whole before it goes on to the next.
func (f Framing) Pass(way []topo.LinkSpec, message, first int) units.Duration {
	free := make([]units.Duration, len(way)) // when a line has sent what it has
	for sent := 0; sent < first; sent += f.Payload {
		at := units.Duration(0)
		for i := range way {
			free[i] = max(at, free[i]) + job.FrameTimeAt(way[i].Rate, 1, min(f.Payload, message-sent)+f.Headers)
			at = free[i] + way[i].Delay
		}
	}
	return free[len(way)-1] + way[len(way)-1].Delay
}
