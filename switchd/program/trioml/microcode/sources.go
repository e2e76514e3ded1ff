package microcode

import (
	_ "embed"
	"strings"
)

var (
	//go:embed trioml.mc
	triomlSource string
	//go:embed advanced.mc
	advancedSource string
)

// A Source is a Microcode program of this package.
type Source struct {
	File string // name of the file
	Text string
}

// TrioML is Trio-ML for a PFE: what the reference program does, packet for packet.
func TrioML() Source { return Source{"trioml.mc", triomlSource} }

// Advanced is [TrioML] with a second type of timer threads, which tell temporary
// from permanent stragglers and notify the workers (trio §5, "Advanced straggler
// mitigation"): the same source with ADVANCED set, and advanced.mc behind it.
func Advanced() Source {
	return Source{"advanced.mc", strings.Replace(triomlSource, "virtual ADVANCED = 0;", "virtual ADVANCED = 1;", 1) + advancedSource}
}
