package xaggd

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/switchd/program/xagg"
)

func commonConfig(h int) Common {
	return Common{
		Node: peer(h).Node, ID: peer(h).ID, MAC: peer(h).MAC, Addr: peer(h).Addr, Root: peer(0),
		Job: 1, Values: 32, Fragments: 100, Ingress: gbit, Egress: gbit,
	}
}

func workerConfig() WorkerConfig {
	return WorkerConfig{Common: commonConfig(1), Workers: 2, Tensor: 3200, Parent: peer(0), Group: group}
}

func serverConfig() ServerConfig {
	return ServerConfig{Common: commonConfig(1), Parent: peer(0), Children: []Child{{Peer: peer(2)}, {Peer: peer(3)}}, Hosts: peers([]int{2, 3, 4})}
}

func rootConfig() RootConfig {
	return RootConfig{Common: commonConfig(0), Children: []Child{{Peer: peer(1)}}, Workers: peers([]int{1}), Group: group}
}

// storeFor returns a twin.
func storeFor(t *testing.T, c xagg.Config) Store {
	t.Helper()
	store, err := xagg.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return Twin{store}
}

func TestConfigurationsCrossToProcesses(t *testing.T) {
	root := rootConfig()
	root.Conductor = &conductor.Config{Mode: conductor.Star}
	for _, c := range []any{workerConfig(), serverConfig(), root} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(c))
		if err := json.Unmarshal(text, back.Interface()); err != nil {
			t.Fatal(err)
		}
		if got := back.Elem().Interface(); !reflect.DeepEqual(got, c) {
			t.Errorf("%+v came back as %+v", c, got)
		}
	}
}

func TestConfigurationsThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(w *WorkerConfig){
		"worker 2 of 2":                        func(w *WorkerConfig) { w.Worker = 2 },
		"tensor of 0 elements":                 func(w *WorkerConfig) { w.Tensor = 0 },
		"65 send agents: 1 to 64":              func(w *WorkerConfig) { w.Agents = 65 },
		"scaling factor -1":                    func(w *WorkerConfig) { w.Scaling.Factor = -1 },
		"one packet of -1":                     func(w *WorkerConfig) { w.Sample.Every = -1 },
		`parent "h0" with host id 0x3`:         func(w *WorkerConfig) { w.Parent.ID = 3 },
		"root \"h0\" with host id 0x1 at fe80": func(w *WorkerConfig) { w.Root.Addr = netip.MustParseAddr("fe80::1") },
		"12 values a packet":                   func(w *WorkerConfig) { w.Values = 12 },
		"groups of 16 and 1024 packets":        func(w *WorkerConfig) { w.Gradients.Group = 16 },
		"polling every -1ms":                   func(w *WorkerConfig) { w.Poll = -units.Millisecond },
		"delays of negotiation":                func(w *WorkerConfig) { w.Initial.Server = 1 },
		"egress bandwidth of 0":                func(w *WorkerConfig) { w.Egress = 0 },
	} {
		c := workerConfig()
		change(&c)
		if _, err := NewWorker(c, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "configuring XAgg worker h1: ") {
			t.Errorf("error %v, and %q is wanted", err, want)
		}
	}
	for want, change := range map[string]func(s *ServerConfig){
		"a spare server has a place":  func(s *ServerConfig) { s.Spare = true },
		"host 2, which is this":       func(s *ServerConfig) { s.Children[1] = s.Children[0] },
		"ingress bandwidth of 0":      func(s *ServerConfig) { s.Ingress = 0 },
		`child "" with host id 0x0`:   func(s *ServerConfig) { s.Children[0].Peer = Peer{} },
		"parent \"\" with host id 0x": func(s *ServerConfig) { s.Parent = Peer{} },
	} {
		c := serverConfig()
		change(&c)
		if _, err := NewServer(c, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, and %q is wanted", err, want)
		}
	}
	for want, change := range map[string]func(r *RootConfig){
		"no workers":                 func(r *RootConfig) { r.Workers = nil },
		"group 10.0.0.1 of results":  func(r *RootConfig) { r.Group = netip.MustParseAddr("10.0.0.1") },
		"conduct job 0":              func(r *RootConfig) { r.Conductor = &conductor.Config{} },
		`worker "" with host id 0x0`: func(r *RootConfig) { r.Workers = []Peer{{}} },
	} {
		c := rootConfig()
		change(&c)
		if _, err := NewRoot(c, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, and %q is wanted", err, want)
		}
	}
}
