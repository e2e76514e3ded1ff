package full_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/examples/toy/full"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// foreign is a job of another program.
type foreign struct{ dataplane.Document }

func (foreign) Protocol() string { return "SwitchML" }

// The engine refuses jobs by name, and keeps those that it has.
func TestJobsOfTheEngine(t *testing.T) {
	j := jobtest.New(t, jobtest.Spec(t, full.New(), "rack", 2))
	e, err := j.System.NewEngine(j.Switches(0)[0].Programs[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	managed := e.(dataplane.Managed)
	layout, err := full.New().LayOut(&j.Plan.Switches[0], -1, []byte(`{"id": 1, "sources": [0]}`))
	if err != nil {
		t.Fatal(err)
	}
	for want, d := range map[string]dataplane.Document{
		"id-taken: there is a job 1 on tor: remove it first":                                           layout.Parts[0].Document,
		"other-protocol: a job of SwitchML is for another program: this one speaks toy: give --values": foreign{},
	} {
		if _, err := managed.AddJob(0, d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := managed.RemoveJob(0, 7); err == nil || !strings.Contains(err.Error(), "there is no job 7 on tor") {
		t.Errorf("removing what is not there: %v", err)
	}
	if table := managed.View(0, dataplane.ViewJobs, 10); table.Total != 1 {
		t.Errorf("%d jobs", table.Total)
	}
}

func TestRequestsThatCannotBe(t *testing.T) {
	sw := &jobtest.Plan(t, "rack", 2).Switches[0]
	for request, want := range map[string]string{
		`{"id": 2}`:                                      "no-sources: job 2 has no sources",
		`{"id": 256, "sources": [0]}`:                    "id-out-of-range: job id 256",
		`{"id": 2, "sources": [0, 0]}`:                   "bad-source: job 2 names source 0 twice",
		`{"id": 2, "sources": [0], "values": 2001}`:      "malformed-configuration: job 2: 2001 values in a block: use 1 to 2000",
		`{"id": 2, "sources": [0], "block_cnt_max": 10}`: "malformed-configuration: ",
	} {
		if _, err := full.New().LayOut(sw, -1, []byte(request)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", request, err, want)
		}
	}
}

// Two jobs share a lab: each has all its sums, and none of the other's.
func TestTwoJobsOfOneLab(t *testing.T) {
	plan := jobtest.Plan(t, "rack", 4)
	var jobs []*job.Job
	for i, on := range [][]int{{0, 1}, {2, 3}} {
		jobs = append(jobs, jobtest.New(t, job.Spec{System: full.New(), Plan: plan, Scale: 1, Iterations: 2, Elements: 5000, Virtual: true, ID: uint8(i + 1), On: on}))
	}
	set, err := job.NewSet(jobs...)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := sim.RunJobs(t.Context(), set, worker.Images{}, sim.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if len(cells) != 2 {
		t.Errorf("%d cells", len(cells))
	}
	for _, c := range cells {
		if err := c.CheckSums(); err != nil {
			t.Error(err)
		}
	}
}
