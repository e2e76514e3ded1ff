package fit

// The limits. Sources:
//
//	p4c    constants in the Tofino back end of the open-source P4 compiler
//	       (p4lang/p4c, backends/tofino: bf-p4c/specs/mau_spec, device, phv_spec,
//	       parde_spec; bf-asm/target.h; or the file named below bf-p4c/mau)
//	RMT    Bosshart et al., Forwarding Metamorphosis, SIGCOMM 2013
//	paper  SwitchML, NSDI 2021
//
// What is assumed is so because no public source known here says it.
const (
	srcP4C   = "p4c Tofino back end"
	srcMAU   = srcP4C + ": bf-p4c/mau/"
	srcPHV   = "RMT, p4c Tofino back end"
	srcPaper = "SwitchML App. B"
	assumed  = "assumed"
)

// Stages of a pipe; ingress and egress share them (p4c).
const Stages = 12

// What a stage has.
const (
	StageTables      = 16 // logical tables (p4c)
	StageSRAM        = 80 // blocks (p4c)
	StageMapRAM      = 48 // blocks, one beside each SRAM block of a register or counter (p4c)
	StageTCAM        = 24 // blocks (p4c)
	StageALUs        = 4  // stateful ALUs (p4c; paper: few memory accesses a stage)
	StageTernary     = 8  // tables with a ternary key (p4c: tofino/memories.h)
	StageCounterALUs = 4  // for tables that count (p4c: tofino/memories.h, on even rows)
	// StageInstructions is instruction words of each gress, one an action: 32 rows of two
	// colours, of which one is the word of all actions that do nothing (p4c:
	// instruction_memory.h). Actions of one row may not write the same container; whether
	// there are such pairs is not looked at, nor whether two tables could share a word.
	StageInstructions = 32*2 - 1
	StageGateways     = 16  // conditions (p4c: tofino/memories.h, two a row)
	StageExactBytes   = 128 // of fields to exact matches, hashes, gateways and stateful ALUs (p4c)
	StageTernaryBytes = 66  // of fields to ternary matches (p4c: 12 groups, 11 bytes for each two)
	StageHashUnits    = 6   // hash values of 16 bits for indexes and fields (p4c: 2 units of 3)
	StageRandom       = 2 * GeneratorBytes
	GeneratorBytes    = 4 // of random numbers, of which tables take whole bytes (p4c: tofino/action_data_bus.cpp)
	ChecksumUnits     = 6 // of each deparser (p4c: parde_spec)
)

// Memories.
const (
	SRAMWord    = 128  // bits (RMT has 112, Tofino's counts make 16 KB a block; p4c)
	SRAMWords   = 1024 // of a block
	TCAMWidth   = 44   // bits of a block (p4c)
	TCAMDepth   = 512  // rows of a block (p4c)
	EntryBits   = 4    // beside the key of an entry: version and valid (p4c: table_format.h)
	CounterBits = 64   // packets and bytes of an entry (p4c: resource_estimate.cpp, 28 and 36 bits; they do not wrap here)
	SpareBlocks = 1    // more for a register or a counter, so that it can be written while it is read (p4c: tofino/memories.cpp)
	// MaxBlocks of one register or counter, the spare one apart: an ALU reaches its own row and
	// 5 more, of 6 blocks with map RAM each (p4c: tofino/memories.h, MAX_DATA_SWBOX_ROWS).
	MaxBlocks = 6*6 - SpareBlocks
	// ImmediateBits of action data lie beside the key, more in blocks of its own (p4c).
	ImmediateBits = 32
)

// Stateful ALUs.
const (
	MaxLaneBits    = 32 // (p4c)
	MaxLanes       = 2  // (p4c; paper)
	WideBits       = 64 // of an entry that is one number, kept as a pair (p4c)
	MaxInputs      = 2  // of MaxLaneBits each (p4c)
	MaxUpdates     = 2  // of a lane (p4c: two ALUs a lane)
	MaxOutputs     = 1  // words to the packet (p4c)
	MaxRegActions  = 4  // programs of a register (p4c)
	MaxRegConsts   = 4  // constants of a register beyond SmallestConst to LargestConst (p4c)
	SmallestConst  = -8
	LargestConst   = 7
	MaxHashBits    = 32 // CRC-32
	MaxRandomBits  = 8 * GeneratorBytes
	MaxALUBits     = 32 // of an action ALU: the widest container
	MaxGatewayBits = 44 // of fields to one condition: 4 bytes and 12 bits (p4c)
)

