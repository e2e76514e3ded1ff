package capacity

import (
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
)

const (
	// coarsePacket is the size of a packet, about that of all systems.
	coarsePacket = 1024
	// fewPackets is below how many packets of a gradient no system streams (assumed: windows have more).
	fewPackets = 16
	// slowPacket is what no packet should take on a line: least timeouts are as long (SwitchML §6.3: 1 ms).
	slowPacket = units.Millisecond
)

// Coarse says of which scale so little is left that its numbers tell nothing of full scale; each reason once.
func Coarse(sets []*job.Set) (out []string) {
	said := map[string]bool{}
	for _, s := range sets {
		for _, j := range s.Jobs {
			if text := coarse(j); text != "" && !said[text] {
				said[text] = true
				out = append(out, text)
			}
		}
	}
	return out
}

func coarse(j *job.Job) string {
	if j.Scale <= 1 {
		return ""
	}
	if n := 4 * j.Params / coarsePacket; n < fewPackets {
		return fmt.Sprintf("scale %d leaves %d bytes of the gradient, less than %d packets: too few to tell systems apart; set a lower scale, or a larger model", j.Scale, 4*j.Params, fewPackets)
	}
	if t := j.FrameTime(1, coarsePacket); t > slowPacket {
		return fmt.Sprintf("scale %d leaves lines on which a packet takes %v, longer than timeouts of %v: set a lower scale, or faster links", j.Scale, t, slowPacket)
	}
	return ""
}
