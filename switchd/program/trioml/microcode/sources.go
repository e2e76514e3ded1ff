package microcode

import (
	_ "embed"
	"strings"
)

var (
	//go:embed filter.mc
	filterSource string
	//go:embed trioml.mc
	triomlSource string
	//go:embed advanced.mc
	advancedSource string
)

// A Source is a Microcode program that stands beside this package.
type Source struct {
	File string // name of the file
	Text string
}

// Filter is the filtering example of trio §3.2: IPv4 packets without options pass.
func Filter() Source { return Source{"filter.mc", filterSource} }

// Microcode is Trio-ML for a Trio PFE: what [Program] does, packet for packet.
func Microcode() Source { return Source{"trioml.mc", triomlSource} }

// Advanced is [Microcode] with a second type of timer threads, which tell temporary
// from permanent stragglers and notify the workers (trio §5, "Advanced straggler
// mitigation"): the same source with ADVANCED set, and advanced.mc behind it.
func Advanced() Source {
	return Source{"advanced.mc", strings.Replace(triomlSource, "virtual ADVANCED = 0;", "virtual ADVANCED = 1;", 1) + advancedSource}
}
