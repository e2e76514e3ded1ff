package fidelity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Hold holds what a run of a job came to against what it asked for, under either clock, and adds cautions
// to its verdict. It comes after [Judge], when samples, links and resends are there.
func Hold(s *job.Set, j *job.Job, c *result.Cell) {
	h := held{set: s, job: j, cell: c}
	h.count()
	c.Fidelity.Warn(slices.Concat(j.Layout.Cautions, h.slow(), h.again())...)
}

// held is a run that is held against what it asked for.
type held struct {
	set  *job.Set
	job  *job.Job
	cell *result.Cell

	sent uint64 // frames that hosts of the job put on their links
	lost uint64 // frames that links dropped, for any reason
	full uint64 // of these, for want of room in a queue

	mixed uint64 // frames that overtook or came twice: a stream takes those for losses
}

func (h *held) count() {
	members := h.job.Members()
	for i := range h.cell.Links {
		l := &h.cell.Links[i]
		h.lost += l.Dropped()
		h.full += l.DroppedBy(result.DropQueueFull)
		h.mixed += l.Reordered + l.Duplicated
		for k := range members {
			if strings.HasPrefix(l.Name, members[k].Name+":") {
				h.sent += l.Frames + l.Dropped()
			}
		}
	}
}

// slow says by how much an iteration took longer than what was asked for explains.
func (h *held) slow() []string {
	bound, got := h.set.Bound(h.job, h.lost), h.mean()
	if bound == 0 || h.cell.Ended != nil || got <= bound.Scale(slowTrusted) {
		return nil
	}
	text := fmt.Sprintf("an iteration took %v, %.3g times the %v expected", round(got), float64(got)/float64(h.cell.Expected), round(h.cell.Expected))
	if bound > h.cell.Expected {
		text += fmt.Sprintf(" and %.3g times the %v that loss, stragglers, traffic and changes explain", float64(got)/float64(bound), round(bound))
	}
	return []string{text + ": " + h.cause()}
}

// mean is that of an iteration.
func (h *held) mean() units.Duration {
	var sum units.Duration
	for i := range h.cell.Samples {
		sum += h.cell.Samples[i].End.Sub(h.cell.Samples[i].Start)
	}
	return sum / units.Duration(max(1, len(h.cell.Samples)))
}

// cause says what is known of why a run was slow.
func (h *held) cause() string {
	var why []string
	if n := h.cell.Resent.Packets; float64(n) > againTrusted*float64(h.sent) {
		why = append(why, h.share(n)+" was sent again")
	}
	if h.full > 0 && len(h.set.Flows()) == 0 {
		why = append(why, fmt.Sprintf("%d frames found a queue full", h.full))
	}
	if !h.job.Virtual && len(h.cell.Fidelity.Reasons) > 0 {
		why = append(why, "the machine was at its limit: "+h.cell.Fidelity.Reasons[0])
	}
	if why == nil {
		return "no cause is known; inalab explain tells the life of a block"
	}
	return strings.Join(why, "; ")
}

// again says where more was sent again than loss and the traffic of others explain. A lost frame has every worker
// send its packet of that block again, since none gets the sum; a stream may send again all that follows.
func (h *held) again() []string {
	n, lost := h.cell.Resent.Packets, h.lost
	if len(h.set.Jobs) == 1 { // nobody else fills queues
		lost -= h.full
	}
	asked := lost * uint64(len(h.job.Hosts()))
	if h.job.Layout.Peers != nil && (h.lost > 0 || h.mixed > 0) || !h.set.Steady() || len(h.set.Flows()) > 0 || n <= asked || float64(n-asked) <= againTrusted*float64(h.sent) {
		return nil
	}
	text := h.share(n) + " was sent again"
	switch {
	case asked > 0:
		text += fmt.Sprintf(", and the loss of %d explains %d at most", lost, asked)
	case h.full > 0:
		text += fmt.Sprintf(", and %d frames found a queue full though nobody else sends", h.full)
	default:
		text += " though none was lost"
	}
	return []string{text + ": " + h.late()}
}

// late says why answers may have come later than a timeout.
func (h *held) late() string {
	than := "their timeout"
	if d := h.job.Layout.Timeout; d > 0 {
		than = fmt.Sprintf("the timeout of %v", d)
	}
	switch {
	case h.job.StraggleP > 0 || len(h.job.Outages) > 0:
		return "most likely workers waited for the stragglers, which were asked for, for longer than " + than
	case len(h.job.Paces) > 0:
		return "workers waited for slower ones for longer than " + than
	case h.job.Layout.Uneven:
		return "packets that found no room in a switch, or that wait for those of other workers there, were answered later than " + than
	case h.job.Virtual:
		return "answers came later than " + than
	}
	return "answers came later than " + than + ", which this machine cannot meet at this scale"
}

// share names packets as a share of what hosts sent.
func (h *held) share(n uint64) string {
	return fmt.Sprintf("%s of what hosts sent (%d of %d packets)", percent(float64(n)/float64(max(1, h.sent))), n, h.sent)
}

// round leaves out what nobody reads.
func round(d units.Duration) units.Duration {
	unit := units.Microsecond * 100
	return (d + unit/2) / unit * unit
}
