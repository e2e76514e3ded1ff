package result

import "github.com/inalab/inalab/internal/units"

// TransitCount is what a program that frames pass in a switch counted, over all PFEs: a row
// of transit.csv.
type TransitCount struct {
	Switch  string
	Program string // its name
	Counter string
	N       uint64
}

// Report is what a collector was told of the traffic from an address to another by a program
// in a switch: a row of reports.csv. From and To are hosts or switches; the address stands for
// any other.
type Report struct {
	Program   string
	Switch    string // that sent the reports
	Collector string // host that they were sent to
	From, To  string
	Reports   uint64 // that came
	Packets   uint64 // from From to To, as the latest report has it
	Bytes     units.Bytes
}
