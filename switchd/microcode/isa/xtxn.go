package isa

// An XTXN is an external transaction: a request of a thread to another module
// over the crossbar (trio §3.1).
type XTXN uint8

// XTXNs. [XTXN.Spec] describes each.
const (
	MemRead XTXN = iota + 1
	MemWrite
	MemAdd32
	FetchAdd32
	FetchAnd
	FetchOr
	FetchXor
	FetchClear
	FetchSwap
	MaskedWrite
	CounterIncPhys
	Police
	HashLookup
	HashInsert
	HashDelete
	HashScan
	TailRead
	TailWrite
	PacketCreate
	Forward
	Drop
	TimeNow
	XtxnWait
	FieldHash
	RouteLookup
	Filter
	HeaderPush
	HeaderPull
	NumXTXN // one more than the last
)

// Replies of HashLookup, HashInsert and HashScan: the low 32 bits are the
// address of a record in words of 8 bytes; flags and cursor stand above.
const (
	HashHit     = 1 << 63 // HashLookup: the key is in the table
	HashCreated = 1 << 63 // HashInsert: the record was created by this XTXN
	HashFull    = 1 << 62 // HashInsert: no room; there is no record
	ScanFound   = 1 << 63 // HashScan: there is a record
	ScanRef     = 1 << 62 // HashScan: its REF flag was set
	ScanEnd     = 1 << 61 // HashScan: nothing follows in this part

	ScanCursorShift = 32        // HashScan: lowest bit of the next cursor
	ScanCursorMask  = 1<<29 - 1 // HashScan: the next cursor, after shifting
)

// Replies of RouteLookup and Filter: the low 32 bits are what the control plane has given
// the route or the term.
const (
	RouteFound    = 1 << 63 // RouteLookup: some prefix holds the address
	RouteBits     = 32      // RouteLookup: lowest bit of the length of the prefix
	FilterMatched = 1 << 63 // Filter: some term matches
	FilterTerm    = 32      // Filter: lowest bit of the number of the term, from 0
)

// MaxArgs is the most arguments an XTXN takes.
const MaxArgs = 4

// A Module is what serves an XTXN.
type Module string

// Modules.
const (
	SharedMemory Module = "shared memory"     // and its read-modify-write engines
	HashUnit     Module = "hash lookup"       // insert and delete
	PacketMemory Module = "memory and queues" // packet tails
	Dispatch     Module = "dispatch"          // and the reorder engine
	Timer        Module = "timer"             //
	HashLogic    Module = "hash calculation"  // of fields that the program chooses (trio §2.2)
	Forwarding   Module = "route lookup"      // forwarding tables (trio §3.1)
	Filters      Module = "filters"           // trio §3.1
)

// An ArgKind says what an argument means to the thread that sends it.
type ArgKind uint8

// Kinds of arguments.
const (
	ArgValue  ArgKind = iota + 1 // a number that only the module looks at
	ArgPaddr                     // an address of shared memory, in words of 8 bytes
	ArgLMEM                      // a byte address of LMEM, where Length bytes are read or written
	ArgLen                       // bytes, within the Spec's Length
	ArgFields                    // the name of a list of fields
	ArgRoutes                    // the name of a route table
	ArgFilter                    // the name of a filter
	ArgHeader                    // bytes of headers, within the Spec's Length
)

// An Arg describes one argument.
type Arg struct {
	Name string
	Kind ArgKind
	Bits int    // 32 or 64
	Unit string // empty: a plain number
}

// A Length bounds the argument of kind ArgLen or ArgHeader, in bytes. A thread that
// sends another length ends with a fault.
// Min is a multiple of Step, and Step a power of two.
type Length struct{ Min, Max, Step int }

// Fits reports whether n bytes are within the bounds.
func (l Length) Fits(n uint64) bool {
	return n >= uint64(l.Min) && n <= uint64(l.Max) && n&uint64(l.Step-1) == 0
}

// A Spec describes one XTXN.
type Spec struct {
	Name   string
	Module Module
	Args   []Arg
	Length Length // of the LMEM buffer, or of headers; zero without either
	Reply  string // what the 64-bit reply means; empty: there is none
	Async  bool   // may be sent without waiting
	Doc    string
}

