package mem

// A Fault says why an operation was refused. A refused operation has changed
// nothing. Faults are counted by the caller under their names.
type Fault uint8

// Faults.
const (
	NoFault    Fault = iota
	OutOfRange       // some of the words are in no range
	BadLength        // the operation is not possible with that many bytes
	BadHalf          // neither half of a word
	BadPart          // no such part of the hash table
	Exhausted        // the host gives no more pages (Config.Resident)
	NumFaults        // one more than the last
)

var faultNames = [NumFaults]string{
	"none", "memory address out of range", "bad memory access length", "bad half of a word",
	"bad part of the hash table", "resident memory exhausted",
}

func (f Fault) String() string {
	if f < NumFaults {
		return faultNames[f]
	}
	return "fault?"
}
