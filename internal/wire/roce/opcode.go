package roce

// Opcode says what a packet is: the transport in the upper three bits, the
// operation in the lower five.
type Opcode uint8

// RDMA WRITE on unreliable connections, which are transport 1.
const (
	WriteFirst         Opcode = 0x26
	WriteMiddle        Opcode = 0x27
	WriteLast          Opcode = 0x28
	WriteLastImmediate Opcode = 0x29
	WriteOnly          Opcode = 0x2a
	WriteOnlyImmediate Opcode = 0x2b
)

// Write returns the opcode of packet i of the n of a message with an immediate.
func Write(i, n int) Opcode {
	switch {
	case n == 1:
		return WriteOnlyImmediate
	case i == 0:
		return WriteFirst
	case i == n-1:
		return WriteLastImmediate
	}
	return WriteMiddle
}

// known reports whether o is one of the above.
func (o Opcode) known() bool { return o >= WriteFirst && o <= WriteOnlyImmediate }

// Begins reports whether the packet is the first of its message: it has a RETH.
func (o Opcode) Begins() bool { return o == WriteFirst || o.only() }

// Ends reports whether the packet is the last of its message.
func (o Opcode) Ends() bool { return o == WriteLast || o == WriteLastImmediate || o.only() }

// Immediate reports whether the packet has an immediate.
func (o Opcode) Immediate() bool { return o == WriteLastImmediate || o == WriteOnlyImmediate }

func (o Opcode) only() bool { return o == WriteOnly || o == WriteOnlyImmediate }
