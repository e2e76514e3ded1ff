package result

// Aggregation is the series of contributions to a job's sums, by who added them: rows of
// aggregations.csv.
type Aggregation struct {
	Kind   string // KindSwitch or KindServer
	Name   string // of the job; empty: the only job
	Series        // of contributions at the instant at which they came to servers; their number is in Bytes
}

// Kinds of the series of contributions.
const (
	KindSwitch = "switch" // that came to a server in a sum of several workers
	KindServer = "server" // that came alone
)

// Added is what a server counted of contributions by interval; their numbers are in Bytes.
type Added struct {
	InSwitches *Series `json:"in_switches"`
	AtServers  *Series `json:"at_servers"`
}
