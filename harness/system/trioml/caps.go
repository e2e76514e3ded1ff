package trioml

import (
	"fmt"

	"github.com/inalab/inalab/harness/job"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// maxWindow is the largest window that a scenario may have: with as many blocks open
// block_curr_cnt is at its end (Trio Fig 17), and so is the reach that the paper gives
// the window (§5).
const maxWindow = program.MaxJobBlocks

// blockMax returns block_cnt_max of the job at every PFE; zero: the program's default.
// A job that is given none may have as many blocks open as a worker has packets on
// their way, be that more than the default: what a PFE drops nobody sends again.
func (t System) blockMax(j *job.Job) int {
	if t.BlockMax == 0 && t.window(j) > program.DefaultBlockMax {
		return t.window(j)
	}
	return t.BlockMax
}

// checkCaps refuses packets that every PFE would drop, and notes a window of which
// it may drop some.
func (t System) checkCaps(j *job.Job) (notes []string, err error) {
	if t.GradMax > 0 && t.grads() > t.GradMax {
		return nil, fmt.Errorf("packets of %d gradients over a block_grad_max of %d: PFEs would drop them all; lower trio.gradients, or raise trio.block-grad-max", t.grads(), t.GradMax)
	}
	if w, blocks := t.window(j), t.blocks(j); t.BlockMax > 0 && min(w, blocks) > t.BlockMax {
		notes = append(notes, fmt.Sprintf("window of %d packets over a block_cnt_max of %d: what PFEs drop is not sent again, and the run may stall", w, t.BlockMax))
	}
	return notes, nil
}