// Buffer returns which arguments are the address and the length of an LMEM
// buffer; false if the XTXN has none.
func (s *Spec) Buffer() (addr, length int, ok bool) {
	addr, length = -1, -1
	for i, a := range s.Args {
		switch a.Kind {
		case ArgLMEM:
			addr = i
		case ArgLen:
			length = i
		}
	}
	return addr, length, addr >= 0 && length >= 0
}

// Spec returns the description; false for a number that is no XTXN.
func (x XTXN) Spec() (*Spec, bool) {
	if x == 0 || x >= NumXTXN {
		return nil, false
	}
	return &specs[x], true
}

func (x XTXN) String() string {
	if s, ok := x.Spec(); ok {
		return s.Name
	}
	return "XTXN?"
}

// Fills reports whether the XTXN writes its LMEM buffer; another one reads it.
func (x XTXN) Fills() bool { return x == MemRead || x == TailRead }

// XTXNByName finds an XTXN by the name it has in a source.
func XTXNByName(name string) (XTXN, bool) {
	for x := XTXN(1); x < NumXTXN; x++ {
		if specs[x].Name == name {
			return x, true
		}
	}
	return 0, false
}

var (
	argPaddr  = Arg{"paddr", ArgPaddr, 32, "words of 8 bytes"}
	argLMEM   = Arg{"lmem", ArgLMEM, 32, "byte of LMEM"}
	argLen    = Arg{"len", ArgLen, 32, "bytes"}
	argBytes  = Arg{"bytes", ArgValue, 32, "bytes"}
	argKey    = Arg{"key", ArgValue, 64, ""}
	argValue  = Arg{"value", ArgValue, 64, ""}
	argHeader = Arg{"bytes", ArgHeader, 32, ""}
	argOffset = Arg{"offset", ArgValue, 32, "byte of the tail"}
	argHalf   = Arg{"half", ArgValue, 32, "0 first, 1 second 4 bytes"}

	words = Length{8, 64, 8} // trio §2.3: 8 to 64 bytes in steps of 8
)

// Replies of several XTXNs.
const (
	oldWord   = "the 64-bit word before"
	headStart = "byte of LMEM at which the head begins now"
)

// etherBytes is the shortest head: an Ethernet header.
const etherBytes = 14