// Parsers, one each for ingress and egress.
const (
	ParserBytes = 16368 // deepest byte of the ingress: 1023 steps of 16 bytes (p4c); of the egress see extract.go
	ParserRows  = 256   // of its table: one a case and one a state (p4c)
)

// Containers of the packet header vector (p4c: bf-p4c/specs/phv_spec.cpp); pool.go says who may
// have which.
const (
	PHV8  = 64
	PHV16 = 96
	PHV32 = 64
)

// Bounds on a program, far beyond what fits, so that a refusal takes little time.
const (
	maxCopies  = Stages * StageTables
	maxThings  = 4096     // headers, fields, registers, tables, actions, states of a parser
	maxEntries = 64 << 20 // of a table or register
	maxDepth   = 64       // conditions within conditions
)

// sources says where the limit of each rule comes from.
var sources = map[Rule]string{
	RuleTwice:      "P4-16: the operations of an action are done at once, assumed",
	RuleApplied:    "TNA: a table is applied once in a pass",
	RuleALUWidth:   "RMT: an ALU works on a container, the widest has 32 bits",
	RuleALUSource:  srcP4C,
	RuleALUSign:    srcP4C + ": bf-p4c/phv/cluster_phv_operations.cpp",
	RuleSlice:      srcP4C + ": bf-asm/depositfield.cpp moves bits of a container into another",
	RuleALUIn:      srcP4C,
	RuleALUCompare: srcP4C,
	RuleALUUpdate:  srcP4C,
	RuleALUOutput:  srcP4C,
	RuleALUActions: srcP4C,
	RuleALUConsts:  srcP4C,
	RuleLane:       srcP4C + ": 8, 16 or 32 bits, pairs of them, and 64 as a pair; " + srcPaper,
	RuleWide:       srcP4C + ": a stateful ALU works and puts out 32 bits at a time, wider it only copies",
	RuleRegSize:    srcMAU + "tofino/memories.cpp, lowest_row_to_overflow: 6 rows of 6 blocks, one of them spare",
	RuleIndex:      assumed + ": the hash units bring no more bits than name the entries",
	RuleOnce:       srcPaper + ": memory accesses of a stage are limited",
	RuleApart:      "RMT: a memory belongs to one stage",
	RuleSide:       "TNA: a register belongs to one side",
	RuleLoop:       assumed + ": a parser ends on every packet",
	RuleReparse:    "TNA: a header has one place in the PHV",
	RuleBudget:     srcP4C,
	RuleSelect:     srcP4C,
	RuleRows:       srcP4C,
	RuleChecksums:  srcP4C + ": bf-p4c/specs/parde_spec.h",
	RulePHV:        srcPHV,
	RuleCut:        "RMT: an ALU works on a container",
	RuleGroup:      srcP4C + ": bf-asm/instruction.cpp, an ALU reads the containers of its group",
	RuleValidity:   srcP4C + ": bf-p4c/specs/phv_spec.cpp, numPovBits",
	RuleGateway:    srcP4C,
	RuleStages:     srcPaper + ", " + srcP4C,
	RulePinned:     assumed + ": a table pinned is not moved",

	RuleRandom:      srcMAU + "tofino/action_data_bus.cpp: 2 generators of 32 bits, a table takes bytes of one",
	RuleCounterSize: srcMAU + "tofino/memories.cpp, lowest_row_to_overflow: 6 rows of 6 blocks, one of them spare",

	Tables.Rule():        srcP4C,
	SRAM.Rule():          srcP4C,
	MapRAM.Rule():        srcP4C,
	TCAM.Rule():          srcP4C,
	ALUs.Rule():          srcP4C,
	CounterALUs.Rule():   srcMAU + "tofino/memories.h",
	TernaryTables.Rule(): srcMAU + "tofino/memories.h",
	IngressWords.Rule():  srcMAU + "instruction_memory.h: 32 rows of 2 colours a gress, one of them for actions that do nothing",
	EgressWords.Rule():   srcMAU + "instruction_memory.h: 32 rows of 2 colours a gress, one of them for actions that do nothing",
	Gateways.Rule():      srcMAU + "tofino/memories.h: 2 a row",
	RandomBytes.Rule():   srcMAU + "tofino/action_data_bus.cpp: 2 generators of 32 bits",
	ExactBytes.Rule():    srcP4C,
	TernaryBytes.Rule():  srcP4C,
	HashUnits.Rule():     srcP4C,
}
