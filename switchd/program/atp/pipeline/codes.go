package pipeline

import (
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
)

// passValues is how many values a pass adds: each half of a packet (§4, appendix C).
const passValues = wire.Values / 2

// What a packet is for at this switch.
const (
	opNone    = iota
	opClaim   // to be added, at the first edge switch
	opClaim2  // likewise at the second
	opMerge   // resent, at the first: takes along what there is
	opClear   // resent, at the second: frees
	opFree    // parameter packet: frees
	opRequest // parameter packet that asks for floats: does nothing
	opSweep   // resent, at the first, which found nothing in the first half: frees the second
)

// What became of the half of an aggregator that a pass works on.
const (
	didNone = iota // it is not the packet's
	didWipe        // freed
	didLive        // the packet is in it
	didTake        // the packet is in it, it was read and freed
	didLook        // it was looked at, whoever is in it
	inHalf  = 2    // the bit in which it is in
)

// What becomes of values.
const (
	wayNone = iota
	wayFirst
	wayAdd
	wayRead // the packet's are in
)

// Why a packet ends here, or goes on.
const (
	outAbsorbed = 1 + iota
	outDuplicate
	outCollided
	outLate // collided in the second pass
	outComplete
	outPartial
	outResent
	outParameter
	outRequest
	outDiffer
	outUnknownJob
	outForged
	outIndex
	outNone // there are no aggregators
	outFloats
	outNotHere
	outFanIn
	outShort
	outTruncated
	outOversized
	outNoWorker
	outSequence
	outReserved
	outOptions
	outcomes
)

// Names of counters beside those of all programs.
const (
	CountAbsorbed    = "atp-absorbed"              // packets whose values are in an aggregator, or one of its halves
	CountDiffer      = "atp-halves-differ"         // dropped: sums of two halves that are not of the same workers
	CountSecondPass  = "atp-second-pass-collision" // of the collisions: packets whose second half met another's
	CountRecirculate = "atp-recirculated"          // packets that came back for the second half, of a sum or to free it
	CountRound       = "atp-further-rounds"        // of those: sums that came back once more, as a packet had still to add its second half
)

// fates are what packets of a job are counted as.
var fates = [outcomes]atp.Counter{
	outDuplicate: atp.Duplicate, outCollided: atp.Collisions, outLate: atp.Collisions, outComplete: atp.Results, outPartial: atp.Partials,
	outParameter: atp.Parameters, outRequest: atp.Floats, outForged: atp.Forged, outIndex: atp.BadIndex, outNone: atp.Collisions,
	outFloats: atp.Floats, outNotHere: atp.NotHere, outFanIn: atp.BadFanIn,
}

// passed are what those of no job are counted as.
var passed = [outcomes]string{
	outUnknownJob: atp.CountUnknownJob, outReserved: atp.CountReserved, outOptions: atp.CountOptions,
	outShort: string(wire.Short), outTruncated: string(wire.Truncated), outOversized: string(wire.Oversized),
	outNoWorker: string(wire.NoWorker), outSequence: string(wire.BadSequence),
}

// drops are the chip's own names. Those of packets that are counted by job are left out.
var drops = [outcomes]string{
	outAbsorbed: CountAbsorbed, outDiffer: CountDiffer, outDuplicate: atp.Duplicate.String(), outForged: atp.Forged.String(),
}

// levelOf is the level at which a packet is added or frees.
var levelOf = [...]int{opClaim: 0, opMerge: 0, opClaim2: 1, opClear: 1, opSweep: 0}

// levelActions are what the tables of sources do with packets, by level: new ones and resent ones.
var levelActions = [2][2]string{{"claim", "merge"}, {"claim2", "clear"}}
