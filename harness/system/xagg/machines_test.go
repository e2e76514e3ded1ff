package xagg

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

// machine makes what a configuration describes, as it crosses to a process.
func machine(t *testing.T, c hostConfig) job.Server {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := System{}.NewServer(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The parameter server tells what its management plane decided, a server only why its elements are not
// in the kernel.
func TestDecisions(t *testing.T) {
	list := configs(t, jobtest.New(t, spec(t, System{}, 7)))
	root, below := machine(t, list[9]), machine(t, list[7])
	var eff sansio.Effects
	root.Expire(5, &eff)
	got := result.DecisionsOf("h9", root)
	if len(got) != 1 || got[0].At != 5 || got[0].Node != "h9" || !strings.Contains(got[0].Text, "the tree is h9(h7(h0 h1 h2) h8(h3 h4 h5) h6)") {
		t.Errorf("the parameter server decided %+v", got)
	}
	below.Expire(5, &eff)
	if got := result.DecisionsOf("h7", below); len(got) != 0 {
		t.Errorf("a server decided %+v", got)
	}
	below.(*server).why = "the kernel has no BTF"
	got = result.DecisionsOf("h7", below)
	if len(got) != 1 || got[0].Text != "elements are in the process, and packets go by a socket: the kernel has no BTF" {
		t.Errorf("without XDP a server says %+v", got)
	}
	if n := counted(below.Counters(), CountFallback+"the kernel has no BTF"); n != 1 {
		t.Errorf("it counts %d", n)
	}
}

func counted(list []sansio.Count, name string) uint64 {
	for _, c := range list {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

// A configuration is of one agent, and of the right one.
func TestMachinesRefuse(t *testing.T) {
	for _, text := range []string{`{}`, `{"Iface": "eth0"}`} {
		if _, err := (System{}).NewCore(json.RawMessage(text), nil, nil); err == nil {
			t.Errorf("%s makes a worker", text)
		}
		if _, err := (System{}).NewServer(json.RawMessage(text), nil); err == nil {
			t.Errorf("%s makes a server", text)
		}
	}
	if _, err := (System{}).NewServer(json.RawMessage(`{"Wrong": 1}`), nil); err == nil || !strings.Contains(err.Error(), "Wrong") {
		t.Errorf("an unknown key: %v", err)
	}
}

// Tallies are of the job's own hosts, and servers and parameter server are told apart.
func TestTallies(t *testing.T) {
	j := jobtest.New(t, spec(t, System{}, 7))
	counters := []result.Counter{
		{Node: "h7", Name: "xagg-added", N: 10}, {Node: "h8", Name: "xagg-added", N: 20}, {Node: "h9", Name: "xagg-added", N: 10}, {Node: "h10", Name: "xagg-added", N: 99},
		{Node: "h0", Name: agent.CountAgain, N: 3}, {Node: "h9", Name: agent.CountAgain, N: 4}, {Node: "h8", Name: "drop-xagg-duplicate", N: 5}, {Node: "h8", Name: "xagg-resent", N: 1},
		{Node: "h0", Name: agent.CountReports, N: 6}, {Node: "h9", Name: agent.CountCuts, N: 2}, {Node: "h0", Name: agent.CountControl, N: 7}, {Node: "h8", Name: agent.CountControl, N: 8},
		{Node: "h0", Name: agent.CountMoves, N: 2}, {Node: "h8", Name: agent.CountMoves, N: 9},
	}
	want := map[string]float64{"at_servers": 30, "at_ps": 10, "server_share": 75, "again": 7, "duplicates": 6, "loss_reports": 6, "cuts": 2, "control": 15, "moves": 2}
	jobtest.Tallies(t, System{}, j, counters, want)
}
