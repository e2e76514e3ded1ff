package events

import (
	"fmt"
	"strconv"
	"strings"
)

// Want says which events of a run are kept. The zero value keeps none.
type Want struct {
	Mode             Mode
	Iteration, Block int // of One; Block negative: all of the iteration
}

// Mode is a rule of what to keep.
type Mode string

// The modes.
const (
	None     Mode = ""
	Troubled Mode = "troubled" // the first iteration, and every block that something happened to
	All      Mode = "all"      // everything
	One      Mode = "one"      // one iteration or block
)

// Limits of what is kept of one run. An event is a line of some 150 bytes.
const (
	// Limit is for Troubled: 3 MB of a run. A run of the default scenario has
	// 100 thousand to 400 thousand events.
	Limit = 20_000
	// LimitAll is for the others: 150 MB of a run.
	LimitAll = 1_000_000
	// NodeLimit is what a live worker keeps in memory: 4 MiB.
	NodeLimit = 1 << 16
	// SwitchLimit is what a live switch keeps in memory: 16 MiB.
	SwitchLimit = 1 << 18
	// RunLimit is what a run under the virtual clock keeps in memory, for all of
	// its nodes: 64 MiB.
	RunLimit = 1 << 20
)

// ParseWant reads none, troubled, all, an iteration, or ITERATION/BLOCK.
func ParseWant(text string) (Want, error) {
	switch text {
	case "none":
		return Want{}, nil
	case string(Troubled), string(All):
		return Want{Mode: Mode(text)}, nil
	}
	iteration, block, both := strings.Cut(text, "/")
	w := Want{Mode: One, Block: -1}
	var err error
	if w.Iteration, err = strconv.Atoi(iteration); err == nil && both {
		w.Block, err = strconv.Atoi(block)
	}
	if err != nil || w.Iteration < 0 || both && w.Block < 0 {
		return Want{}, fmt.Errorf("%q: allowed are none, troubled, all, an iteration as 12, or a block of one as 12/345", text)
	}
	return w, nil
}

// rule says in words what is kept.
func (w Want) rule() string {
	switch w.Mode {
	case Troubled:
		return fmt.Sprintf("the first iteration, the slowest block, and blocks that were degraded, dropped, sent again, unfinished or met by a collision; at most %d events", Limit)
	case All:
		return fmt.Sprintf("all, at most %d events", LimitAll)
	case One:
		if w.Block >= 0 {
			return fmt.Sprintf("block %d of iteration %d", w.Block, w.Iteration)
		}
		return fmt.Sprintf("iteration %d", w.Iteration)
	}
	return "none"
}

func (w Want) limit() int {
	if w.Mode == Troubled {
		return Limit
	}
	return LimitAll
}
