package control_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// A job of hosts on two PFEs works in two levels: the sum of all comes to all.
// Once it is removed nothing of it is left.
func TestJobOverTheChassis(t *testing.T) {
	r := newRig(t, "mx480", 6)
	out := r.must(control.Request{Op: control.OpAddJob, Job: asked(Job{ID: 2, Sources: upTo(6), BlockMax: 8})})
	var places []string
	for _, p := range out.Added.Tables {
		places = append(places, fmt.Sprint(p.PFE, p.Table.Rows[0]))
	}
	want := []string{
		"pfe4[2 200,201 203 239.255.0.2 et-0-0-0,et-0-0-1,et-0-0-2,et-0-1-0,et-0-1-1,et-0-1-2]",
		"pfe1[3 0,1,2 200 239.255.0.2 pfe4]", "pfe2[3 3,4,5 201 239.255.0.2 pfe4]",
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	for host := range 6 {
		copies, sum := r.send(2, host, 0)
		if last := host == 5; (copies == 6) != last || last && sum != 21 {
			t.Fatalf("after host %d: %d copies of sum %d", host, copies, sum)
		}
	}
	r.send(2, 0, 1)
	r.send(2, 1, 1)
	if rows := r.rows(dataplane.ViewBlocks); len(rows) != 1 || rows[0][0] != "pfe1" || rows[0][3] != "1" {
		t.Errorf("open blocks %v", rows)
	}
	removed := r.must(control.Request{Op: control.OpRemoveJob, ID: number(2)}).Removed
	if len(removed) != 3 || removed[0].PFE != "pfe1" || removed[0].OpenBlocks != 1 || removed[2].PFE != "pfe4" {
		t.Errorf("removed %+v, want pfe4 last, and one block of pfe1", removed)
	}
	if rows := append(r.rows(dataplane.ViewJobs), r.rows(dataplane.ViewBlocks)...); len(rows) != 0 {
		t.Errorf("left are %v", rows)
	}
	if d := r.NextDeadline(); d != units.Never {
		t.Errorf("the switch waits for %v, with nothing to do", d)
	}
	wantFault(t, r.ask(control.Request{Op: control.OpRemoveJob, ID: number(2)}), control.FaultRefused, dataplane.RefusedUnknownJob)
}

// A view says when it was, by the clock that its spans end at.
func TestViewsSayWhen(t *testing.T) {
	r := newRig(t, "rack", 2)
	r.must(control.Request{Op: control.OpAddJob, Job: asked(Job{ID: 2, Sources: upTo(2)})})
	r.send(2, 0, 0)
	opened := r.now
	r.now += units.Time(7 * units.Microsecond)
	out := r.must(control.Request{Op: control.OpShow, View: dataplane.ViewBlocks})
	if out.At != r.now || out.At.Sub(opened) != 7*units.Microsecond {
		t.Errorf("the view is of %v, asked at %v", out.At, r.now)
	}
	for view, key := range map[dataplane.View]string{dataplane.ViewBlocks: "age_us", dataplane.ViewJobs: "idle_us"} {
		table := r.must(control.Request{Op: control.OpShow, View: view}).Tables[0].Table
		i := slices.IndexFunc(table.Columns, func(c dataplane.Column) bool { return c.Key == key })
		if i < 0 || len(table.Rows) != 1 || table.Rows[0][i] != dataplane.Int(7) {
			t.Errorf("%s: %v, want %s 7", view, table.Rows, key)
		}
	}
	if out := r.ask(control.Request{Op: control.OpShow, View: dataplane.ViewThreads}); out.At != 0 || out.Error == "" {
		t.Errorf("a view that there is not: %+v", out)
	}
}

// One PFE is enough for hosts of one, and a rack has one engine; a PFE that is
// named gets the whole job.
func TestJobOnOnePFE(t *testing.T) {
	for name, tc := range map[string]struct {
		topology, pfe, at string
		job               Job
	}{
		"hosts of one PFE": {"mx480", "", "pfe2", Job{ID: 1, Sources: []int{3, 5}}},
		"rack":             {"rack", "", "engine", Job{ID: 1, Sources: []int{3, 5}}},
		"named":            {"mx480", "pfe2", "pfe2", Job{ID: 1, Sources: []int{3, 5}, Group: netip.MustParseAddr("239.1.2.3"), OutSrc: number(9)}},
		"by number":        {"mx480", "2", "pfe2", Job{ID: 1, Sources: []int{3, 5}, Ports: []string{"et-0-1-0", "et-0-1-2"}}},
	} {
		r := newRig(t, tc.topology, 6)
		out := r.must(control.Request{Op: control.OpAddJob, PFE: tc.pfe, Job: asked(tc.job)})
		if len(out.Added.Tables) != 1 || out.Added.Tables[0].PFE != tc.at {
			t.Errorf("%s: added to %+v, want %s", name, out.Added, tc.at)
		}
		r.send(1, 3, 0)
		if copies, sum := r.send(1, 5, 0); copies != 2 || sum != 10 {
			t.Errorf("%s: %d copies of sum %d, want 2 of 10", name, copies, sum)
		}
	}
}

// A job that any engine refuses is on none.
func TestAddIsAllOrNothing(t *testing.T) {
	r := newRig(t, "mx480", 6)
	r.must(control.Request{Op: control.OpAddJob, PFE: "pfe2", Job: asked(Job{ID: 7, Sources: []int{3}})})
	before := r.rows(dataplane.ViewJobs)
	wantFault(t, r.ask(control.Request{Op: control.OpAddJob, Job: asked(Job{ID: 7, Sources: upTo(6)})}), control.FaultRefused, dataplane.RefusedIDTaken)
	if diff := cmp.Diff(before, r.rows(dataplane.ViewJobs)); diff != "" {
		t.Errorf("jobs (-before +after):\n%s", diff)
	}
	without := newRig(t, "mx480", 6, 1)
	wantFault(t, without.ask(control.Request{Op: control.OpAddJob, Job: asked(Job{ID: 7, Sources: upTo(6)})}), control.FaultRefused, dataplane.RefusedUnsupported)
	if rows := without.rows(dataplane.ViewJobs); len(rows) != 0 {
		t.Errorf("left are %v", rows)
	}
}

func TestRefusedJobs(t *testing.T) {
	many := upTo(256)
	for name, tc := range map[string]struct {
		pfe    string
		job    Job
		reason dataplane.Reason
		says   string
	}{
		"no host":        {"", Job{ID: 1, Sources: []int{0, 6}}, dataplane.RefusedSource, "source 6 is no host of mx480, which has hosts 0, 1, 2, 3, 4, 5"},
		"negative":       {"", Job{ID: 1, Sources: []int{-1}}, dataplane.RefusedSource, "source -1"},
		"too many":       {"pfe1", Job{ID: 1, Sources: many, Ports: []string{"et-0-0-0"}}, dataplane.RefusedManySources, "256 sources"},
		"none":           {"", Job{ID: 1}, dataplane.RefusedNoSources, ""},
		"twice":          {"", Job{ID: 1, Sources: []int{0, 3, 3}}, dataplane.RefusedSource, "source 3 twice"},
		"id":             {"", Job{ID: 256, Sources: []int{0}}, dataplane.RefusedID, "256"},
		"blocks":         {"", Job{ID: 1, Sources: []int{0}, BlockMax: 1 << 16}, trioml.RefusedBlockCap, "65536"},
		"gradients":      {"", Job{ID: 1, Sources: []int{0}, GradMax: 4096}, trioml.RefusedGradCap, "4096"},
		"group":          {"", Job{ID: 1, Sources: []int{0}, Group: netip.MustParseAddr("10.0.0.1")}, dataplane.RefusedResult, "10.0.0.1"},
		"port":           {"", Job{ID: 1, Sources: []int{0}, Ports: []string{"et-0-0-9"}}, dataplane.RefusedPorts, `did you mean "et-0-0-0"?`},
		"port twice":     {"", Job{ID: 1, Sources: []int{0}, Ports: []string{"et-0-0-0", "et-0-0-0"}}, dataplane.RefusedPorts, "twice"},
		"unwired":        {"", Job{ID: 1, Sources: []int{0}, Ports: []string{"et-0-0-3"}}, dataplane.RefusedPorts, "et-0-0-3"},
		"to no program":  {"pfe1", Job{ID: 1, Sources: []int{0}, Ports: []string{"pfe6"}}, dataplane.RefusedPorts, "has no engine"},
		"out_src_id":     {"", Job{ID: 1, Sources: []int{0}, OutSrc: number(5)}, dataplane.RefusedSource, "belongs to one PFE"},
		"bad out_src_id": {"pfe1", Job{ID: 1, Sources: []int{0}, OutSrc: number(300)}, dataplane.RefusedSource, "300"},
		"no program":     {"pfe6", Job{ID: 1, Sources: []int{0}}, dataplane.RefusedUnsupported, "mx480/pfe6"},
	} {
		r := newRig(t, "mx480", 6, 5)
		out := r.ask(control.Request{Op: control.OpAddJob, PFE: tc.pfe, Job: asked(tc.job)})
		wantFault(t, out, control.FaultRefused, tc.reason)
		if !strings.Contains(out.Error, tc.says) {
			t.Errorf("%s: %q lacks %q", name, out.Error, tc.says)
		}
		if rows := r.rows(dataplane.ViewJobs); len(rows) != 0 {
			t.Errorf("%s: left are %v", name, rows)
		}
	}
}

// What cannot be asked is answered with what can.
func TestBadRequests(t *testing.T) {
	r := newRig(t, "mx480", 6, 5)
	for says, q := range map[string]control.Request{
		`unknown view "blokcs": allowed are jobs, `:           {Op: control.OpShow, View: "blokcs"},
		`; did you mean "blocks"?`:                            {Op: control.OpShow, View: "blokcs"},
		`no view "threads": it has jobs, blocks, stats`:       {Op: control.OpShow, View: dataplane.ViewThreads},
		`mx480 has no PFE "pfe9": there are pfe1, pfe2`:       {Op: control.OpShow, View: dataplane.ViewJobs, PFE: "pfe9"},
		`mx480 runs no program on pfe6`:                       {Op: control.OpShow, View: dataplane.ViewJobs, PFE: "pfe6"},
		`limit of 10001 rows: 1 to 10000`:                     {Op: control.OpShow, View: dataplane.ViewJobs, Limit: control.MaxRows + 1},
		`operation "show" lacks its view`:                     {Op: control.OpShow},
		`operation "add-job" lacks its job`:                   {Op: control.OpAddJob},
		`operation "remove-job" lacks its id`:                 {Op: control.OpRemoveJob},
		`operation "show" takes no job: that is for "add-job`: {Op: control.OpShow, View: dataplane.ViewJobs, Job: asked(Job{})},
		`unknown operation "reboot": allowed are show, add-`:  {Op: "reboot"},
	} {
		out := r.ask(q)
		wantFault(t, out, control.FaultRequest, "")
		if !strings.Contains(out.Error, says) {
			t.Errorf("%q lacks %q", out.Error, says)
		}
	}
	forwards := newRig(t, "rack", 2, 0)
	if out := forwards.ask(control.Request{Op: control.OpShow, View: dataplane.ViewJobs}); !strings.Contains(out.Error, "it only forwards") {
		t.Errorf("a switch without a program: %+v", out)
	}
}

// Every engine has its counters, and rows are as many as were asked for.
func TestStatsAndLimit(t *testing.T) {
	r := newRig(t, "rack", 4)
	r.must(control.Request{Op: control.OpAddJob, Job: asked(Job{ID: 1, Sources: upTo(4)})})
	for block := range uint32(5) {
		r.send(1, 0, block)
	}
	r.send(9, 0, 0)
	if diff := cmp.Diff([][]string{{"engine", "trioml-packets", "6"}, {"engine", "trioml-unknown-job", "1"}}, r.rows(dataplane.ViewStats)); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	table := r.must(control.Request{Op: control.OpShow, View: dataplane.ViewBlocks, Limit: 2}).Tables[0].Table
	if len(table.Rows) != 2 || table.Total != 5 {
		t.Errorf("%d rows of %d, want 2 of 5", len(table.Rows), table.Total)
	}
}

// After any requests, jobs are on a switch exactly as those that were done say.
func TestJobsAreWhatRequestsMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t, "mx480", 6)
		have := map[int]int{} // parts by job
		for range rapid.IntRange(1, 20).Draw(t, "requests") {
			id := rapid.IntRange(-1, 4).Draw(t, "id")
			if rapid.Bool().Draw(t, "remove") {
				out := r.ask(control.Request{Op: control.OpRemoveJob, ID: &id})
				if (out.Error == "") != (have[id] > 0) || len(out.Removed) != have[id] {
					t.Fatalf("removal of job %d with %d parts: %+v", id, have[id], out)
				}
				delete(have, id)
				continue
			}
			sources := rapid.SliceOfN(rapid.IntRange(0, 6), 0, 6).Draw(t, "sources")
			out := r.ask(control.Request{Op: control.OpAddJob, Job: asked(Job{ID: id, Sources: sources})})
			if out.Error == "" && have[id] > 0 {
				t.Fatalf("job %d was added twice", id)
			}
			if out.Error == "" {
				have[id] = len(out.Added.Tables)
			}
		}
		n := 0
		for _, parts := range have {
			n += parts
		}
		if rows := r.rows(dataplane.ViewJobs); len(rows) != n {
			t.Fatalf("%d parts of jobs, want %d: %v", len(rows), n, rows)
		}
	})
}

func FuzzRequest(f *testing.F) {
	for _, q := range []control.Request{
		{Op: control.OpShow, View: dataplane.ViewJobs, PFE: "pfe1", Limit: 3},
		{Op: control.OpAddJob, Job: asked(Job{ID: 2, Sources: []int{0, 5}, BlockMax: 4, Group: netip.MustParseAddr("239.1.1.1"), Ports: []string{"pfe4"}, OutSrc: number(1)})},
		{Op: control.OpRemoveJob, ID: number(2)},
	} {
		q.Version = control.Version
		line, err := json.Marshal(q)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		q, err := control.DecodeRequest(line)
		if err != nil {
			return
		}
		if q.Version != control.Version {
			t.Fatalf("version %d passes", q.Version)
		}
		r := newRig(t, "mx480", 6)
		out := r.ask(q)
		if text := control.EncodeResponse(out); text[len(text)-1] != '\n' || strings.Count(string(text), "\n") != 1 {
			t.Fatalf("answer %q is no line", text)
		}
		if (out.Error == "") != (out.Fault == "") {
			t.Fatalf("%+v: error and fault disagree", out)
		}
	})
}
