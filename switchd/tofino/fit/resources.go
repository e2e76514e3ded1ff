package fit

// Resource is something of which a stage has a number.
type Resource int

// The resources of a stage, in the order of reports.
const (
	Tables Resource = iota
	SRAM
	MapRAM
	TCAM
	ALUs
	IngressWords // of instructions; each gress has its own
	EgressWords
	Gateways
	ExactBytes
	TernaryBytes
	HashUnits
	TernaryTables
	CounterALUs
	RandomBytes
	NumResources
)

// resourceTable says for each resource its rule, its words and its limit.
var resourceTable = [NumResources]struct {
	id, name string
	limit    int
}{
	Tables:        {"logical-tables", "logical tables", StageTables},
	SRAM:          {"sram", "SRAM blocks", StageSRAM},
	MapRAM:        {"map-ram", "map RAM blocks", StageMapRAM},
	TCAM:          {"tcam", "TCAM blocks", StageTCAM},
	ALUs:          {"stateful-alus", "stateful ALUs", StageALUs},
	IngressWords:  {"ingress-words", "instruction words of the ingress", StageInstructions},
	EgressWords:   {"egress-words", "instruction words of the egress", StageInstructions},
	Gateways:      {"gateways", "gateways", StageGateways},
	ExactBytes:    {"exact-crossbar", "exact crossbar bytes", StageExactBytes},
	TernaryBytes:  {"ternary-crossbar", "ternary crossbar bytes", StageTernaryBytes},
	HashUnits:     {"hash-units", "hash units", StageHashUnits},
	TernaryTables: {"ternary-tables", "ternary tables", StageTernary},
	CounterALUs:   {"counter-alus", "counter ALUs", StageCounterALUs},
	RandomBytes:   {"random-bytes", "bytes of random numbers", StageRandom},
}

// String names the resource, in the plural.
func (r Resource) String() string { return resourceTable[r].name }

// Rule names the rule that limits it.
func (r Resource) Rule() Rule { return Rule(resourceTable[r].id) }

// Limit is how much of it a stage has.
func (r Resource) Limit() int { return resourceTable[r].limit }

// Use is a number out of how many there are.
type Use struct{ Used, Available int }

// StageUse is what one stage holds.
type StageUse struct {
	Stage     int      // from 1
	Tables    []string // with the number of the copy
	Registers []string
	Uses      [NumResources]Use
}

// PHVUse is how many containers of one size are taken.
type PHVUse struct {
	Bits            int
	Ingress, Egress int
	Available       int
}

// ParserUse is what the parser of one side takes.
type ParserUse struct {
	Depth Use // bytes
	Rows  Use
}

// Resources is what a program takes of a pipe.
type Resources struct {
	Stages   []StageUse // all of them
	PHV      []PHVUse   // by size: 8, 16, 32
	Tagalong []PHVUse   // likewise
	Parsers  [2]ParserUse
}

// Resources reports what the program takes. The slices are the program's.
func (p *Program) Resources() Resources { return p.report }
