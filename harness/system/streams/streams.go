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
)

// Transport reads a knob that says what carries the byte streams of a system.
func Transport(k job.Knobs, path string) stream.Transport {
	return stream.Transport(k.Choice(path, string(stream.TCP), string(stream.RoCE)))
}

// Check refuses a live run over what only the virtual clock has.
func Check(j *job.Job, system string, t stream.Transport) error {
	if j.Virtual || t != stream.RoCE {
		return nil
	}
	return fmt.Errorf("%s over RoCE runs under the virtual clock only: live hosts have kernel TCP, and no RDMA for byte streams: use --clock virtual, or %s.transport=tcp", system, system)
}

// Time is how long so many bytes of a byte stream occupy a host's line, in
// full packets, acknowledgements left out.
func Time(j *job.Job, t stream.Transport, bytes int) units.Duration {
	payload, headers := j.Plan.MTU-(job.TCPHeaders-inet.EtherLen), job.TCPHeaders
	if t == stream.RoCE {
		payload, headers = max(roce.MinPathMTU, roce.PathMTU(j.Plan.MTU)), inet.UDPHeaders+roce.Headers
	}
	full, rest := bytes/payload, bytes%payload
	d := j.FrameTime(full, payload+headers)
	if rest > 0 {
		d += j.FrameTime(1, rest+headers)
	}
	return d
}

// Peers returns the byte streams of so many hosts.
func Peers(hosts int, peers func(host int) []stream.Peer) (out [][]stream.Peer) {
	for i := range hosts {
		out = append(out, peers(i))
	}
	return out
}
