package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// wireFile is where the wires of an instruction stand behind the registers.
const wireFile = isa.Registers

// zeroFile is an entry behind both that is always 0.
const zeroFile = isa.Registers + isa.MaxWires

// fileSize is a power of two, so that an index modulo it costs no bounds check.
const fileSize = zeroFile + 1

// A Thread is the state of one thread. Its zero value has ended; [Code.Start]
// makes it ready. Nothing in it is allocated while it runs, but room for asynchronous
// reads when there is a first one, so that it can be used again for any number of
// packets. A copy of a thread that has had one shares that room.
type Thread struct {
	// LMEM is the local memory, for the owner and the handler to read and write.
	LMEM [isa.LMEMBytes]byte
	// Pending is the XTXN that was issued last; it waits for a reply while Run
	// has returned Waits.
	Pending Request
	// Executed counts the instructions since Start, the one that ended the
	// thread with a fault included.
	Executed uint64
	// Issued counts the XTXNs of each kind since Start.
	Issued [isa.NumXTXN]uint64

	file    [fileSize]uint64 // registers, wires, zero
	code    *Code
	limit   uint64
	pc      int32
	state   Stop
	fault   Fault
	issued  bool // by the instruction that has just been executed
	depth   int32
	stack   [isa.CallDepth]int32 // where calls return to
	reply   *place
	replyAt int32 // bit of LMEM
	writes  [isa.MaxMoves]write
	reads   outstanding
}

// A write is a move that has been evaluated and is not yet done.
type write struct {
	value uint64
	move  int32 // index
	at    int32 // bit of LMEM
}

// A Request is an XTXN on its way to the module that serves it.
type Request struct {
	XTXN  isa.XTXN
	Async bool                // the thread wants no reply and does not wait
	Instr int32               // index of the instruction
	LMEM  int32               // where the buffer starts, in bytes; 0 without a buffer
	Len   int32               // bytes of the buffer; 0 without
	Args  [isa.MaxArgs]uint64 // all arguments in their order
}

// Buffer returns the bytes that the pending XTXN reads or writes, empty for one
// without: those of LMEM, or, for an asynchronous read, those that will be there when the
// thread has waited for it. The slice is valid until the thread goes on.
func (t *Thread) Buffer() []byte {
	r := &t.Pending
	if r.Async && r.XTXN.Fills() {
		return t.reads.data[r.LMEM : r.LMEM+r.Len]
	}
	return t.LMEM[r.LMEM : r.LMEM+r.Len]
}

// Register returns register n modulo 32.
func (t *Thread) Register(n int) uint64 { return t.file[n&(isa.Registers-1)] }

// SetRegister sets register n modulo 32.
func (t *Thread) SetRegister(n int, v uint64) { t.file[n&(isa.Registers-1)] = v }

// PC returns the index of the next instruction; after a fault, that of the
// instruction which failed or was not granted; -1 after an exit, and if the
// thread will exit when it is resumed.
func (t *Thread) PC() int {
	if t.pc == toExit {
		return -1
	}
	return int(t.pc)
}

// Granted returns how many more instructions the thread may execute.
func (t *Thread) Granted() uint64 { return t.limit - t.Executed }

// Fault returns why the thread ended with a fault; NoFault if it did not.
func (t *Thread) Fault() Fault { return t.fault }

// A Stop is why Run has returned.
type Stop uint8

// Stops.
const (
	Exits  Stop = iota // the program has ended the thread
	Faults             // the thread was ended; Fault says why
	Waits              // Pending wants a reply
	Killed             // the handler has ended the thread
	ready              // not stopped
)
