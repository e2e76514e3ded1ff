package scenarios

// APIVersion is what scenario files say first.
const APIVersion = "inalab/v1"

// raw is a scenario file as it is written, but for the sections of systems (see
// schema). Quantities are text here: the resolver reads them, and so can say where
// in the file a bad one stands.
type raw struct {
	APIVersion  string        `yaml:"apiVersion"`
	Kind        string        `yaml:"kind"`
	Name        string        `yaml:"name"`
	Description string        `yaml:"description"`
	Seed        uint64        `yaml:"seed"`
	Model       string        `yaml:"model"`
	Iterations  int           `yaml:"iterations"`
	MiniBatch   int           `yaml:"mini-batch,omitempty"`
	Scale       int           `yaml:"scale"`
	Hosts       int           `yaml:"hosts"`
	MTU         int           `yaml:"mtu"`
	Link        rawLink       `yaml:"link"`
	Fabric      rawLink       `yaml:"fabric"`
	Systems     []rawSystem   `yaml:"systems"`
	Stragglers  rawStragglers `yaml:"stragglers"`
	Programs    []rawProgram  `yaml:"programs,omitempty"`
}

type rawLink struct {
	Rate      string `yaml:"rate,omitempty"`
	Delay     string `yaml:"delay,omitempty"`
	Jitter    string `yaml:"jitter,omitempty"`
	Loss      string `yaml:"loss,omitempty"`
	LossEvery int    `yaml:"loss-every,omitempty"`
	Queue     string `yaml:"queue,omitempty"`
}

type rawSystem struct {
	System   string `yaml:"system"`
	Topology string `yaml:"topology"`
}

type rawStragglers struct {
	P         []string    `yaml:"p"`
	Semantics string      `yaml:"semantics"`
	Outages   []rawOutage `yaml:"outages,omitempty" json:",omitempty"`
}

type rawOutage struct {
	Worker    int    `yaml:"worker"`
	Iteration int    `yaml:"iteration"`
	For       string `yaml:"for"`
}

type rawProgram struct {
	Host    string   `yaml:"host"`
	Command []string `yaml:"command"`
}
