package pipeline

import (
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// Passes of a packet.
const (
	passConsume = 0 // 0 to 3, in the pipe of that number: each is Algorithm 3 with tags and bitmap there; the last counts, judges, and reads the upper half as well
	lastConsume = 3
	passHarvest = 4 // 4 to 10: the seven further halves
	passLast    = passHarvest + 6
)

// What becomes of the values of a pass.
const (
	opDecide = iota // the bitmap says
	opReadLower
	opReadUpper
)

// What becomes of a packet.
const (
	verdictAbsorb    = iota // its values are in; others lack
	verdictMulticast        // it was the last: the sums go to all
	verdictUnicast          // seen already, and the sums are there: to its sender
	verdictUp               // it was the last of a part of a job: to the parent
	verdictUpAgain          // seen already, in a part of a job: likewise
	verdictDrop
)

// Who sent a packet.
const (
	roleNone = iota
	roleMember
	roleParent
)

// Why the program drops a packet, as meta.reason says.
const (
	dropUnknownWorker = 1 + iota
	dropIncomplete
	dropBadType
	dropBadSize
	dropTruncated
	dropOversized
	dropWrongSize
	dropSlotRange
	dropDuplicate
	dropLate
	dropArrival
	dropDeparture
	dropGone
	dropRefused
	dropIPLength
	dropUDPLength
	dropStrangeQueue // of RoCE, from here on: of nobody
	dropSpeaksUDP
	dropBadVersion
	dropBadOpcode
	dropBadPartition
	dropQueuePair
	dropSequence
	dropKey
	dropShape
	dropHeldBack // on the way out
	dropAbsorbed // not a loss
	dropReasons
)

// Names of counters beside those of the reference program.
const (
	DropGone      = "switchml-of-a-removed-job" // inside the chip, when the job went
	CountAbsorbed = "switchml-absorbed"         // packets whose values are in a slot that lacked others
)

// reasons are the names under which drops are counted.
var reasons = [dropReasons]string{
	dropUnknownWorker: switchml.DropUnknownWorker, dropIncomplete: switchml.DropIncomplete,
	dropBadType: string(wire.BadType), dropBadSize: string(wire.BadSize), dropTruncated: string(wire.Truncated), dropOversized: string(wire.Oversized),
	dropWrongSize: switchml.DropWrongSize, dropSlotRange: switchml.DropSlotRange, dropRefused: switchml.DropRefused, dropDuplicate: switchml.DropDuplicate, dropLate: switchml.DropLate,
	dropArrival: switchml.DropArrival, dropDeparture: switchml.DropDeparture, dropGone: DropGone, dropIPLength: string(inet.BadIPLength), dropUDPLength: string(inet.BadUDPLength), dropAbsorbed: CountAbsorbed,
	dropStrangeQueue: switchml.DropRDMAUnknownWorker, dropSpeaksUDP: switchml.DropRDMASpeaksUDP,
	dropBadVersion: string(roce.BadVersion), dropBadOpcode: string(roce.BadOpcode), dropBadPartition: string(roce.BadPartition),
	dropQueuePair: switchml.DropRDMAQueuePair, dropSequence: switchml.DropRDMASequence, dropKey: switchml.DropRDMAKey, dropShape: switchml.DropRDMAShape,
	dropHeldBack: switchml.CountRDMAHeldBack,
}

// Packet sizes on the wire that the program has variants for.
const (
	size64  = 1
	size256 = 3
)

// MaxWorkers is the width of a bitmap.
const MaxWorkers = 32

// quarter is a fourth of all job bytes, and firstQuarters what their count is at least: see
// package reference.
const (
	quarter       = 64
	firstQuarters = 4
)
