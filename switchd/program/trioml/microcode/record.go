package microcode

import (
	"encoding/binary"
	"net/netip"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// recordBytes is a record in memory: 6 bytes of the program's own, then the 58 of
// Fig 17 or 18.
const recordBytes = mem.RecordBytes

// JobBlock is the block_id under which the hash table has job records
// (ambiguity trio.job-lookup).
const JobBlock = 0xffffffff

// key returns the hash key of a record.
func key(job uint8, block uint32) uint64 { return uint64(job)<<32 | uint64(block) }

// Policies of a job, as its record has them.
const (
	flagFresh    = 1 << 15 // no generation has been seen
	flagLate     = 1 << 14 // packets of older generations are dropped
	flagTombs    = 1 << 13 // and those of blocks that are done
	flagAbsent   = 1 << 12 // blocks do not wait for absent sources
	capHighShift = 8       // 4 bits: the higher ones of block_cnt_max - 1
	stepMask     = 0xff    // what a visit takes of block_exp
)

// JobRecord is a job record (trio Fig 17) with the fields of the program's own.
type JobRecord struct {
	Newest   uint16 // newest generation seen; valid if Started
	Started  bool
	Late     bool  // packets of older generations are dropped
	Tombs    bool  // packets of blocks that are done are dropped
	Absent   bool  // blocks do not wait for absent sources
	Step     uint8 // ms that a visit of a timer's thread takes of the block_exp of an unreferenced block
	Job      uint8 // job_id
	OutSrcID uint8 // src_id of results

	BlockCurrCnt  uint16 // current number of active blocks
	BlockCntMax   int    // maximum number of concurrent blocks, 1 to 65,536
	BlockGradMax  int    // maximum number of gradients per block
	BlockExp      uint8  // block timeout interval in ms; 255 is that or more
	BlockTotalCnt uint32 // blocks that are no longer active
	OutSrcAddr    netip.Addr
	OutDstAddr    netip.Addr
	OutNHAddr     mem.Addr // egress entry
	SrcCnt        uint8    // number of sources
	SrcMask       trace.Mask
}

// Put writes the record to 64 bytes.
func (r *JobRecord) Put(b []byte) {
	_ = b[recordBytes-1]
	flags := uint16(r.BlockCntMax-1)>>12<<capHighShift | uint16(r.Step)
	for _, f := range []struct {
		set bool
		bit uint16
	}{{!r.Started, flagFresh}, {r.Late, flagLate}, {r.Tombs, flagTombs}, {r.Absent, flagAbsent}} {
		if f.set {
			flags |= f.bit
		}
	}
	b[0], b[1] = r.Job, r.OutSrcID
	binary.BigEndian.PutUint16(b[2:], r.Newest)
	binary.BigEndian.PutUint16(b[4:], flags)
	binary.BigEndian.PutUint16(b[6:], r.BlockCurrCnt)
	binary.BigEndian.PutUint32(b[8:], uint32(r.BlockCntMax-1)&0xfff<<20|uint32(r.BlockGradMax)&0xfff<<8|uint32(r.BlockExp))
	binary.BigEndian.PutUint32(b[12:], r.BlockTotalCnt)
	src, dst := r.OutSrcAddr.As4(), r.OutDstAddr.As4()
	copy(b[16:], src[:])
	copy(b[20:], dst[:])
	binary.BigEndian.PutUint32(b[24:], uint32(r.OutNHAddr))
	binary.BigEndian.PutUint32(b[28:], uint32(r.SrcCnt))
	putMask(b[32:], r.SrcMask)
}

// DecodeJobRecord reads what Put writes.
func DecodeJobRecord(b []byte) JobRecord {
	_ = b[recordBytes-1]
	flags := binary.BigEndian.Uint16(b[4:])
	caps := binary.BigEndian.Uint32(b[8:])
	return JobRecord{
		Newest:  binary.BigEndian.Uint16(b[2:]),
		Started: flags&flagFresh == 0, Late: flags&flagLate != 0, Tombs: flags&flagTombs != 0, Absent: flags&flagAbsent != 0,
		Step: uint8(flags & stepMask), Job: b[0], OutSrcID: b[1],
		BlockCurrCnt: binary.BigEndian.Uint16(b[6:]),
		BlockCntMax:  int(flags>>capHighShift&0xf)<<12 + int(caps>>20) + 1, BlockGradMax: int(caps >> 8 & 0xfff), BlockExp: uint8(caps),
		BlockTotalCnt: binary.BigEndian.Uint32(b[12:]),
		OutSrcAddr:    netip.AddrFrom4([4]byte(b[16:20])), OutDstAddr: netip.AddrFrom4([4]byte(b[20:24])),
		OutNHAddr: mem.Addr(binary.BigEndian.Uint32(b[24:])), SrcCnt: b[31], SrcMask: mask(b[32:]),
	}
}

// BlockRecord is a block record (trio Fig 18) with the fields of the program's own.
type BlockRecord struct {
	Block uint32
	Gen   uint16

	BlockExp  uint8 // what is left of the block timeout interval while nobody references the block, in ms
	AgeOp     uint8 // block_age: how the block aged, the final and the degraded bit, as in a packet
	Final     bool
	Degraded  bool
	StartTime units.Time // block_start_time, in whole ns
	JobCtx    mem.Addr   // job_ctx_paddr
	Aggr      mem.Addr   // aggr_paddr
	Workers   int        // behind the sources: the sum of their src_cnt
	Grads     int        // grad_cnt
	Ready     bool       // the record is filled in
	Owned     bool       // a thread is about to send it
	InFlight  int        // threads that are adding to it
	RcvdCnt   uint8      // number of received sources
	RcvdMask  trace.Mask
}

// The word with rcvd_cnt, and the bits of its second half.
const (
	countWord     = 3
	bitReady      = 1 << 31
	bitOwned      = 1 << 30
	inFlightShift = 16
	inFlightMask  = 1<<14 - 1
)

// DecodeBlockRecord reads a record of 64 bytes.
func DecodeBlockRecord(b []byte) BlockRecord {
	_ = b[recordBytes-1]
	size, count := binary.BigEndian.Uint32(b[24:]), binary.BigEndian.Uint32(b[28:])
	return BlockRecord{
		Block: binary.BigEndian.Uint32(b), Gen: binary.BigEndian.Uint16(b[4:]),
		BlockExp: b[6], AgeOp: b[7] >> 4, Final: b[7]&(1<<3) != 0, Degraded: b[7]&(1<<2) != 0,
		StartTime: units.Time(binary.BigEndian.Uint64(b[8:])) * units.Time(units.Nanosecond),
		JobCtx:    mem.Addr(binary.BigEndian.Uint32(b[16:])), Aggr: mem.Addr(binary.BigEndian.Uint32(b[20:])),
		Workers: int(size >> 16), Grads: int(size & wire.MaxGrads),
		Ready: count&bitReady != 0, Owned: count&bitOwned != 0, InFlight: int(count >> inFlightShift & inFlightMask), RcvdCnt: uint8(count),
		RcvdMask: mask(b[32:]),
	}
}

func mask(b []byte) (m trace.Mask) {
	for i := range m {
		m[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	return m
}

func putMask(b []byte, m trace.Mask) {
	for i, w := range m {
		binary.BigEndian.PutUint64(b[8*i:], w)
	}
}
