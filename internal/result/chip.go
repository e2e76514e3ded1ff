package result

// ChipTables says how the benchmark of an emulated chip is shown.
type ChipTables struct {
	Live     string     // title: engines on real packets
	Paired   bool       // the second engine is also held against the first run by run
	Alone    string     // title: an engine by itself
	Note     string     // below that table
	Row      string     // what its rows are; key and header
	Elements ChipColumn // values of a packet
	Work     []ChipWork // counted in a run, beside packets
}

// ChipColumn is a key and a header. There is no such column where both are empty.
type ChipColumn struct{ Key, Name string }

// ChipWork is something that an engine does: its count in a run, and in a second.
type ChipWork struct{ Total, Rate ChipColumn }

// ChipRun is one run of an engine by itself.
type ChipRun struct {
	System   string // where several are measured
	Row      string
	Elements int // values of a packet
	Packets  uint64
	Work     []uint64 // in the order of [ChipTables.Work]; 0: the engine does nothing of the kind
}
