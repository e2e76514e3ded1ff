package atp

import (
	"encoding/binary"
	"hash/crc32"
)

// Index hashes a number to an aggregator of a table (§3.5, which leaves the hash open): CRC-32 of
// the job and the number, as in the public code (in-ATP/ATP, client HashTable). A salt other than
// 0 gives another index for the same number. Where there are no aggregators it is 0, as no switch
// has that one either.
func Index(job uint8, number uint32, salt uint16, aggregators int) uint16 {
	if aggregators < 1 {
		return 0
	}
	var b [7]byte
	b[0] = job
	binary.BigEndian.PutUint32(b[1:], number)
	binary.BigEndian.PutUint16(b[5:], salt)
	return uint16(crc32.ChecksumIEEE(b[:]) % uint32(aggregators))
}

// Rehash hashes an index where another job is to one where it may not be (§3.6); 0 where there are
// no aggregators.
func Rehash(index uint16, aggregators int) uint16 {
	if aggregators < 1 {
		return 0
	}
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], index)
	return uint16(crc32.ChecksumIEEE(b[:]) % uint32(aggregators))
}

// Positions gives each of some places of a job's window an aggregator of its own, as the public
// code does: of the indexes that hash from a place, the first that no place before has. Where
// there are fewer aggregators than places, they share; where there are none, all are 0.
func Positions(job uint8, places, aggregators int) []uint16 {
	out := make([]uint16, places)
	if aggregators < 1 {
		return out
	}
	taken := make([]bool, aggregators)
	left := aggregators
	for i := range out {
		if left == 0 {
			clear(taken)
			left = aggregators
		}
		out[i] = free(job, uint32(i), taken)
		taken[out[i]] = true
		left--
	}
	return out
}

// salts bounds how often a place is hashed before the next free aggregator behind is taken.
const salts = 1 << 16

// free returns an aggregator for a place that is not taken, of which there are some.
func free(job uint8, place uint32, taken []bool) uint16 {
	for salt := range salts {
		if i := Index(job, place, uint16(salt), len(taken)); !taken[i] {
			return i
		}
	}
	for i := Index(job, place, 0, len(taken)); ; i = uint16((int(i) + 1) % len(taken)) {
		if !taken[i] {
			return i
		}
	}
}
