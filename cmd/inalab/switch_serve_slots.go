package main

import (
	"fmt"

	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/render"
)

// clientThreads are numbers of threads that the table of slots has. The public client has 4 by
// default, and 256 packets outstanding.
var clientThreads = []int{1, 2, 4, 8, 16}

// publicOutstanding is how many packets the public client has on their way by default.
const publicOutstanding = 256

// slotsTable says how many slots of each set clients need, and how much a job's part of
// the pool is enough for.
func slotsTable(slots int) render.Table {
	t := render.Table{
		ID: "switch.serve.slots", Title: fmt.Sprintf("What %d slots of each set are enough for, by threads of a client", slots),
		Columns: []render.Column{
			{Key: "threads", Name: "threads", Align: render.Right},
			{Key: "slots_needed", Name: fmt.Sprintf("slots for %d packets outstanding", publicOutstanding), Align: render.Right},
			{Key: "outstanding_most", Name: fmt.Sprintf("packets outstanding in %d slots", slots), Align: render.Right},
		},
		Notes: []string{
			"a client of T threads with M packets outstanding each uses slots 0 to (2T-1)M - 1, as the public one does: thread t has those from 2Mt on",
			"a job that sends to a slot beyond its own, or packets of another size, is refused: \"inalab switch show jobs\" says why",
		},
	}
	for _, n := range clientThreads {
		t.Rows = append(t.Rows, []render.Cell{render.Int(n), render.Int(switchml.PoolOf(publicOutstanding, n)), render.Int(n * (slots / switchml.PoolOf(n, n)))})
	}
	return t
}
