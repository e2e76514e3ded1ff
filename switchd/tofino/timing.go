package tofino

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// All constants of time and of buffers. What no public source gives is assumed, with
// its reason.
const (
	// PassTime is from the entry of a packet into an ingress until it enters an ingress
	// again: 520 ns a further pass, measured with packets of 256 values (SwitchML §5). The
	// whole of it is charged whatever the size of the packet; waiting for the port comes
	// on top.
	PassTime = 520 * units.Nanosecond

	// IngressTime is from the end of a packet at a port to the traffic manager, EgressTime
	// from its queue to the wire. Assumed: 400 ns from port to port, what cut-through
	// switches of its time are sold with, in equal parts. Together they are less than
	// PassTime, whose way back goes through a port. Range 100 to 400 ns each.
	IngressTime = 200 * units.Nanosecond
	EgressTime  = 200 * units.Nanosecond

	// ResubmitTime is the longest way back of a packet that is resubmitted: a pass is then as long as by a
	// port (assumed; see Timing.Resubmit).
	ResubmitTime = PassTime - IngressTime

	// PortRate is that of a port, of one in loopback mode, and of quads 16 and 17 of a pipe
	// (SwitchML §5: 64 ports of 100 Gbit/s, 16 of them for workers; p4app-switchML,
	// controller/switchml.py sets quads 16 to 100 Gbit/s; p4c, backends/tofino/bf-p4c/
	// specs/parde_spec.h: the line rate of each parser is 100 Gbit/s). That quads 16 and 17 take
	// PassTime as front ports in loopback mode do is assumed.
	PortRate = 100 * units.GbitPerSecond

	// InputRate is that of the way from a port into its ingress, for fresh packets and resubmitted
	// ones together: the port keeps a packet until its ingress is over, and sends it once more (TNA
	// 7.14). No public source tells the rate; assumed that of the port, and that fresh packets go
	// first, since they cannot wait.
	InputRate = PortRate

	// MirrorRate is that of the way of all mirrored copies of a pipe to the traffic manager. No public
	// source tells it; assumed that of one port. A copy that finds no room is not made, and its packet
	// goes on (assumed).
	MirrorRate = PortRate

	// InputBytes is what a port holds of resubmitted packets, MirrorBytes what a pipe holds of
	// mirrored copies. Assumed: three of the longest packets.
	InputBytes  = 3 * MaxFrame
	MirrorBytes = 3 * MaxFrame

	// CellBytes is the unit of the packet buffer, that of eg.enq_depth (TNA 5.8.1).
	CellBytes = 80

	// BufferCells is the packet buffer, shared by all queues. Assumed: 22 MB, which
	// descriptions of 6.4 Tbit/s switches of this family give.
	BufferCells = 22_000_000 / CellBytes

	// QueueCells is what one queue may take of it. Assumed: a sixteenth, so that the
	// ports of one pipe together can fill it.
	QueueCells = BufferCells / 16
)

// Timing is how long the parts of a chip take, and how much its queues hold. The zero
// value is not valid: start from [DefaultTiming].
type Timing struct {
	Ingress units.Duration // see IngressTime
	Egress  units.Duration // see EgressTime
	Pass    units.Duration // see PassTime; at least Ingress
	// Resubmit is the way back of a packet that is resubmitted, from the end of its ingress. No public source tells it: from
	// 0, since its port keeps it until then (TNA 7.14), to that of one that is recirculated, [ResubmitTime].
	Resubmit units.Duration
	Front    units.Rate // of front ports; 0: their queues are outside, in the links
	Loop     units.Rate // of ports in loopback mode, and of those for recirculation
	Input    units.Rate // see InputRate
	Mirror   units.Rate // see MirrorRate
	Buffer   int        // cells; see BufferCells
	Queue    int        // cells; see QueueCells
	Mark     int        // cells before a packet that is marked; 0: none is
}

// DefaultTiming returns the constants of this package, without marks.
func DefaultTiming() Timing {
	return Timing{
		Ingress: IngressTime, Egress: EgressTime, Pass: PassTime, Resubmit: ResubmitTime, Front: PortRate, Loop: PortRate,
		Input: InputRate, Mirror: MirrorRate, Buffer: BufferCells, Queue: QueueCells,
	}
}

// maxConstant bounds every constant of a Timing (assumed), so that sums of them stay
// far from the end of time.
const maxConstant = units.Millisecond

func (t *Timing) validate() error {
	var errs []error
	between := func(name string, d, least units.Duration) {
		if d < least || d > maxConstant {
			errs = append(errs, fmt.Errorf("timing: %s of %v: %v to %v is possible", name, d, least, maxConstant))
		}
	}
	between("ingress", t.Ingress, 0)
	between("egress", t.Egress, 0)
	between("pass", t.Pass, max(t.Ingress, units.Nanosecond))
	between("resubmit", t.Resubmit, 0)
	if t.Front < 0 || t.Loop <= 0 {
		errs = append(errs, fmt.Errorf("timing: rates of %d and %d bit/s: a loopback port needs one", t.Front, t.Loop))
	}
	if t.Input <= 0 || t.Mirror <= 0 {
		errs = append(errs, fmt.Errorf("timing: rates of %d bit/s into an ingress and %d of mirrored copies: give each", t.Input, t.Mirror))
	}
	if t.Buffer < 1 || t.Queue < 1 || t.Mark < 0 {
		errs = append(errs, fmt.Errorf("timing: a buffer of %d cells, queues of %d, marks from %d: give at least 1, 1 and 0",
			t.Buffer, t.Queue, t.Mark))
	}
	return errors.Join(errs...)
}
