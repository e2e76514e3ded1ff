package result

// Tally is a number that a system makes of what its nodes counted in a job: a row of tallies.csv.
type Tally struct {
	Key   string // short and the same in every run: "collisions"
	Unit  string // "packets"; empty: a plain number
	About string // what it is of, in a phrase
	Value float64
}
