package claims

import (
	"strings"

	"github.com/inalab/inalab/internal/yamldoc"
)

// Evidence is what a verdict rests on.
type Evidence string

// The kinds of evidence. Of the last two no behaviour of the code can change the
// verdict: it is never [Reproduced].
const (
	EvidenceSimulated  Evidence = "simulated"  // whole runs, or a chip with its timing, under the virtual clock
	EvidenceLive       Evidence = "live"       // real packets between network namespaces
	EvidenceUnit       Evidence = "unit"       // a program of a switch, host or planner, driven by hand without time
	EvidenceArithmetic Evidence = "arithmetic" // a calculation on printed numbers
	EvidenceInput      Evidence = "input"      // the number was fed in
)

// Evidences lists the kinds in the order of totals.
var Evidences = []Evidence{EvidenceSimulated, EvidenceLive, EvidenceUnit, EvidenceArithmetic, EvidenceInput}

// Words lists the kinds.
func (Evidence) Words() []string { return texts(Evidences) }

// Switch names what aggregated in the runs that a value comes from.
type Switch string

// The chips, and what stands in for them.
const (
	SwitchPipeline      Switch = "pipeline"            // of the emulated Tofino; its passes take no time
	SwitchPipelineTimed Switch = "pipeline with time"  // its passes and recirculation take theirs
	SwitchMicrocode     Switch = "microcode"           // on an emulated PFE of Trio; instructions take no time
	SwitchPFE           Switch = "microcode with time" // instructions, memory and queues take theirs
	SwitchReference     Switch = "reference"           // the protocol in Go, in a switch that takes no time
	SwitchHosts         Switch = "hosts"               // programs on hosts: XAgg's aggregators, parameter servers, rings
	SwitchNone          Switch = "none"                // nothing aggregated: a calculation, or a part of a host alone
)

// Switches lists them all.
var Switches = []Switch{
	SwitchPipeline, SwitchPipelineTimed, SwitchMicrocode, SwitchPFE, SwitchReference, SwitchHosts, SwitchNone,
}

// SwitchText is several of them on one line.
func SwitchText(list []Switch) string { return strings.Join(texts(list), ", ") }

// agreeEvidence checks that the evidence goes with the method and with what a pass means.
func agreeEvidence(n yamldoc.Node, c *Claim) {
	fixed := map[PassMeans]Evidence{MeansArithmetic: EvidenceArithmetic, MeansInput: EvidenceInput}
	byMethod := map[Method]Evidence{Live: EvidenceLive, Virtual: EvidenceSimulated, Unit: EvidenceUnit}
	want, ok := fixed[c.PassMeans]
	if !ok {
		want = byMethod[c.Method]
	}
	switch {
	case c.Method == NoWay && c.Evidence != "":
		n.FaultAt("evidence", "%s: there is none where the method is %s", c.Evidence, NoWay)
	case c.Method == NoWay:
	case c.Evidence == "":
		n.Fault("evidence is missing: allowed are %s; with method %s and pass_means %s it is %s", strings.Join(c.Evidence.Words(), ", "), c.Method, c.PassMeans, want)
	case c.Evidence != want:
		n.FaultAt("evidence", "%s: with method %s and pass_means %s it is %s", c.Evidence, c.Method, c.PassMeans, want)
	}
}
