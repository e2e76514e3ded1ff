package microcode

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

var _ dataplane.Named = (*Engine)(nil)

// The records of jobs and blocks are read by the names of Fig 17 and 18, each under its key, as the
// control plane decodes them.
func TestRecordsByName(t *testing.T) {
	e, err := New(trioml.Config{Node: "pfe", Jobs: []trioml.Job{testJob(7, 3)}}, Options{Memory: small()})
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	e.Handle(5*ms, []sansio.Arrival{arrival(packet(wire.Header{Job: 7, Block: 5, Source: 1, Gen: 3, SrcCnt: 1}, 1, 2))}, &eff)
	for name, want := range map[string]string{
		"jobs[7,4294967295].src_cnt": "3", "jobs[7,4294967295].block_curr_cnt": "1", "jobs[7,4294967295].out_src_addr": "10.0.0.1",
		"jobs[7,4294967295].state.newest": "3", "blocks[7,5].grad_cnt": "2", "blocks[7,5].rcvd_cnt": "1", "blocks[7,5].rcvd_mask[0]": "2",
	} {
		table, err := e.Look(5*ms, dataplane.ViewSymbols, name, 1)
		if err != nil || len(table.Rows) != 1 || table.Rows[0][6].String() != want {
			t.Errorf("%s: %+v, %v; want %s", name, table.Rows, err, want)
		}
	}
	for name, rows := range map[string]int{"jobs": 1, "blocks": 1, "blocks[7,5]": 1, "blocks[7,6]": 0} {
		if table, err := e.Look(5*ms, dataplane.ViewRecords, name, 10); err != nil || len(table.Rows) != rows {
			t.Errorf("%s: %+v, %v; want %d rows", name, table.Rows, err, rows)
		}
	}
	if _, err := e.Look(5*ms, dataplane.ViewRecords, "jobs[7,5]", 10); err == nil {
		t.Error("the key of a block passes for that of a job")
	}
	if table, err := e.Look(5*ms, dataplane.ViewCounters, "packets", 1); err != nil || table.Rows[0][2].String() != "1" {
		t.Errorf("packets: %+v, %v", table, err)
	}
}