var specs = [NumXTXN]Spec{
	MemRead: {"MemRead", SharedMemory, []Arg{argPaddr, argLMEM, argLen}, words, "", true,
		"copies shared memory to LMEM"},
	MemWrite: {"MemWrite", SharedMemory, []Arg{argPaddr, argLMEM, argLen}, words, "", true,
		"copies LMEM to shared memory"},
	MemAdd32: {"MemAdd32", SharedMemory, []Arg{argPaddr, argHalf, argLMEM, argLen}, Length{4, MaxAddBytes, 4}, "", true,
		"adds the big-endian 32-bit numbers in LMEM to those in shared memory, from a half of a word on, each wrapping around"},
	FetchAdd32: {"FetchAdd32", SharedMemory, []Arg{argPaddr, argHalf, {"value", ArgValue, 32, "32 bits"}},
		Length{}, "the 32-bit sum", false, "adds to one 32-bit number, wrapping around"},
	FetchAnd: {"FetchAnd", SharedMemory, []Arg{argPaddr, argValue}, Length{}, oldWord, false,
		"replaces a 64-bit word by word & value"},
	FetchOr: {"FetchOr", SharedMemory, []Arg{argPaddr, argValue}, Length{}, oldWord, false,
		"replaces a 64-bit word by word | value"},
	FetchXor: {"FetchXor", SharedMemory, []Arg{argPaddr, argValue}, Length{}, oldWord, false,
		"replaces a 64-bit word by word ^ value"},
	FetchClear: {"FetchClear", SharedMemory, []Arg{argPaddr, argValue}, Length{}, oldWord, false,
		"clears in a 64-bit word the bits that are set in value"},
	FetchSwap: {"FetchSwap", SharedMemory, []Arg{argPaddr, argValue}, Length{}, oldWord, false,
		"replaces a 64-bit word by value"},
	MaskedWrite: {"MaskedWrite", SharedMemory, []Arg{argPaddr, argValue, {"mask", ArgValue, 64, ""}}, Length{}, "", true,
		"writes the bits of value that are set in mask"},
	CounterIncPhys: {"CounterIncPhys", SharedMemory, []Arg{argPaddr, argBytes}, Length{}, "", true,
		"adds 1 to the packets and bytes to the bytes of a counter of 16 bytes"},
	Police: {"Police", SharedMemory, []Arg{argPaddr, argBytes}, Length{}, "0 conforms, 1 exceeds", false,
		"asks a policer record whether a packet of that size is within its rate, and charges it"},
	HashLookup: {"HashLookup", HashUnit, []Arg{argKey}, Length{}, "bit 63 found, bits 31:0 paddr of the record", false,
		"finds a record and sets its REF flag"},
	HashInsert: {"HashInsert", HashUnit, []Arg{argKey}, Length{}, "bit 63 created, bit 62 table full, bits 31:0 paddr of the record", false,
		"finds a record or creates one of 64 zero bytes, in one step; sets its REF flag"},
	HashDelete: {"HashDelete", HashUnit, []Arg{argKey}, Length{}, "", true,
		"removes a record, if there is one"},
	HashScan: {"HashScan", HashUnit, []Arg{{"part", ArgValue, 32, "0..parts-1"}, {"parts", ArgValue, 32, "1 and more"},
		{"cursor", ArgValue, 32, "0 at first, then that of the reply"}}, Length{},
		"bit 63 found, bit 62 REF as it was, bit 61 end, bits 60:32 next cursor, bits 31:0 paddr of the record", false,
		"finds the first record at or after cursor in one of parts equal parts of the table, and clears its REF flag"},
	TailRead: {"TailRead", PacketMemory, []Arg{argOffset, argLMEM, argLen}, Length{1, 64, 1}, "", true,
		"copies bytes of the packet's tail to LMEM"},
	TailWrite: {"TailWrite", PacketMemory, []Arg{argOffset, argLMEM, argLen}, Length{1, 256, 1}, "", true,
		"copies LMEM to the tail of the packet that the thread has created"},
	PacketCreate: {"PacketCreate", PacketMemory, []Arg{{"headlen", ArgValue, 32, "14..1214 bytes"}}, Length{}, "", true,
		"gives the thread a new packet without a tail; its head is taken from LMEM when it is forwarded"},
	Forward: {"Forward", Dispatch, []Arg{{"nexthop", ArgValue, 32, "index of a next hop"}}, Length{}, "", true,
		"sends the thread's packet on"},
	Drop: {"Drop", Dispatch, []Arg{{"reason", ArgValue, 32, "a number, named by an exported constant DROP_..."}}, Length{}, "", true,
		"discards the thread's packet and counts it under reason"},
	TimeNow: {"TimeNow", Timer, nil, Length{}, "nanoseconds", false,
		"reads the clock"},
	XtxnWait: {"XtxnWait", Dispatch, nil, Length{}, "", false,
		"waits until every asynchronous XTXN of the thread has been done"},
	FieldHash: {"FieldHash", HashLogic, []Arg{{"fields", ArgFields, 32, "name of a list of fields"}, {"seed", ArgValue, 32, "32 bits"}},
		Length{}, "32 bits", false, "hashes the fields of a list as they are now, and a seed"},
	RouteLookup: {"RouteLookup", Forwarding, []Arg{{"table", ArgRoutes, 32, "name of a route table"}, {"addr", ArgValue, 32, "IPv4 address"}},
		Length{}, "bit 63 found, bits 37:32 length of the prefix, bits 31:0 next hop", false,
		"finds the longest prefix that holds an address"},
	Filter: {"Filter", Filters, []Arg{{"table", ArgFilter, 32, "name of a filter"}},
		Length{}, "bit 63 matched, bits 62:32 number of the term, bits 31:0 value of the term", false,
		"finds the first term that the fields of the filter match as they are now"},
	HeaderPush: {"HeaderPush", Dispatch, []Arg{argHeader}, Length{1, HeadRoom, 1}, headStart, false,
		"lets the head of the packet begin so many bytes earlier in LMEM, for new headers"},
	HeaderPull: {"HeaderPull", Dispatch, []Arg{argHeader}, Length{1, LMEMBytes - HeadStart + HeadRoom - etherBytes, 1}, headStart, false,
		"lets the head of the packet begin so many bytes later in LMEM: what is before is gone"},
}
