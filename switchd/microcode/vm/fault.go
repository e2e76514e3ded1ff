package vm

// A Fault is why a thread was ended. Its text is the reason under which the
// packet is counted as dropped.
type Fault uint8

// Faults.
const (
	NoFault     Fault = iota
	BadLMEM           // a field is outside LMEM
	BadBuffer         // the LMEM buffer of an XTXN is outside LMEM
	BadLength         // the length of an XTXN is not one that it takes
	NotAwaited        // LMEM is used that an asynchronous read is filling
	CallTooDeep       // more than isa.CallDepth nested calls
	NoCaller          // a return outside any call
	OverLimit         // more instructions than granted
	NoEntry           // Start was given an instruction that the program does not have
)

// String returns the reason, such as "lmem-out-of-range".
func (f Fault) String() string {
	names := [...]string{"", "lmem-out-of-range", "xtxn-buffer-out-of-range", "xtxn-bad-length",
		"read-not-waited-for", "call-too-deep", "return-without-call", "instruction-limit", "no-such-entry"}
	if int(f) >= len(names) {
		return "?"
	}
	return names[f]
}

// fail records the first fault of an instruction.
func (t *Thread) fail(f Fault) {
	if t.fault == NoFault {
		t.fault = f
	}
}
