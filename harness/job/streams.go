package job

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/roce"
	"github.com/inalab/inalab/nodes/stream"
)

// transport reads a knob that says what carries the byte streams of a system.
func transport(k Knobs, path string) stream.Transport {
	return stream.Transport(k.Choice(path, string(stream.TCP), string(stream.RoCE)))
}

// carried refuses a live run over what only the virtual clock has.
func (j *Job) carried(system string, t stream.Transport) error {
	if j.Virtual || t != stream.RoCE {
		return nil
	}
	return fmt.Errorf("%s over RoCE runs under the virtual clock only: live hosts have kernel TCP, and no RDMA for byte streams: use --clock virtual, or %s.transport=tcp", system, system)
}

// streamTime is how long so many bytes of a byte stream occupy a host's line, in
// full packets, acknowledgements left out.
func (j *Job) streamTime(t stream.Transport, bytes int) units.Duration {
	payload, headers := j.Plan.MTU-(tcpHeaders-inet.EtherLen), tcpHeaders
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

// peersOf returns the byte streams of so many hosts.
func peersOf(hosts int, of func(host int) []stream.Peer) (out [][]stream.Peer) {
	for i := range hosts {
		out = append(out, of(i))
	}
	return out
}
