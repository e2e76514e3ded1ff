package mem

import "github.com/inalab/inalab/internal/units"

// Sizes that the paper gives.
const (
	WordBytes    = 8  // one unit of an address (trio §3.2)
	MaxAccess    = 64 // bytes of the largest read or write (trio §2.3)
	CounterBytes = 16 // packets and bytes, 64 bits each (trio §3.2)

	// DefaultAddBytes is the width of an add: one 32-bit number (trio §2.3 lists
	// "32-bit add" among the read-modify-write operations). How many of them one
	// request may hold is not said (reading trio.add-width): 8 bytes would be what
	// an engine takes in a clock, 64 as much as a read or write. Range 4 to
	// MaxAccess.
	DefaultAddBytes = 4
)

// Sizes that are assumed.
const (
	// RecordBytes is the size of a hash record. Assumed: the records of Trio-ML
	// have 58 bytes (trio A.1), and 64 is the largest access.
	RecordBytes = 64
	// PolicerBytes is the size of a policer record; see [Memory.Police].
	PolicerBytes = 32
	// RecordsBase is the first word of the hash records, byte 2^26, and DRAMBase
	// that of DRAM, byte 2^27. Assumed: fixed addresses, so that programs do not
	// change with the size of SRAM, and can number records.
	RecordsBase Addr = 1 << 23
	DRAMBase    Addr = 1 << 24
	// DefaultSRAM is the upper end of what is typical, 2 to 8 MB (trio §2.3).
	DefaultSRAM = 8 * units.MiB
	// DefaultDRAM is "several GB" (trio §2.3); the number is assumed.
	DefaultDRAM = 4 * units.GiB
	// DefaultResident bounds what the host gives for touched pages: a limit of the
	// emulation, for programs that use memory which they have not declared. Assumed.
	DefaultResident = units.GiB
	// DefaultRecords holds the 65,535 open blocks of the largest window (trio §5)
	// and a job. Assumed.
	DefaultRecords = 1 << 16
)

// Limits of a Config. All assumed.
const (
	MaxSRAM    = 64 * units.MiB // up to RecordsBase
	MaxDRAM    = 16 * units.GiB // within 32 bits of words
	MaxRecords = 1 << 20        // from RecordsBase up to DRAMBase
	MaxBuckets = 1 << 22
	MaxEngines = 64
	MaxTime    = units.Millisecond // of any one latency or cost
)

// Times and rates.
const (
	// Cycle is one clock of an engine: 1 GHz (trio §6.3). An engine takes 8 bytes
	// in each (trio §2.3).
	Cycle = units.Nanosecond

	// AddTime is what one 32-bit add takes: 2 clocks (trio §6.3). Read literally, 8
	// bytes a clock is half a clock (ambiguity trio.rmw-rate). Range 0.5 to 2 ns.
	AddTime = 2 * Cycle

	// DefaultEngines is the number of engines that one PFE has (trio §6.3).
	DefaultEngines = 12

	// DefaultGranule is how many bytes in a row belong to one bank. Assumed: one
	// word, for that is what an engine takes in a clock and an address counts, and
	// because accesses of 8 bytes reach the full bandwidth (trio §2.3).
	// Range 8 to 64.
	DefaultGranule = WordBytes

	// SRAMLatency is the time from a request of a thread to its reply, where
	// nothing else is served (trio §2.3, "approximately").
	SRAMLatency = 70 * units.Nanosecond

	// DRAMLatency is the same for DRAM: the middle of 300 to 400 ns (trio §2.3).
	DRAMLatency = 350 * units.Nanosecond

	// HashLatency is the same for the hash unit, beside its accesses to the index.
	// Assumed: as on-chip memory, since the unit is on the chip. Range 50 to 150 ns.
	HashLatency = 70 * units.Nanosecond

	// HashAccess is what one access to the index of the hash unit takes. Assumed: a
	// clock, as for any bank of 8-byte words. Range 1 to 4 ns.
	HashAccess = Cycle

	// QueueTime is how much work an engine takes in ahead; what comes when there is
	// more is held in the crossbar. Assumed: two of the largest requests that any
	// reading has, a vector of 16 adds on one engine, so that one can arrive while
	// one is served.
	// It moves only the moment at which an asynchronous request is taken.
	// Range 8 to 256 ns.
	QueueTime = 2 * (MaxAccess / 4) * AddTime
)
