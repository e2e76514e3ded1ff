package mem

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// A Region is one of the two kinds of memory.
type Region uint8

// Regions.
const (
	SRAM Region = iota // on the chip
	DRAM               // off the chip
)

func (r Region) String() string {
	if r == SRAM {
		return "SRAM"
	}
	return "DRAM"
}

// Config describes a shared memory and its engines. Its zero values are the
// defaults of the same name.
type Config struct {
	SRAM     units.Bytes // in whole pages of 8 KiB
	DRAM     units.Bytes // in whole pages of 8 KiB
	Resident units.Bytes // the most that touched pages take in the host
	Bounds   *Bounds     `json:"-"` // of what programs may use; nil: all but the records

	Records   int    // that the hash table can hold
	Buckets   int    // of the hash table; zero: as many as records
	RecordsIn Region // whose room the records take, and whose latency they have

	Engines     int
	Granule     units.Bytes    // bytes in a row in one bank; a power of two from 8
	AddTime     units.Duration // of one 32-bit add
	AddBytes    int            // most bytes that one request adds; a power of two from 4 to MaxAccess
	SRAMLatency units.Duration
	DRAMLatency units.Duration
	HashLatency units.Duration
	HashAccess  units.Duration
	QueueTime   units.Duration
}

// Bounds are how much of each region programs may use, from its start on, in whole words: an address beyond is a fault.
type Bounds struct{ SRAM, DRAM units.Bytes }

func (c Config) withDefaults() Config {
	c.SRAM = cmp.Or(c.SRAM, DefaultSRAM)
	c.DRAM = cmp.Or(c.DRAM, DefaultDRAM)
	c.Resident = cmp.Or(c.Resident, DefaultResident)
	c.Records = cmp.Or(c.Records, DefaultRecords)
	c.Buckets = cmp.Or(c.Buckets, c.Records)
	c.Engines = cmp.Or(c.Engines, DefaultEngines)
	c.Granule = cmp.Or(c.Granule, DefaultGranule)
	c.AddTime = cmp.Or(c.AddTime, AddTime)
	c.AddBytes = cmp.Or(c.AddBytes, DefaultAddBytes)
	c.SRAMLatency = cmp.Or(c.SRAMLatency, SRAMLatency)
	c.DRAMLatency = cmp.Or(c.DRAMLatency, DRAMLatency)
	c.HashLatency = cmp.Or(c.HashLatency, HashLatency)
	c.HashAccess = cmp.Or(c.HashAccess, HashAccess)
	c.QueueTime = cmp.Or(c.QueueTime, QueueTime)
	return c
}

// validate reports everything that is wrong at once. c has its defaults.
func (c Config) validate() error {
	errs := []error{
		c.checkSize("SRAM", c.SRAM, MaxSRAM),
		c.checkSize("DRAM", c.DRAM, MaxDRAM),
		checkRange("records", c.Records, 1, MaxRecords),
		checkRange("buckets", c.Buckets, 1, MaxBuckets),
		checkRange("engines", c.Engines, 1, MaxEngines),
		checkRange("add time", c.AddTime, 1, MaxTime),
		checkRange("SRAM latency", c.SRAMLatency, Cycle, MaxTime),
		checkRange("DRAM latency", c.DRAMLatency, Cycle, MaxTime),
		checkRange("hash latency", c.HashLatency, Cycle, MaxTime),
		checkRange("hash access", c.HashAccess, 1, MaxTime),
		checkRange("queue time", c.QueueTime, 1, MaxTime),
		c.checkRecords(),
	}
	if b := c.Bounds; b != nil && (b.SRAM < 0 || b.SRAM > MaxSRAM || b.DRAM < 0 || b.DRAM > MaxDRAM) {
		errs = append(errs, fmt.Errorf("shared memory: programs may use %v of SRAM and %v of DRAM: 0 to %v and 0 to %v are possible", b.SRAM, b.DRAM, MaxSRAM, MaxDRAM))
	}
	if c.Granule < WordBytes || c.Granule > units.MiB || c.Granule&(c.Granule-1) != 0 {
		errs = append(errs, fmt.Errorf("shared memory: interleave granule of %v: it must be a power of two from 8B to 1MiB", c.Granule))
	}
	if n := c.AddBytes; n < 4 || n > MaxAccess || n&(n-1) != 0 {
		errs = append(errs, fmt.Errorf("shared memory: an add of %d bytes: it must be a power of two from 4 to %d", n, MaxAccess))
	}
	if c.Resident < pageBytes {
		errs = append(errs, fmt.Errorf("shared memory: resident limit of %v: it must be at least one page of %v", c.Resident, PageBytes))
	}
	return errors.Join(errs...)
}

func (c Config) checkSize(name string, size, most units.Bytes) error {
	if size < pageBytes || size > most || size%pageBytes != 0 {
		return fmt.Errorf("shared memory: %s of %v: it must be whole pages of %v, at most %v", name, size, PageBytes, most)
	}
	return nil
}

func (c Config) checkRecords() error {
	if c.RecordsIn > DRAM {
		return fmt.Errorf("shared memory: records in region %d: it must be SRAM or DRAM", c.RecordsIn)
	}
	room := c.SRAM
	if c.RecordsIn == DRAM {
		room = c.DRAM
	}
	if need := units.Bytes(c.Records) * RecordBytes; need > room {
		return fmt.Errorf("shared memory: %d records take %v and %v has %v: lower the records or enlarge it", c.Records, need,
			c.RecordsIn, room)
	}
	return nil
}

func checkRange[T ~int | ~int64](name string, v, least, most T) error {
	if v < least || v > most {
		return fmt.Errorf("shared memory: %s of %v: %v to %v are possible", name, v, least, most)
	}
	return nil
}
